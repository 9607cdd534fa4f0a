import type { EventEmitter } from 'node:events'
import { ExitError } from '@oclif/core/errors'

/** The part of the process that receives signals. */
interface SignalSource extends Pick<EventEmitter, 'on' | 'off'> {
  exit(code: number): void
}

/** The exit codes that shells use for a program ended by a signal. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/**
 * Resolves at the first SIGTERM, SIGINT or SIGHUP. Another SIGTERM or SIGINT ends the process immediately, without a
 * clean shutdown.
 */
export function waitForSignal(process: SignalSource): Promise<void> {
  return new Promise(resolve => {
    listen(process, () => resolve())
  })
}

/**
 * Runs `work`, which the first of these signals aborts, so that it can remove its files. Another SIGTERM or SIGINT ends
 * the process immediately.
 *
 * @throws oclif's `ExitError` with the exit code of the signal, once an aborted `work` has failed; as `work`
 */
export async function abortedBySignal<Result>(
  process: SignalSource,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stopping = new AbortController()
  let exitCode: number | undefined
  const stopListening = listen(process, code => {
    exitCode = code
    stopping.abort()
  })
  try {
    return await work(stopping.signal)
  } catch (error) {
    throw exitCode === undefined ? error : new ExitError(exitCode)
  } finally {
    stopListening()
  }
}

/** @param onFirst receives the exit code of the first signal @returns ends this */
function listen(process: SignalSource, onFirst: (exitCode: number) => void): () => void {
  let isStopping = false
  let hasHungUp = false
  const listeners = Object.entries(EXIT_CODES).map(([signal, exitCode]) => {
    const listener = () => {
      const isHangup = signal === 'SIGHUP'
      if (isHangup && !hasHungUp) leaveTerminal()
      hasHungUp ||= isHangup
      if (!isStopping) {
        isStopping = true
        onFirst(exitCode)
      } else if (!isHangup) {
        // A terminal may be closed during the shutdown, and some shells send SIGHUP a second time: neither is impatience.
        process.exit(exitCode)
      }
    }
    process.on(signal, listener)
    return () => process.off(signal, listener)
  })
  return () => {
    for (const remove of listeners) remove()
  }
}

/**
 * After its terminal was closed, output fails, which must not end the work. Node would abort when it exits, because it
 * cannot restore the state of the terminal.
 */
function leaveTerminal(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  process.once('exit', () => {
    process.removeAllListeners('SIGHUP')
    process.kill(process.pid, 'SIGHUP')
  })
}
