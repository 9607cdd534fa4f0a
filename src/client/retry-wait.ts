import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../model/app-error.js'
import { growingWait, REQUEST_WAIT } from './library/growing-wait.js'

export interface WaitOptions {
  signal: AbortSignal
  /** Called for each failure after which the client waits and tries again. */
  onInterrupted?: (error: AppError, retryMilliseconds: number) => void
  /** Between 0 and 1, so that many followers do not reconnect together. */
  random?: () => number
  /** @throws when the signal is aborted */
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>
}

/** Whether a retry can help: the server is unreachable, busy, or had an internal error. */
export function isTransient(error: unknown): error is AppError {
  if (!(error instanceof AppError)) return false
  return error.category === 'unavailable' || error.category === 'throttled' || error.category === 'internal'
}

/** Sleeps before the next try: longer after each consecutive failure, and at least as long as the server asks. */
export async function waitBeforeRetry(error: AppError, failures: number, options: WaitOptions): Promise<void> {
  const { signal, onInterrupted, random, sleep = pause } = options
  const requested = (error.retryAfterSeconds ?? 0) * 1000
  const milliseconds = Math.max(requested, growingWait(failures, REQUEST_WAIT, random))
  onInterrupted?.(error, milliseconds)
  await sleep(milliseconds, signal)
}

function pause(milliseconds: number, signal: AbortSignal): Promise<unknown> {
  return delay(milliseconds, undefined, { signal })
}
