import { AppError } from '../model/app-error.js'

/**
 * Asks a server for a change that must not be repeated: if the answer is lost, the change may have been made.
 *
 * @param hint how to find out
 * @throws AppError `unavailable/outcome_unknown` if the server ends before it answers; as `change`
 */
export async function changeOnce<Result>(change: Promise<Result>, hint: string): Promise<Result> {
  try {
    return await change
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'connection_lost') throw cause
    const detail = 'The server ended before it answered, so the change may or may not be made.'
    throw new AppError('unavailable', 'outcome_unknown', detail, { hint, cause })
  }
}
