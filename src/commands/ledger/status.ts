import { boolean, string } from '@oclif/core/flags'
import { DaybookCommand } from '../../cli/base/daybook-command.js'
import { EXIT_DEFECT } from '../../cli/exit-codes.js'
import { readLocalSettings } from '../../settings/local-settings.js'

export default class LedgerStatus extends DaybookCommand {
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
    if (this.output.isTerminal && !flags.json) {
      const { ledgerStatusCard } = await import('../../cli/views/ledger.js')
      await this.output.print(ledgerStatusCard(status, await this.style()))
    } else {
      await this.output.print(JSON.stringify(status))
    }
    if (status.problems?.length) process.exitCode = EXIT_DEFECT
  }
}
