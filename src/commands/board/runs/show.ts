import { string } from '@oclif/core/args'
import { BoardCommand } from '../../../cli/base/board-command.js'

export default class BoardRunsShow extends BoardCommand {
  static override summary = 'Shows one run.'
  static override args = {
    id: string({ required: true, ignoreStdin: true, description: 'Id, as printed by `board runs list`.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BoardRunsShow)
    const answer = await this.client(flags).run(args.id)
    await this.show(answer, flags, async () => (await import('../../../cli/views/runs.js')).runCard)
  }
}
