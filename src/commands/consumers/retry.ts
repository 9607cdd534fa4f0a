import { string as argument } from '@oclif/core/args'
import { LedgerCommand } from '../../cli/base/ledger-command.js'

export default class ConsumersRetry extends LedgerCommand {
  static override summary = 'Requests redelivery of the dead letters of a consumer: all, or one.'
  static override args = {
    name: argument({ required: true, ignoreStdin: true, description: 'Name of the consumer.' }),
    id: argument({ ignoreStdin: true, description: 'Id of one, as printed by `consumers dead-letters`.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ConsumersRetry)
    const answer = await this.client(flags).retryDeadLetters(args.name, args.id)
    await this.show(answer, flags, async () => done => `Delivered again: ${Reflect.get(Object(done), 'retrying')}.`)
  }
}
