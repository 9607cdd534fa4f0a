import { string } from '@oclif/core/flags'
import { LedgerCommand } from '../../cli/base/ledger-command.js'
import { getUserId } from '../../client/user-id.js'

export default class TokensList extends LedgerCommand {
  static override summary = 'Lists your API tokens by prefix.'
  static override flags = {
    user: string({ description: 'Of this user, by name or id; for admins.', helpValue: '<user>' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(TokensList)
    const client = this.client(flags)
    const answer = await client.tokens(await getUserId(client, flags.user))
    await this.show(answer, flags, async () => (await import('../../cli/views/users.js')).tokenTable)
  }
}
