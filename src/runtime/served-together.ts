import type { Logger } from 'pino'

/** A program that is served. */
export interface ServedProgram {
  /** Rejects when its files are no longer ours, or can no longer be written. */
  failed: Promise<never>
  close(): Promise<void>
}

export interface ServedTogether {
  /** Closes all of them at once. A second call waits for the first. */
  close(): Promise<void>
  /** Resolves once closed. Rejects when one of them failed, after the others were closed. */
  closed: Promise<void>
}

/**
 * Programs of one process: they stop together, and when one fails the others are closed before the process ends, since
 * what they have started must not go on without them. The one that failed is left as it is: its files may be somebody
 * else's by now.
 */
export function servedTogether(programs: readonly ServedProgram[], logger: Logger): ServedTogether {
  let stopping: Promise<void> | undefined
  let stopped: () => void = () => {}
  const untilStopped = new Promise<void>(resolve => {
    stopped = resolve
  })
  const failures = programs.map(program =>
    program.failed.catch(async error => {
      stopping ??= closeAll(programs.filter(other => other !== program))
      await stopping.catch(reason => logger.error({ err: reason }, 'what was served besides could not be closed'))
      throw error
    }),
  )
  const closed = Promise.race([untilStopped, ...failures])
  closed.catch(() => undefined) // whoever cares listens to it; nobody listening is no defect
  return {
    close: () => {
      stopping ??= closeAll(programs)
        .then(() => logger.info('closed'))
        .finally(stopped)
      return stopping
    },
    closed,
  }
}

/** What one of them meets is no reason to keep the others. */
async function closeAll(programs: readonly ServedProgram[]): Promise<void> {
  const outcomes = await Promise.allSettled(programs.map(program => program.close()))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}
