import { AppError } from '../../../model/app-error.js'
import type { BoardClosed } from '../../board-rows.js'
import type { Connection, Row } from '../connection/connection.js'

const HOLD = /* sql */ `SELECT paused, closed FROM board WHERE id = 1 FOR UPDATE`

/**
 * Waits for other changes of the board, and blocks new ones until the transaction ends: numbers rise with commits,
 * places in a column are computed from committed rows, and limits are exact.
 *
 * @param options `copies`: a copy into the board makes this change as well
 * @returns whether the executor is paused
 * @throws AppError `unavailable/board_moved`, `unavailable/import_under_way`
 */
export async function lockBoard(connection: Connection, { copies = false } = {}): Promise<{ paused: boolean }> {
  const [row] = await connection.run(HOLD)
  const closed = closedOf(row)
  if (closed && !(copies && closed.state === 'incomplete')) throw boardClosed(closed)
  return { paused: row?.paused === true }
}

/**
 * Refuses changes of a closed board.
 *
 * @param board with its `closed`
 * @throws as `lockBoard`
 */
export function refuseClosed(board: Row | undefined): void {
  const closed = closedOf(board)
  if (closed) throw boardClosed(closed)
}

function closedOf(board: Row | undefined): BoardClosed | undefined {
  return typeof board?.closed === 'string' ? (JSON.parse(board.closed) as BoardClosed) : undefined
}

const RETRY_SECONDS = 5

function boardClosed({ state }: BoardClosed): AppError {
  if (state === 'incomplete') {
    return new AppError('unavailable', 'import_under_way', 'A copy into this board is not complete.', {
      hint: 'Wait for it, or repeat `daybook board copy`.',
      retryAfterSeconds: RETRY_SECONDS,
    })
  }
  return new AppError('unavailable', 'board_moved', 'The board was moved: it continues in another place.', {
    hint: 'Set BOARD_DB or BOARD_HOME to the new place, and start the servers again.',
    retryAfterSeconds: RETRY_SECONDS,
  })
}
