import { string as argument } from '@oclif/core/args'
import { boolean, string } from '@oclif/core/flags'
import { LedgerCommand } from '../../cli/base/ledger-command.js'

export default class ConsumersDeadLetters extends LedgerCommand {
  static override summary = 'Lists the events that a consumer gave up, or deletes them.'
  static override args = {
    name: argument({ required: true, ignoreStdin: true, description: 'Name of the consumer.' }),
  }
  static override flags = {
    limit: string({
      char: 'n',
      description: 'How many, 1 to 500.',
      helpValue: '<n>',
      exclusive: ['delete', 'delete-all'],
    }),
    after: string({ description: 'After this id.', helpValue: '<id>', exclusive: ['delete', 'delete-all'] }),
    delete: string({ description: 'Delete one, by its id.', helpValue: '<id>', exclusive: ['delete-all'] }),
    'delete-all': boolean({ description: 'Delete all of them.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ConsumersDeadLetters)
    const client = this.client(flags)
    if (flags.delete !== undefined || flags['delete-all']) {
      const answer = await client.deleteDeadLetters(args.name, flags.delete)
      return this.show(answer, flags, async () => deleted => `Deleted: ${Reflect.get(Object(deleted), 'deleted')}.`)
    }
    const { limit, after } = flags
    const page = { ...(limit === undefined ? {} : { limit }), ...(after === undefined ? {} : { after }) }
    const load = async () => (await import('../../cli/views/consumers.js')).deadLetterTable
    await this.show(await client.deadLetters(args.name, page), flags, load)
  }
}
