import { string as argument } from '@oclif/core/args'
import { boolean } from '@oclif/core/flags'
import { LedgerCommand } from '../../cli/base/ledger-command.js'

const POSITIONS = ['beginning', 'now', 'same']

export default class ConsumersSeek extends LedgerCommand {
  static override summary = 'Sets where a consumer continues.'
  static override description = [
    'The instance that reads receives events from there. "same" is the checkpoint that the consumer has: in a ledger that was',
    'restored, this continues without missing an event.',
  ].join(' ')
  static override args = {
    name: argument({ required: true, ignoreStdin: true, description: 'Name of the consumer.' }),
    to: argument({ required: true, ignoreStdin: true, description: 'beginning, now, same, or a time.' }),
  }
  static override flags = {
    after: boolean({ description: 'The time is a checkpoint: continue with the first event after it.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ConsumersSeek)
    const time = flags.after ? { since: args.to } : { from: args.to }
    const place = POSITIONS.includes(args.to) ? { position: args.to } : time
    const answer = await this.client(flags).seekConsumer(args.name, JSON.stringify(place))
    await this.show(answer, flags, async () => (await import('../../cli/views/consumers.js')).consumerCard)
  }
}
