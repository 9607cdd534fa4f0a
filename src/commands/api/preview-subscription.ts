import { string } from '@oclif/core/args'
import { LedgerCommand } from '../../cli/base/ledger-command.js'
import { readSmallInput } from '../../cli/input/read-input.js'
import { SUBSCRIPTION_LIMITS } from '../../model/subscriptions/subscription.js'

export default class ApiPreviewSubscription extends LedgerCommand {
  static override summary = 'Shows which events of the last days a subscription would have matched. Saves nothing.'
  static override examples = [
    'echo \'{"source":"code_a","target":"repo:ada/engine"}\' | <%= config.bin %> <%= command.id %> -',
  ]
  static override args = {
    file: string({ required: true, ignoreStdin: true, description: 'A subscription as JSON; - for standard input.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ApiPreviewSubscription)
    const client = this.client(flags)
    const answer = await client.previewSubscription(await readSmallInput(args.file, SUBSCRIPTION_LIMITS.bytes))
    await this.show(answer, flags, async () => (await import('../../cli/views/subscriptions.js')).previewText)
  }
}
