import { batch, computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals'
import { count, counted } from '#model/counted'
import type { StoredEvent } from '#model/events/event'
import type { EventPage } from '#model/ledger-answers'
import { announce } from '../../../shared/announce.js'
import { showToast } from '../../../shared/controls/toast.js'
import { ApiProblem, api, apiResponse } from '../../../shared/server/api.js'
import { outage } from '../../../shared/server/connection.js'
import { readEventStream, type StreamMessage } from '../../../shared/server/sse-reader.js'
import { nextFrame, pause } from '../../../shared/timing.js'
import { fromMs, shortTime } from '../../../shared/words/time.js'
import { apiQuery, filters, isOpenRange, queryKey } from '../filters/filters.js'
import { addNewest, listed, loaded, MOST_LISTED, reload } from './event-list-state.js'
import type { ListedEvent } from './list-rows.js'

/** `following`: new events arrive as they are recorded. */
export type LiveState = 'off' | 'connecting' | 'following' | 'reconnecting'

/** The connection was lost, and the missed events have been loaded. */
interface CaughtUp {
  words: string
  /** A shorter text for narrow places. */
  short: string
  /** Epoch milliseconds. */
  at: number
  /** Everything up to here was loaded before, so the line is above it. */
  checkpoint: string
}

const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 15_000
/** A connection that lasted this long resets the back-off. */
const GOOD_MS = 5_000
/** Maximum number of events loaded after an outage. If there are more, the list is reloaded. */
const CATCH_UP = { page: 500, pages: 10 } as const
/** Maximum number of events held back while the user reads. If there are more, the list is reloaded. */
const MOST_PENDING = 2_000
const FRESH_MS = 4_000
/** Arrivals are shown together, so that a busy ledger leaves time for frames. */
const SHOW_EVERY_MS = 250
const ANNOUNCE_EVERY_MS = 10_000

const state = signal<LiveState>('off')
const reading = signal(false)
const pending = signal<{ events: readonly ListedEvent[]; count: number }>({ events: [], count: 0 })
const caught = signal<CaughtUp | undefined>(undefined)
const fresh = signal<ReadonlySet<string>>(new Set())
/** When rows stop being marked as new, by dedupe key; ascending. Milliseconds of `performance.now()`. */
const freshUntil = new Map<string, number>()
let freshTimer = 0
/** Events from the stream that are not shown yet. */
let arrived: { events: ListedEvent[]; checkpoint: string } | undefined
let callOff: (() => void) | undefined
let shownAt = -SHOW_EVERY_MS

export const liveState: ReadonlySignal<LiveState> = state
export const pendingCount: ReadonlySignal<number> = computed(() => {
  const { events, count } = pending.value
  // The list may have loaded some of them already.
  const newest = loaded.value.items[0]?.captured_at ?? ''
  return count - events.filter(event => event.captured_at <= newest).length
})
export const isPaused: ReadonlySignal<boolean> = reading
export const caughtUp: ReadonlySignal<CaughtUp | undefined> = caught
export const freshKeys: ReadonlySignal<ReadonlySet<string>> = fresh

/** Why Live is unavailable: a stream has no end. */
export const whyLiveUnavailable: ReadonlySignal<string | undefined> = computed(() =>
  isOpenRange.value ? undefined : 'Live updates need a range that ends now.',
)

/** Whether the user is reading, so that rows stay in place; held-back events are added when that ends. */
export function setReading(isReading: boolean): void {
  if (reading.peek() === isReading) return
  reading.value = isReading
  if (!isReading) showPending()
}

export function showPending(): void {
  const { events, count } = pending.peek()
  if (count === 0) return
  pending.value = { events: [], count: 0 }
  if (loaded.peek().hasNewer || events.length < count) void reload()
  else put(events)
}

/** Runs Live while the address enables it, until the returned function is called. */
export function runLive(): () => void {
  let current: AbortController | undefined
  const isWanted = computed(() => filters.value.live && whyLiveUnavailable.value === undefined)
  const stop = effect(() => {
    // A change of filters needs another stream, which continues from the newly loaded list.
    queryKey.value
    current?.abort()
    current = undefined
    const isOn = isWanted.value
    untracked(() => {
      batch(() => {
        dropArrived()
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
    dropArrived()
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

/** Resolves once the list is loaded under the current filters. */
function listCheckpoint(ended: AbortSignal): Promise<string> {
  return until(ended, () => {
    const { key, checkpoint } = loaded.value
    // An empty ledger has no checkpoint yet: use the earliest one.
    return key === queryKey.value ? (checkpoint ?? fromMs(0)) : undefined
  })
}

/** Loads events after a checkpoint, up to the head, and reports a lost connection. @returns the head */
async function catchUp(before: string, wasLost: boolean, ended: AbortSignal): Promise<string> {
  const came: StoredEvent[] = []
  let checkpoint = before
  let hasMore = true
  for (let page = 0; hasMore && page < CATCH_UP.pages; page++) {
    const query = { ...streamQuery(), since: checkpoint, order: 'asc', limit: CATCH_UP.page }
    const found = await unlessAhead(api<EventPage>('/api/events', { query, signal: ended }))
    if (!found || found.epoch !== (loaded.peek().epoch ?? found.epoch)) return beginAnew(found?.epoch, ended)
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
  // Too many to add one by one, so reloads the list from the newest event; its pages lead down to the known events.
  // Fetches the head first, because the stream delivers everything after it.
  const { head } = await api<EventPage>('/api/events', { query: { limit: 1 }, signal: ended })
  pending.value = { events: [], count: came.length }
  if (!reading.peek()) showPending()
  return head ?? checkpoint
}

/** @returns undefined if the ledger has not reached the checkpoint: it was replaced */
function unlessAhead<Page>(asked: Promise<Page>): Promise<Page | undefined> {
  return asked.catch(problem => {
    if (problem instanceof ApiProblem && problem.code === 'ahead_of_ledger') return undefined
    throw problem
  })
}

/**
 * The ledger was replaced, e.g. by a backup: discards what is loaded.
 *
 * @param epoch of the new one, if known
 * @returns its checkpoint
 */
async function beginAnew(epoch: string | undefined, ended: AbortSignal): Promise<string> {
  dropArrived()
  pending.value = { events: [], count: 0 }
  caught.value = undefined
  await reload()
  if (epoch !== undefined && loaded.peek().epoch !== epoch)
    throw new Error('The events of the new ledger could not be loaded.')
  showToast({ words: 'The server has a different ledger now. The list was reloaded.' })
  return listCheckpoint(ended)
}

/**
 * @param moved called with every checkpoint
 * @returns when the stream has ended: it was lost, or the server closed it
 */
async function readStream(since: string, ended: AbortSignal, moved: (checkpoint: string) => void): Promise<void> {
  const open = async (signal: AbortSignal) => {
    const query = { ...streamQuery(), since }
    const answer = await apiResponse('/api/stream', { query, headers: { accept: 'text/event-stream' }, signal })
    state.value = 'following'
    return answer
  }
  const take = (messages: readonly StreamMessage[]) => {
    const checkpoint = messages.findLast(({ id }) => id !== undefined)?.id
    if (checkpoint === undefined) return
    const received = messages
      .filter(({ event }) => event === 'message')
      .map(({ data }) => JSON.parse(data) as StoredEvent)
    arrive(received, checkpoint)
    moved(checkpoint)
  }
  await readEventStream(open, take, ended)
}

/** A stream starts at a checkpoint, so the start of the range does not apply. */
function streamQuery() {
  const { days: _days, from: _from, to: _to, ...query } = apiQuery()
  return query
}

/** Shows events with a frame soon. @param events oldest first */
function arrive(events: readonly StoredEvent[], checkpoint: string): void {
  announceNew(events.length)
  // Limited, because a hidden page has no frame for a long time.
  arrived = { events: [...(arrived?.events ?? []), ...listed(events)].slice(-MOST_LISTED), checkpoint }
  if (callOff) return
  const present = () => {
    callOff = nextFrame(() => {
      const all = arrived
      dropArrived()
      shownAt = performance.now()
      if (all) batch(() => show(all.events, all.checkpoint))
    })
  }
  const timer = window.setTimeout(present, Math.max(0, shownAt + SHOW_EVERY_MS - performance.now()))
  callOff = () => window.clearTimeout(timer)
}

/** Drops events waiting for their frame, which belong to another list. */
function dropArrived(): void {
  callOff?.()
  callOff = undefined
  arrived = undefined
}

function show(events: readonly ListedEvent[], checkpoint: string): void {
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

function put(events: readonly ListedEvent[], checkpoint = events.at(-1)?.captured_at): void {
  if (checkpoint === undefined) return
  addNewest(events, checkpoint)
  if (events.length === 0) return
  const until = performance.now() + FRESH_MS
  for (const event of events) freshUntil.set(event.key, until)
  forgetOld()
  window.clearTimeout(freshTimer)
  freshTimer = window.setTimeout(forgetOld, FRESH_MS)
}

/** Called together with arriving rows; a separate call would cause an additional render. */
function forgetOld(): void {
  for (const [key, until] of freshUntil) if (until <= performance.now()) freshUntil.delete(key)
  fresh.value = new Set(freshUntil.keys())
}

let unsaid = 0
let announceTimer: number | undefined
let announcedAt = -ANNOUNCE_EVERY_MS

/** Announces new events to screen readers, at a limited rate. */
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

/** @returns the first result of `read` that is not undefined; tracks the signals it uses */
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
