import { string } from '@oclif/core/args'
import { LedgerCommand } from '../../cli/base/ledger-command.js'
import { readSmallInput } from '../../cli/input/read-input.js'

/** Maximum size that the ledger accepts. */
const MAX_BYTES = 64 * 1024

export default class ApiSaveSubscription extends LedgerCommand {
  static override summary = 'Creates a subscription, or updates the one with its id.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> subscription.json',
    'echo \'{"id":"engine-issues","source":"code_a","target":"repo:ada/engine","event_kinds":["issue.*"]}\' | <%= config.bin %> <%= command.id %> -',
  ]
  static override args = {
    file: string({ required: true, ignoreStdin: true, description: 'A subscription as JSON; - for standard input.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ApiSaveSubscription)
    const client = this.client(flags)
    const answer = await client.saveSubscription(await readSmallInput(args.file, MAX_BYTES))
    await this.show(
      answer,
      flags,
      async () => (await import('../../cli/views/subscriptions.js')).savedSubscriptionCard,
      {
        name: 'subscription.id',
      },
    )
  }
}
