import type { Logger } from 'pino'

/**
 * Does work beside an answer, such as measuring it. What fails there is logged, and costs neither the answer nor the
 * process.
 *
 * @param done ends the sentence "Something could not be …"
 */
export function beside(logger: Logger, done: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    reportBeside(logger, done, error)
  }
}

/** As text alone: the members of a log line may be what failed. */
export function reportBeside(logger: Logger, done: string, error: unknown): void {
  const text = `something could not be ${done}: ${error instanceof Error ? error.message : typeof error}`
  try {
    logger.error(text)
  } catch {
    process.emitWarning(text)
  }
}
