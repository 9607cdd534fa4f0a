import { LedgerCommand } from '../../cli/base/ledger-command.js'

export default class PlatformsList extends LedgerCommand {
  static override summary = 'Lists the platforms of a ledger, and whether the webhook of each has a secret.'

  async run(): Promise<void> {
    const { flags } = await this.parse(PlatformsList)
    const answer = await this.client(flags).platforms()
    const load = async () => (await import('../../cli/views/platforms.js')).platformTable
    await this.show(answer, flags, load, { name: 'source' })
  }
}
