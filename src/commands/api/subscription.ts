import { string } from '@oclif/core/args'
import { LedgerCommand } from '../../cli/base/ledger-command.js'

export default class ApiSubscription extends LedgerCommand {
  static override summary = 'Shows one subscription.'
  static override args = {
    id: string({ required: true, ignoreStdin: true, description: 'Id, as printed by `api subscriptions`.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ApiSubscription)
    const answer = await this.client(flags).subscription(args.id)
    await this.show(answer, flags, async () => (await import('../../cli/views/subscriptions.js')).subscriptionCard)
  }
}
