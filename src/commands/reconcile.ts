import { custom } from '@oclif/core/args'
import { boolean, string as text } from '@oclif/core/flags'
import { DaybookCommand } from '../cli/base/daybook-command.js'
import { exitCodeOf } from '../cli/exit-codes.js'
import { readDuration } from '../cli/input/time-expression.js'
import { toReportedError } from '../cli/report.js'
import { Progress } from '../cli/terminal/progress.js'
import { AppError } from '../model/app-error.js'
import { fromFailure } from '../model/failure.js'
import { findPlatformSource } from '../model/platforms/platform-source.js'
import {
  type ListingSource,
  RECONCILE_LIMITS,
  type ReconcileProgress,
  type ReconcileResult,
  SOURCES_WITH_DELIVERY_LIST,
} from '../model/platforms/reconciliation.js'
import { readReconcileSettings } from '../settings/reconcile-settings.js'

const sourceArgument = custom<ListingSource | 'all'>({
  description: 'Which platform: github, gitlab, discourse or the name of its source; or all.',
  ignoreStdin: true,
  parse: async word => {
    const source = findPlatformSource(word)
    const found = word === 'all' ? word : SOURCES_WITH_DELIVERY_LIST.find(each => each === source)
    if (found !== undefined) return found
    const hint =
      source === 'chat'
        ? 'Messages of the chat platform are fetched by "daybook capture subscription-once".'
        : 'Use github, gitlab, discourse or all.'
    throw new AppError('invalid', 'wrong_usage', `"${word.slice(0, 80)}" lists no deliveries.`, { hint })
  },
})

/** The lease of a killed server lasts half a minute. */
const WAITING =
  'Another server compares deliveries. This command begins when that run ends, or half a minute after that server was killed.'

export default class Reconcile extends DaybookCommand {
  static override summary = 'Finds deliveries that a platform tried and the ledger missed, and fetches them.'
  static override description = [
    'Compares the deliveries that the platform lists with the ledger. What is missing is recorded from the list, or else',
    'the platform is asked to deliver it again. Hooks and tokens come from EVENT_RECONCILE_HOOKS_… and',
    'EVENT_RECONCILE_TOKEN_…. An interrupted command can simply be run again.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> github',
    '<%= config.bin %> <%= command.id %> all --since 12h --dry-run',
  ]
  static override args = { source: sourceArgument({ required: true }) }
  static override flags = {
    since: text({ description: 'How far back to look: 12h, 3d, 1w.', helpValue: '<duration>', default: '3d' }),
    'dry-run': boolean({ description: 'Only report what is missing.' }),
    db: text({
      description: 'Database file; else EVENT_DB, else event/events.db in the home folder.',
      helpValue: '<file>',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Reconcile)
    const since_seconds = readDuration('--since', flags.since)
    if (since_seconds < 1 || since_seconds > RECONCILE_LIMITS.sinceSeconds) {
      throw new AppError('invalid', 'wrong_usage', '--since is a duration from 1s to 30d.')
    }
    const { hooks, ...local } = readReconcileSettings(args.source, { db: flags.db }, this.sources)
    const { reconcile } = await import('../runtime/reconcile/reconcile-command.js')
    const request = { hooks, since_seconds, dry_run: flags['dry-run'] === true }
    const progress = new Progress(process.stderr)
    const result = await reconcile(local, request, {
      onProgress: step => progress.show(toProgressText(step)),
      onWaiting: () => flags.json || this.logToStderr(WAITING),
    }).finally(() => progress.end())
    await this.printResult(result, flags)
    const failed = result.hooks.find(({ error }) => error !== undefined)?.error
    if (failed) process.exitCode = exitCodeOf(fromFailure(failed))
  }

  private async printResult(result: ReconcileResult, flags: { json: boolean; 'no-color': boolean }): Promise<void> {
    const hooks = result.hooks.map(({ error, ...hook }) => (error ? { ...hook, error: toReportedError(error) } : hook))
    if (flags.json || !this.output.isTerminal) return this.output.print(JSON.stringify({ ...result, hooks }))
    const { reconciliationText } = await import('../cli/views/reconciliation.js')
    await this.output.print(reconciliationText(result, await this.style(flags)))
  }
}

function toProgressText({ url, listed, waiting_seconds: seconds }: ReconcileProgress): string {
  const compared = `${url}: ${listed.toLocaleString('en')} deliveries compared …`
  return seconds === undefined ? compared : `${compared} waiting ${Math.ceil(seconds)} s, as the platform asks`
}
