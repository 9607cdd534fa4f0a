import { ResultCommand } from '../../../cli/base/daybook-command.js'
import { exitCodeOf } from '../../../cli/exit-codes.js'
import { BY_NAME } from '../../../cli/formats/output-options.js'
import { AppError, type ErrorCategory } from '../../../model/app-error.js'
import type { BackendProblem } from '../../../model/board/backend-check.js'
import { findBoardHome } from '../../../settings/home-folder.js'

export default class BoardBackendsCheck extends ResultCommand {
  static override summary = 'Checks the connection to every other board that has a profile here.'
  static override description = [
    'Reads backends.json in the folder of the board, and asks each board directly whether it accepts its key, and',
    'which version it runs. Needs no server.',
  ].join(' ')
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --json']

  async run(): Promise<void> {
    const { flags } = await this.parse(BoardBackendsCheck)
    const { checkBackends } = await import('../../../runtime/check-backends.js')
    const items = await checkBackends(findBoardHome(this.sources))
    const result = { items, count: items.length }
    const load = async () => (await import('../../../cli/views/backends.js')).backendsTable
    await this.showValue(result, flags, load, BY_NAME)
    const worst = GRAVEST_FIRST.find(code => items.some(({ problem }) => problem?.code === code))
    if (worst) process.exitCode = exitCodeOf(new AppError(CATEGORIES[worst], worst, 'A backend cannot be used.'))
  }
}

const CATEGORIES: Record<BackendProblem['code'], ErrorCategory> = {
  backends_invalid: 'configuration',
  backend_refuses: 'forbidden',
  not_a_board: 'unavailable',
  server_unreachable: 'unavailable',
}

/** Failures that only this operator can fix come before temporary ones. */
const GRAVEST_FIRST = ['backends_invalid', 'backend_refuses', 'not_a_board', 'server_unreachable'] as const
