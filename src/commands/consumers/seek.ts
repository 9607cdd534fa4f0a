import { string as argument } from '@oclif/core/args'
import { boolean } from '@oclif/core/flags'
import { LedgerCommand } from '../../cli/base/ledger-command.js'
import { BY_NAME } from '../../cli/formats/output-options.js'
import { readTime } from '../../cli/input/time-expression.js'

const POSITIONS = ['beginning', 'now', 'same']

export default class ConsumersSeek extends LedgerCommand {
  static override summary = 'Sets where a consumer continues.'
  static override description = [
    'The instance that reads receives events from there. "same" is the checkpoint that the consumer has: in a ledger that was',
    'restored, this continues without missing an event.',
  ].join(' ')
  static override args = {
    name: argument({ required: true, ignoreStdin: true, description: 'Name of the consumer.' }),
    to: argument({
      required: true,
      ignoreStdin: true,
      description: 'beginning, now, same, or a time such as 1h, yesterday, 2026-11-20.',
    }),
  }
  static override flags = {
    after: boolean({ description: 'The time is a checkpoint: continue with the first event after it.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ConsumersSeek)
    const place = POSITIONS.includes(args.to) ? { position: args.to } : placeAt(args.to, flags)
    const answer = await this.client(flags).seekConsumer(args.name, JSON.stringify(place))
    await this.show(answer, flags, async () => (await import('../../cli/views/consumers.js')).consumerCard, BY_NAME)
  }
}

function placeAt(text: string, { after, local }: { after: boolean; local: boolean }) {
  const time = readTime('The place', text, { isLocal: local })
  return after ? { since: time } : { from: time }
}
