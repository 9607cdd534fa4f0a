import { string } from '@oclif/core/args'
import { integer } from '@oclif/core/flags'
import { BoardCommand } from '../../../cli/base/board-command.js'

export default class BoardCardsMove extends BoardCommand {
  static override summary = 'Moves a card to a column, by default to its end.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> card_1f2e3d4c5b6a7988 doing',
    '<%= config.bin %> <%= command.id %> card_1f2e3d4c5b6a7988 doing --position 0 --if-version 3',
  ]
  static override args = {
    id: string({ required: true, ignoreStdin: true, description: 'Id, as printed by `board cards list`.' }),
    column: string({ required: true, ignoreStdin: true, description: 'Target column.' }),
  }
  static override flags = {
    position: integer({ description: 'Position in the column, from 0.', helpValue: '<n>', min: 0 }),
    'if-version': integer({
      description: 'Move only if the card still has this version.',
      helpValue: '<n>',
      min: 1,
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BoardCardsMove)
    const { position, 'if-version': version } = flags
    // Without a position, a card already in that column would not move.
    const json = JSON.stringify({ column: args.column, position: position ?? BEYOND_EVERY_END })
    const answer = await this.client(flags).updateCard(args.id, json, version === undefined ? {} : { version })
    await this.show(answer, flags, async () => (await import('../../../cli/views/cards.js')).boardCard)
  }
}

/** More cards than any board has. */
const BEYOND_EVERY_END = 1_000_000
