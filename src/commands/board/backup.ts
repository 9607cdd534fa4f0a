import { string } from '@oclif/core/args'
import { option } from '@oclif/core/flags'
import { DaybookCommand } from '../../cli/base/daybook-command.js'
import { toTerminalLine } from '../../cli/terminal/text.js'
import { abortedBySignal } from '../../cli/wait-for-signal.js'
import { BOARD_DATABASES } from '../../model/board/board-backup.js'
import { findBoard } from '../../settings/board/board-settings.js'

export default class BoardBackup extends DaybookCommand {
  static override summary = 'Makes a consistent copy of a database of the board.'
  static override description = [
    'A running server makes the copy while it keeps serving; without a server, this command opens the file',
    'itself. It never overwrites a file.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> /var/backups/sessions.sqlite3',
    '<%= config.bin %> <%= command.id %> /var/backups/board.sqlite3 --of cards',
  ]
  static override args = {
    file: string({
      required: true,
      ignoreStdin: true,
      description: 'Path of the copy, which must not exist yet.',
    }),
  }
  static override flags = {
    of: option({
      options: BOARD_DATABASES,
      description: 'sessions: who is logged in; cards: cards, runs and their logs.',
      default: 'sessions',
    })(),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BoardBackup)
    const { backUpBoard } = await import('../../runtime/board-backup.js')
    const copy = await abortedBySignal(process, signal =>
      backUpBoard(findBoard(this.sources), args.file, flags.of, signal),
    )
    if (flags.json || !this.output.isTerminal) return this.printJson(copy)
    await this.output.print(`Copied the ${copy.of} to ${toTerminalLine(copy.path)}.`)
  }
}
