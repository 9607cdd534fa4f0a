import { string } from '@oclif/core/flags'
import { LedgerCommand } from '../../cli/base/ledger-command.js'
import { termsOf, tokenTermFlags } from '../../cli/token-terms.js'
import { getUserId } from '../../client/user-id.js'

export default class TokensIssue extends LedgerCommand {
  static override summary = 'Issues an API token for you, and shows it once.'
  static override description = [
    'The ledger keeps only its digest. A user has at most 20 tokens; issuing another revokes the oldest. With --may write the',
    'token may only record events of the sources that --source names; with --may read it changes nothing.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> --name dashboard --may read --days 90',
    '<%= config.bin %> <%= command.id %> --may write --source ci',
  ]
  static override flags = {
    ...tokenTermFlags(),
    user: string({ description: 'For this user, by name or id; for admins.', helpValue: '<user>' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(TokensIssue)
    const terms = termsOf(flags)
    const client = this.client(flags)
    const userId = await getUserId(client, flags.user)
    const answer = await client.issueToken(userId, JSON.stringify(terms))
    const load = async () => (await import('../../cli/views/users.js')).issuedTokenCard(flags.user)
    await this.show(answer, flags, load)
  }
}
