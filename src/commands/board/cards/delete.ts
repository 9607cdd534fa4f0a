import { string } from '@oclif/core/args'
import { integer } from '@oclif/core/flags'
import { BoardCommand } from '../../../cli/base/board-command.js'
import { toTerminalLine } from '../../../cli/terminal/text.js'

export default class BoardCardsDelete extends BoardCommand {
  static override summary = 'Deletes a card. Its history and its runs stay.'
  static override args = {
    id: string({ required: true, ignoreStdin: true, description: 'Id, as printed by `board cards list`.' }),
  }
  static override flags = {
    'if-version': integer({
      description: 'Delete only if the card still has this version.',
      helpValue: '<n>',
      min: 1,
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BoardCardsDelete)
    const { 'if-version': version } = flags
    await this.client(flags).deleteCard(args.id, version === undefined ? {} : { version })
    await this.confirm(`Deleted card ${toTerminalLine(args.id)}.`, flags)
  }
}
