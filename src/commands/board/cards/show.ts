import { string } from '@oclif/core/args'
import { BoardCommand } from '../../../cli/base/board-command.js'

export default class BoardCardsShow extends BoardCommand {
  static override summary = 'Shows one card.'
  static override args = {
    id: string({ required: true, ignoreStdin: true, description: 'Id, as printed by `board cards list`.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BoardCardsShow)
    const answer = await this.client(flags).card(args.id)
    await this.show(answer, flags, async () => (await import('../../../cli/views/cards.js')).boardCard)
  }
}
