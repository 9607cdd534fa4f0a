import { BoardCommand, EXECUTOR_TOKEN_FLAG, shownExecutorToken } from '../../../cli/base/board-command.js'

export default class BoardExecutorPause extends BoardCommand {
  static override summary =
    'Starts no further runs, also after a restart. The current run continues. Needs the executor token.'
  static override flags = { ...EXECUTOR_TOKEN_FLAG }

  async run(): Promise<void> {
    const { flags } = await this.parse(BoardExecutorPause)
    const executorToken = await shownExecutorToken(flags, this.sources)
    const answer = await this.client(flags).switchExecutor('pause', { executorToken })
    await this.show(answer, flags, async () => (await import('../../../cli/views/runs.js')).executorCard)
  }
}
