import { signal } from '@preact/signals'
import { rootPath } from './root-path.js'

/** The server does not answer. Milliseconds of the epoch. */
export interface Outage {
  /** The last answer. */
  since: number
  /** When it is asked again. */
  retryAt: number
}

/** Undefined while the server answers. Whoever shows something reads on, and goes on when it is undefined again. */
export const outage = signal<Outage | undefined>(undefined)

const FIRST_RETRY_MS = 2_000
const LONGEST_RETRY_MS = 30_000
const ANSWER_WITHIN_MS = 10_000

let answeredAt = Date.now()
let retryMs = FIRST_RETRY_MS
let timer: number | undefined

/** To be called on every answer, whatever it says. */
export function noteAnswer(): void {
  answeredAt = Date.now()
  retryMs = FIRST_RETRY_MS
  window.clearTimeout(timer)
  timer = undefined
  if (outage.value) outage.value = undefined
}

/** To be called when there was no answer: from now on the server is asked until it answers. */
export function noteSilence(): void {
  if (timer !== undefined) return
  const retryAt = Date.now() + retryMs
  outage.value = { since: outage.value?.since ?? answeredAt, retryAt }
  timer = window.setTimeout(() => void tryNow(), retryMs)
  retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)
}

/** Asks at once whether the server is there. */
export async function tryNow(): Promise<void> {
  window.clearTimeout(timer)
  try {
    await fetch(`${rootPath}/api/health`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS), cache: 'no-store' })
  } catch {
    timer = undefined
    noteSilence()
    return
  }
  noteAnswer()
}

window.addEventListener('online', () => {
  if (outage.value) void tryNow()
})
