import { LedgerCommand } from '../../cli/base/ledger-command.js'

export default class ApiPlatforms extends LedgerCommand {
  static override summary = 'Lists the platforms: webhooks, event kinds, and how targets are written.'

  async run(): Promise<void> {
    const { flags } = await this.parse(ApiPlatforms)
    const answer = await this.client(flags).platforms()
    await this.show(answer, flags, async () => (await import('../../cli/views/platforms.js')).platformCards, {
      name: 'source',
    })
  }
}
