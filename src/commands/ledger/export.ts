import { string } from '@oclif/core/args'
import { boolean, string as text } from '@oclif/core/flags'
import { DaybookCommand } from '../../cli/base/daybook-command.js'
import { toCompleteOutput } from '../../cli/complete-output.js'
import { Progress } from '../../cli/terminal/progress.js'
import { AppError } from '../../model/app-error.js'
import { readLocalSettings } from '../../settings/local-settings.js'

export default class LedgerExport extends DaybookCommand {
  static override summary =
    'Writes the whole ledger as JSON lines, from which `ledger import` makes the same ledger again.'
  static override description = [
    'A running server sends the lines while it keeps serving; without a server, this command opens the file itself. The file',
    'has its name only when it is complete. If the export is interrupted, the same command continues it. The command never',
    'overwrites a file.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> /var/backups/ledger.jsonl.gz --with-accounts',
    '<%= config.bin %> <%= command.id %> - | zstd > ledger.jsonl.zst',
    '<%= config.bin %> <%= command.id %> events.csv --csv',
  ]
  static override args = {
    file: string({
      required: true,
      ignoreStdin: true,
      description: 'Path of a new file; with .gz at its end, compressed. -: standard output.',
    }),
  }
  static override flags = {
    db: text({
      description: 'Database file; else EVENT_DB, else event/events.db in the home folder.',
      helpValue: '<file>',
    }),
    since: text({
      description: 'A part: only events captured after this instant. It can only be merged into another ledger.',
      helpValue: '<captured_at>',
    }),
    'with-accounts': boolean({
      description: 'Also write users, password hashes and digests of tokens. Keep such a file as secret as the ledger.',
    }),
    csv: boolean({
      description: 'Write a table for people instead, as the page does: events without payloads.',
      exclusive: ['with-accounts'],
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LedgerExport)
    const settings = readLocalSettings({ db: flags.db }, this.sources)
    const isStream = args.file === '-'
    if (isStream && flags.json) {
      throw new AppError('invalid', 'wrong_usage', 'Standard output cannot have both the export and JSON.', {
        hint: 'Name a file.',
      })
    }
    const progress = new Progress(process.stderr)
    const onProgress = ({ events, through, head }: { events: number; through: string | null; head: string | null }) => {
      const upTo = through === null ? '' : `, up to ${through} of ${head}`
      progress.show(`Exporting: ${events.toLocaleString('en')} events${upTo} …`)
    }
    const options = { since: flags.since, accounts: flags['with-accounts'] ?? false, onProgress }
    const file = isStream ? process.stdout : args.file
    try {
      const exported = await toCompleteOutput(async () =>
        flags.csv
          ? (await import('../../runtime/transfer/export-table.js')).exportTable(settings, file, options)
          : (await import('../../runtime/transfer/export-ledger.js')).exportLedger(settings, file, options),
      )
      progress.end()
      if (isStream) return
      if (flags.json || !this.output.isTerminal) return await this.printJson(exported)
      const { exportedText } = await import('../../cli/views/ledger-copies.js')
      await this.output.print(exportedText(exported))
    } finally {
      progress.end()
    }
  }
}
