import { AppError } from '../model/app-error.js'
import { toOutputError } from './terminal/output.js'

/**
 * Runs `work`, which writes a copy to standard output. Other output may be cut (`… | head`), but a cut copy must not
 * look complete.
 *
 * @throws AppError `unavailable/output_closed` if the program that reads the output has ended; `unavailable/output_full`
 */
export async function toCompleteOutput<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw toOutputError(error)
    const detail =
      'The program that reads the output ended before it had received everything: what it has is incomplete.'
    throw new AppError('unavailable', 'output_closed', detail, { hint: 'Run it again.', cause: error })
  }
}
