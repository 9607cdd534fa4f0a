import { string } from '@oclif/core/args'
import { BoardCommand, EXECUTOR_TOKEN_FLAG, shownExecutorToken } from '../../../cli/base/board-command.js'

export default class BoardRunsCancel extends BoardCommand {
  static override summary = 'Cancels a run and ends all its processes. Needs the executor token.'
  static override args = {
    id: string({ required: true, ignoreStdin: true, description: 'Id, as printed by `board runs list`.' }),
  }
  static override flags = { ...EXECUTOR_TOKEN_FLAG }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BoardRunsCancel)
    const executorToken = await shownExecutorToken(flags, this.sources)
    const answer = await this.client(flags).cancelRun(args.id, { executorToken })
    await this.show(answer, flags, async () => (await import('../../../cli/views/runs.js')).runCard)
  }
}
