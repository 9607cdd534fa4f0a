import { LedgerCommand } from '../../cli/ledger-command.js'

export default class ApiHealth extends LedgerCommand {
  static override summary = 'Says whether the ledger can record, and which database it keeps.'

  async run(): Promise<void> {
    const { flags } = await this.parse(ApiHealth)
    const answer = await this.client(flags).health()
    await this.show(answer, flags, async () => (await import('../../cli/health-card.js')).healthCard)
    if (answer.status === 503) process.exitCode = (await import('../../cli/exit-codes.js')).EXIT_TRY_AGAIN
  }
}
