import { string } from '@oclif/core/flags'
import { DaybookCommand } from '../../cli/base/daybook-command.js'
import { Progress } from '../../cli/terminal/progress.js'
import { readLocalSettings } from '../../settings/local-settings.js'

export default class LedgerCopy extends DaybookCommand {
  static override summary = 'Moves a ledger from a file to PostgreSQL, or back.'
  static override description = [
    'Copies all events while the ledger is served and records others. Then it stops the server of a file, or makes the servers',
    'of a database refuse changes; copies the rest, with subscriptions, users, tokens, consumers, and sources with their secrets;',
    'and compares both. The new ledger has the epoch of the old one, so checkpoints of consumers stay valid. The old one stays,',
    'and accepts no changes any more. If the copy is interrupted, the same command continues it.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> --from /var/lib/daybook/events.db --to postgres://daybook@db.example.org/ledger',
    '<%= config.bin %> <%= command.id %> --from postgres://daybook@db.example.org/ledger --to /var/lib/daybook/back.db',
  ]
  static override flags = {
    from: string({ required: true, description: 'The ledger: a file, or an address.', helpValue: '<ledger>' }),
    to: string({
      required: true,
      description: 'The new place: a new file, or an empty database.',
      helpValue: '<ledger>',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(LedgerCopy)
    const from = readLocalSettings({ db: flags.from }, this.sources, '--from')
    const to = readLocalSettings({ db: flags.to }, this.sources, '--to')
    const { copyLedger } = await import('../../runtime/transfer/copy-ledger.js')
    const progress = new Progress(process.stderr)
    const format = (count: number) => count.toLocaleString('en')
    const copied = await copyLedger(
      { from, to },
      {
        onProgress: ({ events, left, through }) => {
          const upTo = through === null ? '' : `, up to ${through}`
          progress.show(`Copying: ${format(events)} events${upTo}, ${format(left)} left …`)
        },
        onStep: step => progress.show(step === 'comparing' ? 'Comparing …' : 'Stopping changes of the old ledger …'),
      },
    ).finally(() => progress.end())
    if (flags.json || !this.output.isTerminal) return this.printJson(copied)
    const { copiedText } = await import('../../cli/views/postgres-ledger.js')
    await this.output.print(copiedText(copied))
  }
}
