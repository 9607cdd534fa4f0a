import { string as argument } from '@oclif/core/args'
import { LedgerCommand } from '../../cli/base/ledger-command.js'
import { BY_NAME } from '../../cli/formats/output-options.js'

export default class ConsumersShow extends LedgerCommand {
  static override summary = 'Shows one consumer.'
  static override args = {
    name: argument({ required: true, ignoreStdin: true, description: 'Name of the consumer.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ConsumersShow)
    const load = async () => (await import('../../cli/views/consumers.js')).consumerCard
    await this.show(await this.client(flags).consumer(args.name), flags, load, BY_NAME)
  }
}
