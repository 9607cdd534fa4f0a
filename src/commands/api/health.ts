import { LedgerCommand } from '../../cli/ledger-command.js'
import { reportHealth } from '../../cli/report-health.js'

export default class ApiHealth extends LedgerCommand {
  static override summary = 'Says whether the ledger can record, and which database it keeps.'

  async run(): Promise<void> {
    const { flags } = await this.parse(ApiHealth)
    await reportHealth(this.caller, flags)
  }
}
