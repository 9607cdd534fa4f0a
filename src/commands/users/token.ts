import { string } from '@oclif/core/args'
import { boolean, string as text } from '@oclif/core/flags'
import { toTerminalLine } from '../../cli/terminal-text.js'
import { UsersCommand, type UsersFlags } from '../../cli/users-command.js'
import type { ManagedUsers } from '../../runtime/managed-users.js'

export default class UsersToken extends UsersCommand {
  static override summary = "Issues an API token for a user and shows it once; or lists or revokes the user's tokens."
  static override description = [
    'Nobody can be shown a token again: the ledger keeps its digest alone. A user has 20 at most; with one more, the oldest',
    'is revoked.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> ada',
    '<%= config.bin %> <%= command.id %> ada --list',
    '<%= config.bin %> <%= command.id %> ada --revoke <id>',
  ]
  static override args = {
    user: string({ required: true, ignoreStdin: true, description: 'Username or id.' }),
  }
  static override flags = {
    list: boolean({ description: 'List its tokens, by what they begin with.', exclusive: ['revoke', 'revoke-all'] }),
    revoke: text({ description: 'Revoke one, by its id.', helpValue: '<id>', exclusive: ['revoke-all'] }),
    'revoke-all': boolean({ description: 'Revoke all of them.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UsersToken)
    if (flags.list) return this.list(args.user, flags)
    if (flags.revoke !== undefined) return this.revoke(args.user, flags.revoke, flags)
    if (flags['revoke-all']) return this.revokeAll(args.user, flags)
    await this.issue(args.user, flags)
  }

  private async issue(named: string, flags: UsersFlags): Promise<void> {
    const { user, token } = await this.manage(flags, users => users.issueToken(named))
    const load = async () => (await import('../../cli/issued-token-card.js')).issuedTokenCard(user.username)
    await this.show(token, flags, load)
  }

  private async list(named: string, flags: UsersFlags): Promise<void> {
    const items = await this.manage(flags, users => users.listTokens(named))
    const load = async () => (await import('../../cli/token-table.js')).tokenTable
    await this.show({ items, count: items.length }, flags, load)
  }

  private async revoke(named: string, tokenId: string, flags: UsersFlags): Promise<void> {
    await this.manage(flags, users => users.revokeToken(named, tokenId))
    await this.tell(`Revoked token ${toTerminalLine(tokenId)}.`, flags)
  }

  private async revokeAll(named: string, flags: UsersFlags): Promise<void> {
    await this.manage(flags, users => users.revokeTokens(named))
    await this.tell(`Revoked all tokens of ${toTerminalLine(named)}.`, flags)
  }

  private async manage<Result>(flags: UsersFlags, work: (users: ManagedUsers) => Promise<Result>): Promise<Result> {
    const settings = this.settings(flags)
    const { manageUsers } = await import('../../runtime/manage-users.js')
    return manageUsers(settings, work)
  }
}
