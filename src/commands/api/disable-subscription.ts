import { string } from '@oclif/core/args'
import { LedgerCommand } from '../../cli/base/ledger-command.js'

export default class ApiDisableSubscription extends LedgerCommand {
  static override summary = 'Disables a subscription: it matches nothing until it is enabled again.'
  static override args = {
    id: string({ required: true, ignoreStdin: true, description: 'Id, as printed by `api subscriptions`.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ApiDisableSubscription)
    const answer = await this.client(flags).switchSubscription(args.id, false)
    const load = async () => (await import('../../cli/views/subscriptions.js')).savedSubscriptionCard
    await this.show(answer, flags, load, { name: 'subscription.id' })
  }
}
