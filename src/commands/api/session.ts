import { LedgerCommand } from '../../cli/ledger-command.js'

export default class ApiSession extends LedgerCommand {
  static override summary = 'Says who one is to the ledger, and whether it asks for a login.'

  async run(): Promise<void> {
    const { flags } = await this.parse(ApiSession)
    const answer = await this.client(flags).session()
    await this.show(answer, flags, async () => (await import('../../cli/session-card.js')).sessionCard)
  }
}
