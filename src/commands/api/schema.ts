import { option } from '@oclif/core/args'
import { LedgerCommand } from '../../cli/base/ledger-command.js'

export default class ApiSchema extends LedgerCommand {
  static override summary = 'Prints the JSON Schema of events or of subscriptions.'
  static override args = {
    name: option({ options: ['event', 'subscription'] as const, description: 'Which schema.' })({
      required: true,
      ignoreStdin: true,
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ApiSchema)
    const answer = await this.client(flags).schema(args.name)
    await this.show(answer, flags, async () => (await import('../../cli/terminal/text.js')).prettyJson)
  }
}
