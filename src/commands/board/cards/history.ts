import { string } from '@oclif/core/args'
import { integer } from '@oclif/core/flags'
import { BoardCommand } from '../../../cli/base/board-command.js'
import { HISTORY_LIMITS } from '../../../model/board/card-history.js'

export default class BoardCardsHistory extends BoardCommand {
  static override summary = 'Lists what was done with a card, by whom, newest first.'
  static override description = 'Also of a deleted card.'
  static override args = {
    id: string({ required: true, ignoreStdin: true, description: 'Id, as printed by `board cards list`.' }),
  }
  static override flags = {
    limit: integer({
      char: 'n',
      description: 'Entries, up to 500.',
      min: 1,
      max: HISTORY_LIMITS.pageSize.max,
      default: HISTORY_LIMITS.pageSize.default,
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BoardCardsHistory)
    const answer = await this.client(flags).cardHistory(args.id, flags.limit)
    await this.show(answer, flags, async () => (await import('../../../cli/views/cards.js')).cardHistoryTable, {
      name: 'at',
    })
  }
}
