import { LedgerCommand } from '../../cli/base/ledger-command.js'

export default class ApiStats extends LedgerCommand {
  static override summary = 'Counts events, repeats and subscriptions, by source and by kind.'

  async run(): Promise<void> {
    const { flags } = await this.parse(ApiStats)
    const answer = await this.client(flags).stats()
    await this.show(answer, flags, async () => (await import('../../cli/views/ledger.js')).statsCard)
  }
}
