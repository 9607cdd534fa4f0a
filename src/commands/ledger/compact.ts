import { string } from '@oclif/core/flags'
import { DaybookCommand } from '../../cli/base/daybook-command.js'
import { readLocalSettings } from '../../settings/local-settings.js'

export default class LedgerCompact extends DaybookCommand {
  static override summary = 'Rebuilds the file of the ledger without unused space.'
  static override description = [
    'No server may be running. New files give unused space back while they are served, so only the file of an older release',
    'needs it: once. Unused space then has no traces of what was erased. It needs as much free space as the ledger has, twice.',
  ].join(' ')
  static override examples = ['<%= config.bin %> <%= command.id %>']
  static override flags = {
    db: string({
      description: 'Database file; else EVENT_DB, else event/events.db in the home folder.',
      helpValue: '<file>',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(LedgerCompact)
    const settings = readLocalSettings({ db: flags.db }, this.sources)
    const { compactLedger } = await import('../../runtime/compact-ledger.js')
    const compacted = await compactLedger(settings)
    if (flags.json || !this.output.isTerminal) return this.printJson(compacted)
    const { compactedText } = await import('../../cli/views/ledger.js')
    await this.output.print(compactedText(compacted))
  }
}
