import { LedgerCommand } from '../../cli/base/ledger-command.js'
import { reportHealth } from '../../cli/health-probe.js'

export default class ApiHealth extends LedgerCommand {
  static override summary = 'Shows whether the ledger can record, and its database.'

  async run(): Promise<void> {
    const { flags } = await this.parse(ApiHealth)
    await reportHealth(this.results, flags)
  }
}
