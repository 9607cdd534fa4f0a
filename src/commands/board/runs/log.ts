import { string } from '@oclif/core/args'
import { boolean } from '@oclif/core/flags'
import { BoardCommand } from '../../../cli/base/board-command.js'
import { toTerminalText } from '../../../cli/terminal/text.js'

export default class BoardRunsLog extends BoardCommand {
  static override summary = 'Prints the log of a run, as text.'
  static override description = [
    'Only the newest MiB of a log is kept. --follow streams it until the run ends; with --json as well, as a line of',
    'JSON per piece and a last one for the run.',
  ].join(' ')
  static override examples = ['<%= config.bin %> <%= command.id %> run_0a1b2c3d4e5f6071 --follow']
  static override args = {
    id: string({ required: true, ignoreStdin: true, description: 'Id, as printed by `board runs list`.' }),
  }
  static override flags = {
    follow: boolean({ char: 'f', description: 'Stream the log until the run ends.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BoardRunsLog)
    const client = this.client(flags)
    if (flags.follow) {
      const { followRunLog } = await import('../../../cli/follow-run-log.js')
      await followRunLog(client, args.id, { output: this.output, json: flags.json })
      return
    }
    const text = await client.runLog(args.id)
    if (flags.json) await this.printJson({ run_id: args.id, text })
    else await this.output.print(this.output.isTerminal ? toTerminalText(text) : text)
  }
}
