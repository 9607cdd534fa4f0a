import { string } from '@oclif/core/flags'
import { DaybookCommand } from '../../cli/base/daybook-command.js'
import { Progress } from '../../cli/terminal/progress.js'
import { readBoardPlace } from '../../settings/board/board-settings.js'

export default class BoardCopy extends DaybookCommand {
  static override summary = 'Moves a board from files to PostgreSQL, or back.'
  static override description = [
    'Copies cards, their history, runs and their logs, and compares both boards. The old one stays, and accepts no changes any more.',
    'Stop the server of a board in files first; servers of a board in PostgreSQL refuse changes from then on. No run may be queued',
    'or running. Sessions are not copied: users log in again. If the copy is interrupted, repeat the command.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> --from /var/lib/daybook/board --to postgres://daybook@db.example.org/ledger',
    '<%= config.bin %> <%= command.id %> --from postgres://daybook@db.example.org/ledger --to /var/lib/daybook/board-again',
  ]
  static override flags = {
    from: string({ required: true, description: 'The board: its folder, or an address.', helpValue: '<board>' }),
    to: string({
      required: true,
      description: 'The new place: a new folder, or a database without a board.',
      helpValue: '<board>',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(BoardCopy)
    const from = readBoardPlace('--from', flags.from, this.sources)
    const to = readBoardPlace('--to', flags.to, this.sources)
    const { copyBoard } = await import('../../runtime/transfer/copy-board.js')
    const progress = new Progress(process.stderr)
    const show = (_: object, text: string) => this.logToStderr(text)
    const copied = await copyBoard(
      { from, to },
      {
        logger: { warn: show, error: show },
        onProgress: rows => progress.show(`Copying: ${rows.toLocaleString('en')} rows …`),
      },
    ).finally(() => progress.end())
    if (flags.json || !this.output.isTerminal) return this.printJson(copied)
    const { copiedBoardText } = await import('../../cli/views/board-copy.js')
    await this.output.print(copiedBoardText(copied))
  }
}
