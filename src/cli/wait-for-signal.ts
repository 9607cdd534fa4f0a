import type { EventEmitter } from 'node:events'
import { isatty } from 'node:tty'
import { ExitError } from '@oclif/core/errors'

/** The part of the process that receives signals. */
interface SignalSource extends Pick<EventEmitter, 'on' | 'off'> {
  exit(code: number): void
}

/** The exit codes that shells use for a program ended by a signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const
/** At a terminal. */
const HANGUP = { SIGHUP: 129 } as const

/**
 * Resolves at the first SIGTERM or SIGINT, or when the terminal is closed. A second signal ends the process immediately,
 * without a clean shutdown.
 */
export function waitForSignal(process: SignalSource): Promise<void> {
  return new Promise(resolve => {
    listen(process, () => resolve())
  })
}

/**
 * Runs `work`, which the first of these signals aborts, so that it can remove its files. A second signal ends the process
 * immediately.
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
  const exitCodes = isAtTerminal() ? { ...EXIT_CODES, ...HANGUP } : EXIT_CODES
  const listeners = Object.entries(exitCodes).map(([signal, exitCode]) => {
    const listener = () => {
      if (isStopping) process.exit(exitCode)
      isStopping = true
      if (signal === 'SIGHUP') leaveTerminal()
      onFirst(exitCode)
    }
    process.on(signal, listener)
    return () => process.off(signal, listener)
  })
  return () => {
    for (const remove of listeners) remove()
  }
}

/** Without a terminal, as after `nohup`, SIGHUP may have to be ignored, and a listener would end that. */
function isAtTerminal(): boolean {
  return [0, 1, 2].some(isatty)
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
