import { string } from '@oclif/core/flags'
import { BoardCommand } from '../../../cli/base/board-command.js'
import { listAllCards } from '../../../client/all-pages.js'

export default class BoardCardsList extends BoardCommand {
  static override summary = 'Lists the cards of the board.'
  static override examples = ['<%= config.bin %> <%= command.id %> --assignee ada --column doing']
  static override flags = {
    column: string({ description: 'Only cards in this column.', helpValue: '<column>' }),
    label: string({ description: 'Only cards with this label.', helpValue: '<label>' }),
    assignee: string({ description: 'Only cards assigned to this person.', helpValue: '<name>' }),
    link: string({ description: 'Only cards linked to this event of the ledger.', helpValue: '<dedupe_key>' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(BoardCardsList)
    const { column, label, assignee, link } = flags
    const answer = await listAllCards(this.client(flags), { column, label, assignee, link })
    await this.show(answer, flags, async () => (await import('../../../cli/views/cards.js')).boardCardsTable)
  }
}
