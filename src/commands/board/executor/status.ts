import { BoardCommand, EXECUTOR_TOKEN_FLAG, shownExecutorToken } from '../../../cli/base/board-command.js'

export default class BoardExecutorStatus extends BoardCommand {
  static override summary = 'Shows whether the executor starts runs, and what it runs now.'
  static override flags = { ...EXECUTOR_TOKEN_FLAG }

  async run(): Promise<void> {
    const { flags } = await this.parse(BoardExecutorStatus)
    const executorToken = await shownExecutorToken(flags, this.sources)
    const answer = await this.client(flags).executor({ executorToken })
    await this.show(answer, flags, async () => (await import('../../../cli/views/runs.js')).executorCard)
  }
}
