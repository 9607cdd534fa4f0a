import { string } from '@oclif/core/args'
import { boolean, integer, string as text } from '@oclif/core/flags'
import { DaybookCommand } from '../../cli/base/daybook-command.js'
import { exitCodeOf } from '../../cli/exit-codes.js'
import { toReportedError } from '../../cli/report.js'
import { Progress } from '../../cli/terminal/progress.js'
import { AppError } from '../../model/app-error.js'
import { fromFailure } from '../../model/failure.js'
import type { CaptureProgress, CaptureRequest, CaptureResult, WatchCapture } from '../../model/subscriptions/capture.js'
import { readCaptureSettings } from '../../settings/capture-settings.js'

export default class CaptureSubscriptionOnce extends DaybookCommand {
  static override summary = 'Captures what is new in a watched chat topic, repository or forum.'
  static override description = [
    'A running server captures; without a server, this command opens the ledger itself. Messages of a chat are read',
    'oldest first and recorded page by page, so an interrupted capture can simply be run again. The account comes from',
    'EVENT_CHAT_EMAIL and EVENT_CHAT_API_KEY (or EVENT_CHAT_API_KEY_FILE), else from ZULIP_* or ~/.zuliprc. Repositories',
    'and places of a forum are polled with the accounts of EVENT_HISTORY_URL_… and EVENT_HISTORY_TOKEN_….',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> deploys',
    '<%= config.bin %> <%= command.id %> --due --json',
  ]
  static override args = {
    id: string({ ignoreStdin: true, description: 'Id of the subscription, as printed by `api subscriptions`.' }),
  }
  static override flags = {
    due: boolean({ description: 'Every due watch, instead of one.' }),
    backfill: integer({
      description: 'Number of newest messages to read of a watch that was never captured.',
      helpValue: '<n>',
      default: 100,
      min: 0,
      max: 1_000_000,
    }),
    'chat-url': text({ description: 'Address of the chat server; else EVENT_CHAT_URL.', helpValue: '<url>' }),
    'chat-email': text({ description: 'Email address of the account; else EVENT_CHAT_EMAIL.', helpValue: '<email>' }),
    db: text({
      description: 'Database file; else EVENT_DB, else event/events.db in the home folder.',
      helpValue: '<file>',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(CaptureSubscriptionOnce)
    if ((args.id !== undefined) === (flags.due === true)) {
      throw new AppError('invalid', 'wrong_usage', 'Name one subscription, or use --due; not both.')
    }
    const { accounts, ...local } = readCaptureSettings(
      { db: flags.db, chatUrl: flags['chat-url'], chatEmail: flags['chat-email'] },
      this.sources,
    )
    const watch = args.id === undefined ? {} : { subscription_id: args.id }
    const { capture } = await import('../../runtime/capture/capture-command.js')
    const request: CaptureRequest = { ...watch, backfill: flags.backfill, ...accounts }
    const progress = new Progress(process.stderr)
    const result = await capture(local, request, step => progress.show(toProgressText(step))).finally(() =>
      progress.end(),
    )
    await (flags.due ? this.printAll(result, flags) : this.printOne(result, flags))
  }

  private async printOne({ captures: [capture] }: CaptureResult, flags: Flags): Promise<void> {
    if (capture === undefined) throw new Error('A capture of one watch ended without a result.')
    if (capture.error) throw fromFailure(capture.error)
    await this.print(capture, flags, [capture])
  }

  private async printAll(result: CaptureResult, flags: Flags): Promise<void> {
    const captures = result.captures.map(({ error, ...capture }) =>
      error ? { ...capture, error: toReportedError(error) } : capture,
    )
    await this.print({ ...result, captures }, flags, result.captures)
    const failed = result.captures.find(({ error }) => error !== undefined)?.error
    if (failed) process.exitCode = exitCodeOf(fromFailure(failed))
  }

  private async print(value: unknown, flags: Flags, captures: readonly WatchCapture[]): Promise<void> {
    if (flags.json || !this.output.isTerminal) return this.output.print(JSON.stringify(value))
    const { capturesText } = await import('../../cli/views/capture-results.js')
    await this.output.print(capturesText(captures, await this.style(flags)))
  }
}

interface Flags {
  json: boolean
  'no-color': boolean
}

function toProgressText({ subscription_id, messages, waiting_seconds: seconds }: CaptureProgress): string {
  const recorded = `${subscription_id}: ${messages.toLocaleString('en')} messages recorded …`
  return seconds === undefined ? recorded : `${recorded} waiting ${Math.ceil(seconds)} s, as the platform asks`
}
