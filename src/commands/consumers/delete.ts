import { string as argument } from '@oclif/core/args'
import { LedgerCommand } from '../../cli/base/ledger-command.js'
import { toTerminalLine } from '../../cli/terminal/text.js'

export default class ConsumersDelete extends LedgerCommand {
  static override summary = 'Deletes a consumer with its checkpoint and dead letters. Events stay.'
  static override args = {
    name: argument({ required: true, ignoreStdin: true, description: 'Name of the consumer.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ConsumersDelete)
    await this.client(flags).deleteConsumer(args.name)
    await this.confirm(`Deleted consumer ${toTerminalLine(args.name)}.`, flags)
  }
}
