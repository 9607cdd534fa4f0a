import { string } from '@oclif/core/args'
import { boolean, string as text } from '@oclif/core/flags'
import { BoardCommand, EXECUTOR_TOKEN_FLAG, shownExecutorToken } from '../../../cli/base/board-command.js'
import { RUN_MODES } from '../../../model/board/run.js'

export default class BoardRunsStart extends BoardCommand {
  static override summary = 'Runs a card: for real, simulated, or only to show what would run.'
  static override description = [
    'A real run starts the command that the server is configured with, and needs the executor token. Runs are queued:',
    'one runs at a time. A dry run shows the command if the executor token is given. --follow prints the log until the run ends.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> card_1f2e3d4c5b6a7988 --mode dry_run',
    '<%= config.bin %> <%= command.id %> card_1f2e3d4c5b6a7988 --mode real --executor-token-file token --follow',
  ]
  static override args = {
    card_id: string({ required: true, ignoreStdin: true, description: 'Id, as printed by `board cards list`.' }),
  }
  static override flags = {
    mode: text({ description: 'Only real starts a process.', options: [...RUN_MODES], required: true }),
    follow: boolean({ char: 'f', description: 'Print the log until the run ends.' }),
    ...EXECUTOR_TOKEN_FLAG,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BoardRunsStart)
    const { mode } = flags
    const client = this.client(flags)
    // A dry run also sends the token, to show the real command.
    const executorToken = mode === 'mock' ? undefined : await shownExecutorToken(flags, this.sources)
    const answer = await client.startRun(args.card_id, JSON.stringify({ mode }), { executorToken })
    const load = async () => (await import('../../../cli/views/runs.js')).runCard
    if (!flags.follow) return this.show(answer, flags, load)
    const { followRunLog } = await import('../../../cli/follow-run-log.js')
    const { id } = answer.json() as { id: string }
    const run = await followRunLog(client, id, { output: this.output, json: flags.json })
    if (run && this.isForPeople(flags)) await this.output.print(`\n${(await load())(run, await this.style(flags))}`)
  }
}
