import { signal } from '@preact/signals'
import { rootPath } from './root-path.js'

/** The server does not respond. Epoch milliseconds. */
export interface Outage {
  /** Time of the last response. */
  since: number
  /** Time of the next attempt. */
  retryAt: number
}

/** Undefined while the server responds. Views pause loading during an outage and continue afterwards. */
export const outage = signal<Outage | undefined>(undefined)

const FIRST_RETRY_MS = 2_000
const LONGEST_RETRY_MS = 30_000
const ANSWER_WITHIN_MS = 10_000

let answeredAt = Date.now()
let retryMs = FIRST_RETRY_MS
let timer: number | undefined

/** Call it on every response of any status. */
export function reportResponse(): void {
  answeredAt = Date.now()
  retryMs = FIRST_RETRY_MS
  window.clearTimeout(timer)
  timer = undefined
  if (outage.value) outage.value = undefined
}

/** Call it if there was no response: polls the server until it responds. */
export function reportNoResponse(): void {
  if (timer !== undefined) return
  const retryAt = Date.now() + retryMs
  outage.value = { since: outage.value?.since ?? answeredAt, retryAt }
  timer = window.setTimeout(() => void tryNow(), retryMs)
  retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)
}

/** Asks immediately whether the server responds. */
export async function tryNow(): Promise<void> {
  window.clearTimeout(timer)
  try {
    await fetch(`${rootPath}/api/health`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS), cache: 'no-store' })
  } catch {
    timer = undefined
    reportNoResponse()
    return
  }
  reportResponse()
}

window.addEventListener('online', () => {
  if (outage.value) void tryNow()
})
