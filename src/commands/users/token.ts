import { string } from '@oclif/core/args'
import { boolean, string as text } from '@oclif/core/flags'
import { UsersCommand, type UsersFlags } from '../../cli/base/users-command.js'
import { BY_ID } from '../../cli/formats/output-options.js'
import { toTerminalLine } from '../../cli/terminal/text.js'
import { type TermsFlags, termsOf, tokenTermFlags } from '../../cli/token-terms.js'
import type { UserAdministration } from '../../runtime/users/manage-users.js'

export default class UsersToken extends UsersCommand {
  static override summary = "Issues an API token for a user and shows it once; or lists or revokes the user's tokens."
  static override description = [
    'A token is shown once: the ledger keeps only its digest. A user has at most 20; issuing another revokes the oldest.',
    'With --may write the token may only record events of the sources that --source names, e.g. for a',
    'build server or a script; with --may read it changes nothing.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> ada',
    '<%= config.bin %> <%= command.id %> ada --name dashboard --may read --days 90',
    '<%= config.bin %> <%= command.id %> ada --may write --source ci',
    '<%= config.bin %> <%= command.id %> ada --list',
    '<%= config.bin %> <%= command.id %> ada --revoke <id>',
  ]
  static override args = {
    user: string({ required: true, ignoreStdin: true, description: 'Username or id.' }),
  }
  static override flags = {
    ...tokenTermFlags(['list', 'revoke', 'revoke-all']),
    list: boolean({ description: 'List its tokens by prefix.', exclusive: ['revoke', 'revoke-all'] }),
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

  private async issue(named: string, flags: UsersFlags & TermsFlags): Promise<void> {
    const terms = termsOf(flags)
    const { user, token } = await this.manage(flags, users => users.issueToken(named, terms))
    const load = async () => (await import('../../cli/views/users.js')).issuedTokenCard(user.username)
    await this.show(token, flags, load, BY_ID)
  }

  private async list(named: string, flags: UsersFlags): Promise<void> {
    const items = await this.manage(flags, users => users.listTokens(named))
    const load = async () => (await import('../../cli/views/users.js')).tokenTable
    await this.show({ items, count: items.length }, flags, load, BY_ID)
  }

  private async revoke(named: string, tokenId: string, flags: UsersFlags): Promise<void> {
    await this.manage(flags, users => users.revokeToken(named, tokenId))
    await this.confirm(`Revoked token ${toTerminalLine(tokenId)}.`, flags)
  }

  private async revokeAll(named: string, flags: UsersFlags): Promise<void> {
    await this.manage(flags, users => users.revokeTokens(named))
    await this.confirm(`Revoked all tokens of ${toTerminalLine(named)}.`, flags)
  }

  private async manage<Result>(
    flags: UsersFlags,
    work: (users: UserAdministration) => Promise<Result>,
  ): Promise<Result> {
    const settings = this.settings(flags)
    const { manageUsers } = await import('../../runtime/users/manage-users.js')
    return manageUsers(settings, work)
  }
}
