import { setTimeout as sleep } from 'node:timers/promises'

/** @throws the signal's reason once it is aborted */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<unknown> {
  return sleep(milliseconds, undefined, signal ? { signal } : {})
}
