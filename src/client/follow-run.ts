import { AppError } from '../model/app-error.js'
import type { LogPiece, Run } from '../model/run.js'
import { Answer } from './answer.js'
import type { BoardClient } from './board-client.js'
import { BOARD } from './server-names.js'
import { isPassing, type WaitOptions, waitOut } from './wait-out.js'

/** A piece of the log, or at last the run as it ended. */
export type RunNews = { piece: LogPiece } | { run: Run }

/**
 * The log of a run as it is written, to its end. A server that goes away is waited for, and nothing that it keeps is
 * missed.
 *
 * @returns ends with the run, or without it when the signal is aborted
 * @throws AppError what the first question is refused with; later ones only when waiting cannot help
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
        throw new AppError('unavailable', 'connection_lost', 'The server let go of the connection.')
      } catch (error) {
        if (isTooLong(error)) continue
        if (!hasBegun || !isPassing(error)) throw error
        failures += 1
        await waitOut(error, failures, options)
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** One answer is read to a bound; the next goes on from there. */
function isTooLong(error: unknown): boolean {
  return error instanceof AppError && error.code === 'answer_too_large'
}

function readJson(data: string): unknown {
  return new Answer(200, Buffer.from(data), BOARD).json()
}
