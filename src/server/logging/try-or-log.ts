import type { Logger } from 'pino'

/**
 * Does secondary work for an answer, such as measuring it. A failure is logged, and affects neither the answer nor the
 * process.
 *
 * @param done ends the sentence "Something could not be …"
 */
export function tryOrLog(logger: Logger, done: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    logFailure(logger, done, error)
  }
}

/** Only as text, because the failure may come from the members of a log line. */
export function logFailure(logger: Logger, done: string, error: unknown): void {
  const text = `something could not be ${done}: ${error instanceof Error ? error.message : typeof error}`
  try {
    logger.error(text)
  } catch {
    process.emitWarning(text)
  }
}
