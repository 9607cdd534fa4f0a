import { string } from '@oclif/core/args'
import { boolean, string as text } from '@oclif/core/flags'
import { DaybookCommand } from '../../cli/base/daybook-command.js'
import { isReadableAgain, readInput } from '../../cli/input/read-input.js'
import { Progress } from '../../cli/terminal/progress.js'
import { readLocalSettings } from '../../settings/local-settings.js'

const PROGRESS_LINES = 500

export default class LedgerImport extends DaybookCommand {
  static override summary = 'Makes a ledger from an export, or records what is missing in another one.'
  static override description = [
    'A new ledger becomes identical: the same events, instants, counts and digests, which are compared at the end. Its epoch',
    'is new, so that consumers notice it. With --merge, a ledger records the events that it does not have, as new ones. No',
    'server may have the ledger open. If the import is interrupted, the same command continues it.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> /var/backups/ledger.jsonl.gz --db /srv/new/events.db',
    '<%= config.bin %> <%= command.id %> old.jsonl --merge',
  ]
  static override args = {
    file: string({
      required: true,
      ignoreStdin: true,
      description: 'An export, compressed or not. -: standard input.',
    }),
  }
  static override flags = {
    db: text({
      description: 'Database file; else EVENT_DB, else event/events.db in the home folder.',
      helpValue: '<file>',
    }),
    merge: boolean({ description: 'Record the events that the ledger does not have, with captured_at of now.' }),
    'keep-epoch': boolean({
      description:
        'The exported ledger was stopped before the export and is not used any more: consumers continue here.',
      exclusive: ['merge'],
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LedgerImport)
    const settings = readLocalSettings({ db: flags.db }, this.sources)
    const { importLedger } = await import('../../runtime/transfer/import-ledger.js')
    const progress = new Progress(process.stderr)
    const onProgress = ({ lines }: { lines: number }) => {
      if (lines % PROGRESS_LINES === 0) progress.show(`Importing: ${lines.toLocaleString('en')} lines …`)
    }
    const options = {
      merge: flags.merge ?? false,
      keepEpoch: flags['keep-epoch'] ?? false,
      readAgain: (await isReadableAgain(args.file)) ? () => readInput(args.file) : undefined,
      onProgress,
    }
    const imported = await importLedger(settings, readInput(args.file), options).finally(() => progress.end())
    if (flags.json || !this.output.isTerminal) return this.printJson(imported)
    const { importedText } = await import('../../cli/views/ledger-copies.js')
    await this.output.print(importedText(imported))
  }
}
