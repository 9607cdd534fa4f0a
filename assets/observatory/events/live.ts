import { batch, computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals'
import { announce } from '../../shared/announce.js'
import { ApiProblem, api, apiResponse } from '../../shared/api.js'
import { outage } from '../../shared/connection.js'
import { pause } from '../../shared/pause.js'
import { SseReader } from '../../shared/sse-reader.js'
import { count, counted } from '../../shared/text.js'
import { fromMs, shortTime } from '../../shared/time.js'
import { showToast } from '../../shared/toast.js'
import type { EventPage, LedgerEvent } from '../../shared/wire.js'
import { addNewest, loaded, reload } from './event-list-state.js'
import { apiQuery, filters, queryKey } from './filters.js'

/** `following`: new events come as they are written. */
export type LiveState = 'off' | 'connecting' | 'following' | 'reconnecting'

/** The connection was lost, and what came meanwhile is there. */
export interface CaughtUp {
  words: string
  /** The same, where there is little room. */
  short: string
  /** Epoch milliseconds. */
  at: number
  /** Everything up to here was there before: the line stands above it. */
  checkpoint: string
}

/** The server gives a sign of life every 15 seconds. */
const SILENT_MS = 40_000
const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 15_000
/** A stream that lasted so long was a good one. */
const GOOD_MS = 5_000
/** Events that are fetched after an outage; with more the list begins anew from its newest. */
const CATCH_UP = { page: 500, pages: 10 } as const
/** Events that are held back while somebody reads; with more the list begins anew. */
const MOST_PENDING = 2_000
const FRESH_MS = 4_000
const ANNOUNCE_EVERY_MS = 10_000

const state = signal<LiveState>('off')
const reading = signal(false)
const pending = signal<{ events: readonly LedgerEvent[]; count: number }>({ events: [], count: 0 })
const caught = signal<CaughtUp | undefined>(undefined)
const fresh = signal<ReadonlySet<string>>(new Set())

export const liveState: ReadonlySignal<LiveState> = state
/** How many came while somebody reads. */
export const pendingCount: ReadonlySignal<number> = computed(() => pending.value.count)
export const isPaused: ReadonlySignal<boolean> = reading
export const caughtUp: ReadonlySignal<CaughtUp | undefined> = caught
/** Dedupe keys of rows that have just come. */
export const freshKeys: ReadonlySignal<ReadonlySet<string>> = fresh

/** Why Live cannot be on: a stream has no end. */
export const whyNoLive: ReadonlySignal<string | undefined> = computed(() =>
  filters.value.to === '' ? undefined : 'Live needs a range that ends now.',
)

/** Whether somebody reads, so that rows stay where they are; what came meanwhile is put on top when that is over. */
export function setReading(isReading: boolean): void {
  if (reading.peek() === isReading) return
  reading.value = isReading
  if (!isReading) showPending()
}

/** Puts what was held back on top. */
export function showPending(): void {
  const { events, count } = pending.peek()
  if (count === 0) return
  pending.value = { events: [], count: 0 }
  if (loaded.peek().hasNewer || events.length < count) void reload()
  else put(events)
}

/** Follows the ledger while the address says so. Ended by what it returns. */
export function runLive(): () => void {
  let current: AbortController | undefined
  const isWanted = computed(() => filters.value.live && whyNoLive.value === undefined)
  const stop = effect(() => {
    // Other filters: another stream, which goes on from the list that is loaded under them.
    queryKey.value
    current?.abort()
    current = undefined
    const isOn = isWanted.value
    untracked(() => {
      batch(() => {
        pending.value = { events: [], count: 0 }
        caught.value = undefined
        state.value = isOn ? 'connecting' : 'off'
      })
      if (!isOn) return
      current = new AbortController()
      void follow(current.signal)
    })
  })
  return () => {
    stop()
    current?.abort()
    state.value = 'off'
  }
}

async function follow(ended: AbortSignal): Promise<void> {
  let retryMs = FIRST_RETRY_MS
  let checkpoint: string | undefined
  while (!ended.aborted) {
    const beganAt = performance.now()
    try {
      const wasLost: boolean = checkpoint !== undefined
      checkpoint = await catchUp(checkpoint ?? (await listCheckpoint(ended)), wasLost, ended)
      await readStream(checkpoint, ended, to => {
        checkpoint = to
      })
    } catch (problem) {
      if (ended.aborted) return
      if (problem instanceof ApiProblem && problem.retryAfterSeconds) retryMs = problem.retryAfterSeconds * 1000
    }
    if (ended.aborted) return
    state.value = checkpoint === undefined ? 'connecting' : 'reconnecting'
    if (performance.now() - beganAt > GOOD_MS) retryMs = FIRST_RETRY_MS
    await pause(retryMs, ended)
    await isBack(ended)
    retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)
  }
}

/** Once the list is loaded under the present filters, and reaches the head. */
function listCheckpoint(ended: AbortSignal): Promise<string> {
  return until(ended, () => {
    const { key, hasNewer, checkpoint } = loaded.value
    if (key !== queryKey.value) return undefined
    // An empty ledger has no checkpoint yet: everything is after its beginning.
    return hasNewer ? undefined : (checkpoint ?? fromMs(0))
  })
}

