import { AppError } from '../model/app-error.js'
import type { LogPiece, Run } from '../model/board/run.js'
import { Answer, BOARD } from './answer.js'
import type { BoardClient } from './board-client.js'
import { isTransient, type WaitOptions, waitBeforeRetry } from './retry-wait.js'

/** A piece of the log or, last, the finished run. */
type RunNews = { piece: LogPiece } | { run: Run }

/**
 * Streams a run's log until the run ends. Waits while the server is unreachable and misses nothing that it still has.
 *
 * @returns ends with the run, or without it if the signal is aborted
 * @throws AppError if the first request is refused; later only for failures that waiting cannot resolve
 */
export async function* followRun(
  client: Pick<BoardClient, 'runEvents'>,
  id: string,
  options: WaitOptions,
): AsyncGenerator<RunNews> {
  const { signal } = options
  let after = '0'
  let hasBegun = false
  try {
    for (let failures = 0; !signal.aborted; ) {
      try {
        for await (const { event, lastId, data } of client.runEvents(id, after, { signal })) {
          hasBegun = true
          failures = 0
          if (event === 'end') {
            yield { run: readJson(data) as Run }
            return
          }
          if (event !== 'message') continue
          yield { piece: readJson(data) as LogPiece }
          after = lastId
        }
        throw new AppError('unavailable', 'connection_lost', 'The server closed the connection.')
      } catch (error) {
        if (isTooLong(error)) continue
        if (!hasBegun || !isTransient(error)) throw error
        failures += 1
        await waitBeforeRetry(error, failures, options)
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** A response is read up to a limit; the next one continues after it. */
function isTooLong(error: unknown): boolean {
  return error instanceof AppError && error.code === 'answer_too_large'
}

function readJson(data: string): unknown {
  return new Answer(200, Buffer.from(data), BOARD).json()
}
