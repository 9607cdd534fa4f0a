import { string } from '@oclif/core/flags'
import { BoardCommand } from '../../../cli/base/board-command.js'
import { RUN_STATES } from '../../../model/board/run.js'

export default class BoardRunsList extends BoardCommand {
  static override summary = 'Lists runs of cards, newest first.'
  static override examples = ['<%= config.bin %> <%= command.id %> --state running']
  static override flags = {
    card: string({ description: 'Only runs of this card.', helpValue: '<card_id>' }),
    state: string({ description: 'Only runs in this state.', options: [...RUN_STATES] }),
    limit: string({ char: 'n', description: 'Runs per page, 1 to 500.', helpValue: '<n>' }),
    after: string({ description: '`next` of the previous page.', helpValue: '<n>' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(BoardRunsList)
    const { card: card_id, state, limit, after } = flags
    const answer = await this.client(flags).runs({ card_id, state, limit, after })
    await this.show(answer, flags, async () => (await import('../../../cli/views/runs.js')).runTable)
  }
}
