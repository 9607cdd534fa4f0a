/**
 * How long to wait before the next try: twice as long after each failure, up to `last`. Up to half of it is left to chance, so
 * that many programs do not reconnect at the same moment.
 *
 * @param failures consecutive ones, from 1
 * @param bounds milliseconds
 * @returns milliseconds
 */
export function growingWait(failures: number, { first, last }: { first: number; last: number }, random = Math.random) {
  return Math.round(Math.min(first * 2 ** (failures - 1), last) * (0.5 + random() / 2))
}

/** Bounds of the wait before the next try of a request. Milliseconds. */
export const REQUEST_WAIT = { first: 250, last: 10_000 }

/** Pauses; ends early when the signal aborts. */
export function pauseUntilAborted(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
