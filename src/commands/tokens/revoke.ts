import { string as argument } from '@oclif/core/args'
import { boolean, string } from '@oclif/core/flags'
import { LedgerCommand } from '../../cli/base/ledger-command.js'
import { toTerminalLine } from '../../cli/terminal/text.js'
import { getUserId } from '../../client/user-id.js'
import { AppError } from '../../model/app-error.js'

export default class TokensRevoke extends LedgerCommand {
  static override summary = 'Revokes one of your API tokens, or all of them.'
  static override args = {
    id: argument({ ignoreStdin: true, description: 'Id, as printed by `tokens list`.' }),
  }
  static override flags = {
    all: boolean({ description: 'Revoke all, also the one that this command uses.' }),
    user: string({ description: 'Of this user, by name or id; for admins.', helpValue: '<user>' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TokensRevoke)
    if ((args.id === undefined) !== (flags.all === true)) {
      throw new AppError('invalid', 'wrong_usage', 'Name one token, or use --all; not both.')
    }
    const client = this.client(flags)
    const userId = await getUserId(client, flags.user)
    if (args.id === undefined) await client.revokeTokens(userId)
    else await client.revokeToken(userId, args.id)
    await this.confirm(
      args.id === undefined ? 'Revoked all tokens.' : `Revoked token ${toTerminalLine(args.id)}.`,
      flags,
    )
  }
}
