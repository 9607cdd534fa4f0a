import { BoardCommand, EXECUTOR_TOKEN_FLAG, shownExecutorToken } from '../../../cli/base/board-command.js'

export default class BoardExecutorResume extends BoardCommand {
  static override summary = 'Starts runs again. Needs the executor token.'
  static override flags = { ...EXECUTOR_TOKEN_FLAG }

  async run(): Promise<void> {
    const { flags } = await this.parse(BoardExecutorResume)
    const executorToken = await shownExecutorToken(flags, this.sources)
    const answer = await this.client(flags).switchExecutor('resume', { executorToken })
    await this.show(answer, flags, async () => (await import('../../../cli/views/runs.js')).executorCard)
  }
}
