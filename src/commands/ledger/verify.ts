import { string } from '@oclif/core/flags'
import { ResultCommand } from '../../cli/base/daybook-command.js'
import { EXIT_DEFECT } from '../../cli/exit-codes.js'
import { Progress } from '../../cli/terminal/progress.js'
import { AppError } from '../../model/app-error.js'
import { readLocalSettings } from '../../settings/local-settings.js'

const DIGEST = /^[0-9a-f]{64}$/u

export default class LedgerVerify extends ResultCommand {
  static override summary = 'Proves that no event was changed, removed or inserted.'
  static override description = [
    'Checks every event against the chain of digests, its number and its columns, some against the search index, and then',
    'the counters. A running server does it while it keeps recording. Note down the head and its digest: with --since and',
    '--digest, a later run proves that everything up to there is still the same. Exit code 1 if something is wrong.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --since 2026-11-20T13:00:00.123000Z --digest 5f0c…',
  ]
  static override flags = {
    db: string({
      description: 'Database file; else EVENT_DB, else event/events.db in the home folder.',
      helpValue: '<file>',
    }),
    since: string({
      description: 'Begin after the event that was captured then; the events up to it are not read again.',
      helpValue: '<captured_at>',
    }),
    digest: string({ description: 'The digest that this event had.', helpValue: '<hex>', dependsOn: ['since'] }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(LedgerVerify)
    const digest = flags.digest?.toLowerCase()
    if (digest !== undefined && !DIGEST.test(digest)) {
      throw new AppError('invalid', 'wrong_usage', '--digest is not a digest: it has 64 digits of 0 to 9 and a to f.')
    }
    const settings = readLocalSettings({ db: flags.db }, this.sources)
    const { verifyLedger } = await import('../../runtime/verify-ledger.js')
    const progress = new Progress(process.stderr)
    const format = (count: number) => count.toLocaleString('en')
    const verification = await verifyLedger(settings, { since: flags.since, digest }, ({ events, total }) =>
      progress.show(`Verifying: ${format(events)} of ${format(total)} events …`),
    ).finally(() => progress.end())
    const load = async () => (await import('../../cli/views/ledger.js')).verificationText
    await this.showValue(verification, flags, load)
    if (verification.problems.length > 0) process.exitCode = EXIT_DEFECT
  }
}
