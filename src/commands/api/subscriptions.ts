import { LedgerCommand } from '../../cli/base/ledger-command.js'
import { listAllSubscriptions } from '../../client/all-pages.js'

export default class ApiSubscriptions extends LedgerCommand {
  static override summary = 'Lists subscriptions.'

  async run(): Promise<void> {
    const { flags } = await this.parse(ApiSubscriptions)
    const answer = await listAllSubscriptions(this.client(flags))
    await this.show(answer, flags, async () => (await import('../../cli/views/subscriptions.js')).subscriptionTable)
  }
}