/** Fetches what came after a checkpoint, up to the head, and says so where a connection was lost. @returns the head */
async function catchUp(before: string, wasLost: boolean, ended: AbortSignal): Promise<string> {
  const came: LedgerEvent[] = []
  let checkpoint = before
  let hasMore = true
  for (let page = 0; hasMore && page < CATCH_UP.pages; page++) {
    const query = { ...streamQuery(), since: checkpoint, order: 'asc', limit: CATCH_UP.page }
    const found = await api<EventPage>('/api/events', { query, signal: ended })
    if (found.epoch !== (loaded.peek().epoch ?? found.epoch)) return beginAnew(found.epoch, ended)
    came.push(...found.items)
    checkpoint = found.next_since ?? checkpoint
    hasMore = found.has_more
  }
  if (wasLost) {
    const lost = `${hasMore ? 'more than ' : ''}${came.length === 0 ? 'no event' : counted(came.length, 'event')}`
    const short = `caught up, ${came.length === 0 ? 'none' : `${count(came.length)}${hasMore ? '+' : ''}`} came`
    const at = Date.now()
    const words = `Caught up at ${shortTime(fromMs(at))}: ${lost} came while the connection was lost.`
    const whole = came.length === 0 ? words : `${words} None missed, none twice.`
    caught.value = { checkpoint: before, words: whole, short, at }
    announce(words)
  }
  if (!hasMore) {
    arrive(came, checkpoint)
    return checkpoint
  }
  // Too many to put on top one by one: the list begins anew from the newest, and its pages lead down to what was there.
  // The head is asked for first: whatever comes after it, the stream brings.
  const { head } = await api<EventPage>('/api/events', { query: { limit: 1 }, signal: ended })
  pending.value = { events: [], count: came.length }
  if (!reading.peek()) showPending()
  return head ?? checkpoint
}

/** Another ledger has taken its place, such as a backup: what is loaded is not of it. @returns its checkpoint */
async function beginAnew(epoch: string, ended: AbortSignal): Promise<string> {
  pending.value = { events: [], count: 0 }
  caught.value = undefined
  await reload()
  if (loaded.peek().epoch !== epoch) throw new Error('The list of the other ledger could not be loaded.')
  showToast({ words: 'Another ledger answers here now. What you see is loaded from it.' })
  return listCheckpoint(ended)
}

/**
 * @param moved gets every checkpoint
 * @returns when the stream is over, which is when it was lost, or dropped by the server
 */
async function readStream(since: string, ended: AbortSignal, moved: (checkpoint: string) => void): Promise<void> {
  const silence = new AbortController()
  let timer = 0
  const heard = () => {
    window.clearTimeout(timer)
    timer = window.setTimeout(() => silence.abort(), SILENT_MS)
  }
  try {
    heard()
    const answer = await apiResponse('/api/events/stream', {
      query: { ...streamQuery(), since },
      headers: { accept: 'text/event-stream' },
      signal: AbortSignal.any([ended, silence.signal]),
    })
    state.value = 'following'
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    const messages = new SseReader()
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      heard()
      const brought: LedgerEvent[] = []
      let checkpoint: string | undefined
      for (const { event, id, data } of messages.take(part.value)) {
        if (event === 'message') brought.push(JSON.parse(data) as LedgerEvent)
        checkpoint = id ?? checkpoint
      }
      if (checkpoint === undefined || ended.aborted) continue
      arrive(brought, checkpoint)
      moved(checkpoint)
    }
  } finally {
    window.clearTimeout(timer)
    silence.abort()
  }
}

/** A stream is asked from a checkpoint on, so what begins the range says nothing there. */
function streamQuery() {
  const { days: _days, from: _from, to: _to, ...query } = apiQuery()
  return query
}

/** @param events oldest first */
function arrive(events: readonly LedgerEvent[], checkpoint: string): void {
  announceNew(events.length)
  const { hasNewer } = loaded.peek()
  if (!reading.peek() && !hasNewer) {
    put(events, checkpoint)
    return
  }
  if (events.length === 0) return
  const { events: held, count } = pending.peek()
  const all = count < MOST_PENDING ? [...held, ...events] : held
  pending.value = { events: all.slice(0, MOST_PENDING), count: count + events.length }
}

function put(events: readonly LedgerEvent[], checkpoint = events.at(-1)?.captured_at): void {
  if (checkpoint === undefined) return
  addNewest(events, checkpoint)
  if (events.length === 0) return
  const keys = events.map(event => event.dedupe_key)
  fresh.value = new Set([...fresh.peek(), ...keys])
  window.setTimeout(() => {
    fresh.value = new Set([...fresh.peek()].filter(key => !keys.includes(key)))
  }, FRESH_MS)
}

let unsaid = 0
let announceTimer: number | undefined
let announcedAt = -ANNOUNCE_EVERY_MS

/** Politely: not more often than one can listen to. */
function announceNew(amount: number): void {
  unsaid += amount
  if (unsaid === 0 || announceTimer !== undefined) return
  const wait = Math.max(0, announcedAt + ANNOUNCE_EVERY_MS - performance.now())
  announceTimer = window.setTimeout(() => {
    announce(counted(unsaid, 'new event'))
    unsaid = 0
    announceTimer = undefined
    announcedAt = performance.now()
  }, wait)
}

/** @returns what `read` gives as soon as that is something; signals that it looks at are followed */
function until<T>(ended: AbortSignal, read: () => T | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    let stop: (() => void) | undefined
    let isDone = false
    const finish = (act: () => void) => {
      isDone = true
      stop?.()
      act()
    }
    ended.addEventListener('abort', () => finish(() => reject(ended.reason)), { once: true })
    stop = effect(() => {
      const value = read()
      if (value !== undefined && !isDone) finish(() => resolve(value))
    })
    if (isDone) stop()
  })
}

function isBack(ended: AbortSignal): Promise<true> {
  return until(ended, () => (outage.value === undefined ? true : undefined)).catch(() => true as const)
}
