import { LedgerCommand } from '../../cli/base/ledger-command.js'

export default class ApiSession extends LedgerCommand {
  static override summary = 'Shows who you are logged in as, and whether the ledger needs a login.'

  async run(): Promise<void> {
    const { flags } = await this.parse(ApiSession)
    const answer = await this.client(flags).session()
    await this.show(answer, flags, async () => (await import('../../cli/views/users.js')).sessionCard)
  }
}
