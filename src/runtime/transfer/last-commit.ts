import { AppError } from '../../model/app-error.js'

/**
 * The last commit of a move opens the new place. If its answer is lost, the new place may be open: then the old one must
 * stay closed.
 *
 * @param isIncomplete reads whether the new place is still closed
 * @throws as `commit` if nothing was committed; AppError `unavailable/outcome_unknown`
 */
export async function lastCommit(
  commit: () => Promise<void>,
  isIncomplete: () => Promise<boolean>,
  place: string,
): Promise<void> {
  try {
    await commit()
  } catch (cause) {
    const incomplete = await isIncomplete().catch(() => undefined) // it cannot be reached
    if (incomplete === false) return
    if (incomplete) throw cause
    const message = `Everything was copied to ${place}, but whether it is open there is unknown.`
    const hint =
      'Repeat the command. If it answers that the new place is not empty, the move is complete: use that place.'
    throw new AppError('unavailable', 'outcome_unknown', message, { hint, cause })
  }
}

/** Whether the old place has to stay closed after this failure of a move. */
export function mayBeMoved(error: unknown): boolean {
  return error instanceof AppError && error.code === 'outcome_unknown'
}
