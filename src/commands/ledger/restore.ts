import { string } from '@oclif/core/args'
import { string as text } from '@oclif/core/flags'
import { DaybookCommand } from '../../cli/base/daybook-command.js'
import { readLocalSettings } from '../../settings/local-settings.js'

export default class LedgerRestore extends DaybookCommand {
  static override summary = 'Replaces the ledger with a backup, or restores it to a new place.'
  static override description = [
    'No server may be running. The backup is checked first. The replaced ledger is kept next to the restored one, as',
    'another name. The restored ledger has a new epoch, so that consumers notice that events may be missing.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> /var/backups/ledger.db.gz',
    '<%= config.bin %> <%= command.id %> /var/backups/ledger.db --db /tmp/look/events.db',
  ]
  static override args = {
    file: string({ required: true, ignoreStdin: true, description: 'A backup, compressed or not.' }),
  }
  static override flags = {
    db: text({
      description: 'Database file; else EVENT_DB, else event/events.db in the home folder.',
      helpValue: '<file>',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LedgerRestore)
    const settings = readLocalSettings({ db: flags.db }, this.sources)
    const { restoreLedger } = await import('../../runtime/backup/restore-ledger.js')
    const restored = await restoreLedger(settings, args.file)
    if (flags.json || !this.output.isTerminal) return this.printJson(restored)
    const { restoredText } = await import('../../cli/views/ledger.js')
    await this.output.print(restoredText(restored))
  }
}
