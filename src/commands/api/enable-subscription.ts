import { string } from '@oclif/core/args'
import { LedgerCommand } from '../../cli/base/ledger-command.js'

export default class ApiEnableSubscription extends LedgerCommand {
  static override summary = 'Enables a subscription: it matches and captures again.'
  static override args = {
    id: string({ required: true, ignoreStdin: true, description: 'Id, as printed by `api subscriptions`.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ApiEnableSubscription)
    const answer = await this.client(flags).switchSubscription(args.id, true)
    const load = async () => (await import('../../cli/views/subscriptions.js')).savedSubscriptionCard
    await this.show(answer, flags, load, { name: 'subscription.id' })
  }
}
