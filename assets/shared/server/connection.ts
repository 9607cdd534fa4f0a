import { effect, signal, untracked } from '@preact/signals'
import { rootPath } from './root-path.js'

/** The server does not respond. Epoch milliseconds. */
interface Outage {
  /** Time of the last response. */
  since: number
  /** Time of the next attempt. */
  retryAt: number
}

/** Undefined while the server responds. Views pause loading during an outage and continue afterwards. */
export const outage = signal<Outage | undefined>(undefined)

/** Whether the server has another version of the page, so that missing parts can no longer be loaded. */
export const isOutdated = signal(false)

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
  if (!outage.value) return
  outage.value = undefined
  // The server may have been upgraded.
  void checkVersion()
}

/** Asks whether the server still has the files of this page, and whether it answers at all. */
export async function checkVersion(): Promise<void> {
  const answer = await ask(import.meta.url, 'HEAD')
  if (answer) isOutdated.value = answer.status === 404
}

/** @returns undefined if there was no response */
async function ask(url: string, method: 'GET' | 'HEAD'): Promise<Response | undefined> {
  try {
    const answer = await fetch(url, { method, signal: AbortSignal.timeout(ANSWER_WITHIN_MS), cache: 'no-store' })
    reportResponse()
    return answer
  } catch {
    reportNoResponse()
    return undefined
  }
}

/** Call it if there was no response: polls the server until it responds. */
export function reportNoResponse(): void {
  if (timer !== undefined) return
  const retryAt = Date.now() + retryMs
  outage.value = { since: outage.value?.since ?? answeredAt, retryAt }
  timer = window.setTimeout(() => void tryNow(), retryMs)
  retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)
}

/** Calls back whenever the server answers again, until the returned function is called. */
export function onReturn(act: () => void): () => void {
  let wasOut = false
  return effect(() => {
    const isOut = outage.value !== undefined
    if (wasOut && !isOut) untracked(act)
    wasOut = isOut
  })
}

/** Asks immediately whether the server responds. */
export async function tryNow(): Promise<void> {
  window.clearTimeout(timer)
  timer = undefined
  await ask(`${rootPath}/api/health`, 'GET')
}

window.addEventListener('online', () => {
  if (outage.value) void tryNow()
})
