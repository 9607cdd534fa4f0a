import { boolean, string } from '@oclif/core/flags'
import { ResultCommand } from '../../cli/base/daybook-command.js'
import { EXIT_DEFECT } from '../../cli/exit-codes.js'
import { readLocalSettings } from '../../settings/local-settings.js'

export default class LedgerStatus extends ResultCommand {
  static override summary = "Shows this machine's ledger: file, owner, schema, counts, size."
  static override description = 'Asks the running server; without a server, opens the file itself.'
  static override flags = {
    db: string({
      description: 'Database file; else EVENT_DB, else event/events.db in the home folder.',
      helpValue: '<file>',
    }),
    check: boolean({ description: 'Check the whole file, which takes a while. No server may be running.' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(LedgerStatus)
    const settings = readLocalSettings({ db: flags.db }, this.sources)
    const { ledgerStatus } = await import('../../runtime/ledger-status.js')
    const status = await ledgerStatus(settings, { check: flags.check })
    const load = async () => (await import('../../cli/views/ledger.js')).ledgerStatusCard
    await this.showValue(status, flags, load, { name: 'database' })
    if (status.problems?.length) process.exitCode = EXIT_DEFECT
  }
}
