import type { EventEmitter } from 'node:events'

/** The part of the process that receives signals. */
export interface SignalSource extends Pick<EventEmitter, 'on'> {
  exit(code: number): void
}

/** The exit codes that shells use for a program ended by a signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

/** Resolves at the first SIGTERM or SIGINT. A second signal ends the process immediately, without a clean shutdown. */
export function waitForSignal(process: SignalSource): Promise<void> {
  return new Promise(resolve => {
    let isStopping = false
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (isStopping) process.exit(EXIT_CODES[signal])
        isStopping = true
        resolve()
      })
    }
  })
}
