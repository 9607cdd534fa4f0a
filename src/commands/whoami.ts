import { LedgerCommand } from '../cli/base/ledger-command.js'

export default class Whoami extends LedgerCommand {
  static override summary = 'Shows which ledger commands use, and who you are logged in as.'

  async run(): Promise<void> {
    const { flags } = await this.parse(Whoami)
    const client = this.client(flags)
    const answer = await client.session()
    const { csrf_token: _, ...session } = Object(answer.json())
    const load = async () => (await import('../cli/views/users.js')).sessionCard
    await this.showValue({ api_url: client.name, ...session }, flags, load, { name: 'user.username' })
  }
}
