import type { EventEmitter } from 'node:events'

/** As much of the process as it takes to be told to stop. */
export interface SignalSource extends Pick<EventEmitter, 'on'> {
  exit(code: number): void
}

/** What a shell shows for a program that a signal ended. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

/** Resolves at the first SIGTERM or SIGINT. The second ends the process at once: whoever sends it will not wait. */
export function untilTold(process: SignalSource): Promise<void> {
  return new Promise(resolve => {
    let wasTold = false
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (wasTold) process.exit(EXIT_CODES[signal])
        wasTold = true
        resolve()
      })
    }
  })
}
