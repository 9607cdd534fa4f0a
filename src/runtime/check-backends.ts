import { AppError } from '../model/app-error.js'
import type { BackendCheck } from '../model/board/backend-check.js'
import { Backends } from '../proxy/backends.js'
import { checkBackend } from '../proxy/check-backend.js'
import { boardFiles } from './open-board.js'

const CONCURRENT = 8

/**
 * Checks every board that has a profile, in the order of their names.
 *
 * @param home the folder of the board's files
 * @throws AppError `configuration/backends_invalid` if the file of profiles cannot be used
 */
export async function checkBackends(home: string): Promise<BackendCheck[]> {
  const file = boardFiles(home).backends
  // Warnings are not needed: each problem is in the result.
  const states = await statesOf(new Backends({ file, nowMs: Date.now, warn: () => {} }), file)
  states.sort((one, other) => (one.name < other.name ? -1 : 1))
  const checks: BackendCheck[] = []
  for (let from = 0; from < states.length; from += CONCURRENT) {
    checks.push(...(await Promise.all(states.slice(from, from + CONCURRENT).map(checkBackend))))
  }
  return checks
}

async function statesOf(backends: Backends, file: string) {
  try {
    return await backends.states()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError('configuration', error.code, error.message, { hint: `Correct ${file}.`, cause: error })
  }
}
