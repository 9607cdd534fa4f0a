import type { Logger } from 'pino'
import type { Ledger } from '../../../ledger/ledger.js'
import { AppError } from '../../../model/app-error.js'
import type { ChatAccount } from '../../../model/platforms/chat-account.js'
import { type Micros, readTimestamp, toTimestamp } from '../../../model/timestamp.js'
import type { ChatApi } from '../../../platforms/chat/capture/chat-api.js'
import type { ChatContext } from '../../../platforms/chat/context.js'
import { covers } from '../../../platforms/chat/live/live-watch.js'
import type { MessagePlaces } from '../../../platforms/chat/live/message-places.js'
import type { FollowedPlace, WatchedPlace } from '../../../platforms/chat/watched-place.js'
import { objectAt, type Payload, textAt } from '../../../platforms/mapping/payload.js'
import { pause } from '../../pause.js'
import type { Captures } from '../captures.js'
import { MissedChanges, type MissedEvent } from './missed-changes.js'
import { selectsKind, type TrackedWatch } from './place-stream-changes.js'
import type { RecordedMessages } from './recorded-messages.js'

interface ChangeReaderParts {
  ledger: Pick<Ledger, 'recordLive' | 'knows'>
  captures: Pick<Captures, 'whileIdle' | 'usersOf'>
  chat: ChatAccount
  api: ChatApi
  context: ChatContext
  recorded: RecordedMessages
  logger: Pick<Logger, 'info' | 'warn'>
  /** Wall clock in microseconds. */
  clock: () => Micros
  /** Milliseconds of a clock that never steps back. */
  elapsed: () => number
  listWatches: () => Promise<TrackedWatch[]>
}

export interface ChangesRead {
  recorded: number
  /** Whether there is more to read. */
  isLeft: boolean
}

interface Reading {
  watch: TrackedWatch
  changes: MissedChanges
  /** Becomes the watch's `tracked`. */
  tracked: TrackedState
  /** Consecutive failures. */
  failures: number
}

/** How far the changes of a watch are recorded, as stored in the watch. */
interface TrackedState {
  /** Changes are recorded from this instant on. */
  since: string
  /** Id of the queue that reports the changes. */
  queue: string
  /** `updated_at` of the watch at that time. Since then, it may have been disabled, or have watched another place. */
  saved: string
  watched: WatchedPlace
}

/** Length of a turn. The queue must be polled before the chat server deletes it, which takes ten minutes. */
const TURN_MS = 10_000
const NO_QUEUE = 'none'
/** How long to wait after a failure. */
const PAUSE_MS = { least: 1_000, most: 10_000 }
/** After so many consecutive failures, the next watch is read. */
const MOST_FAILURES = 3
/** How long to wait before a watch that could not be read is tried again. */
const RETRY_MS = 60_000

/** Finds changes that happened while no queue was read, one watch after the other. Source: docs/decisions/0089. */
export class ChangeReader {
  /** A watch may have missed changes. */
  #isDue = false
  #queueId = NO_QUEUE
  #reading: Reading | undefined
  readonly #retryAt = new Map<string, number>()

  constructor(private readonly parts: ChangeReaderParts) {}

  /**
   * Call it before watches are captured: some may have missed changes. For watches that are captured with a queue for
   * the first time, changes are recorded from now on.
   */
  async begin(ids: readonly string[]): Promise<void> {
    this.#isDue = true
    for (const watch of await this.parts.listWatches()) {
      const isFirst = ids.includes(watch.id) && !beganBefore(watch)
      if (isFirst) await this.#save(watch, this.#stateOf(watch, this.parts.clock()))
    }
  }

  /**
   * Call it when capture finds that the place of a watch has moved. If the queue still has events of the moves, they
   * belong to places that the watch has left.
   */
  async noteMoved(id: string): Promise<void> {
    const watch = (await this.parts.listWatches()).find(each => each.id === id)
    const before = watch && beganBefore(watch)
    if (before) await this.#save(watch, { ...before, queue: NO_QUEUE })
  }

  /** Starts over with a new queue. */
  reset(queueId: string): void {
    this.#queueId = queueId
    this.#reading = undefined
    this.#retryAt.clear()
    this.#isDue = true
  }

  /**
   * Reads for some seconds. A failure of the chat server does not stop the recording of queue events: a later call
   * repeats the failed step. A new process begins the watch again, and recognises recorded events by their keys.
   *
   * @throws AppError as `Ledger.recordLive`, `Captures.whileIdle`
   */
  async read(places: MessagePlaces, signal: AbortSignal): Promise<ChangesRead> {
    const { elapsed } = this.parts
    const end = elapsed() + TURN_MS
    let recorded = 0
    while (this.#isDue) {
      signal.throwIfAborted()
      this.#reading ??= await this.#next(places, signal)
      if (!this.#reading) break
      recorded += await this.#step(this.#reading, signal)
      if (elapsed() >= end) return { recorded, isLeft: true }
    }
    return { recorded, isLeft: false }
  }

  /** The next watch that has missed changes. */
  async #next(places: MessagePlaces, signal: AbortSignal): Promise<Reading | undefined> {
    const { clock, elapsed, listWatches } = this.parts
    const now = clock()
    let isWaiting = false
    for (const watch of await listWatches()) {
      const before = beganBefore(watch)
      if (!watch.isCaughtUp || !before) continue
      if (before.queue === this.#queueId && before.saved === watch.saved) continue
      const tracked = { ...this.#stateOf(watch, now), since: before.since }
      if (!watch.followed) await this.#save(watch, tracked)
      else if ((this.#retryAt.get(watch.id) ?? 0) > elapsed()) isWaiting = true
      else {
        const changes = this.#open(watch, watch.followed, { since: before.since, now, places, signal })
        return { watch, changes, tracked, failures: 0 }
      }
    }
    this.#isDue = isWaiting
    return undefined
  }

  #open(
    watch: TrackedWatch,
    followed: FollowedPlace,
    options: { since: string; now: Micros; places: MessagePlaces; signal: AbortSignal },
  ): MissedChanges {
    const { api, chat, captures, context, ledger, recorded } = this.parts
    const { signal } = options
    return new MissedChanges({
      ...options,
      api,
      recorded,
      followed,
      place: watch.place,
      watchId: watch.id,
      readTo: watch.readTo,
      since: Math.floor(readTimestamp('since', options.since).micros / 1_000_000),
      contextFor: async messages => {
        return { ...context, users: await captures.usersOf(chat).usersFor(messages, api, signal) }
      },
      knows: key => ledger.knows(key),
      record: missed => this.#record(watch.id, missed),
    })
  }

  /** @returns how many events were recorded */
  async #step(reading: Reading, signal: AbortSignal): Promise<number> {
    const { watch, changes, tracked } = reading
    const before = changes.recorded
    try {
      const isLast = await changes.step()
      reading.failures = 0
      if (isLast) {
        await this.#save(watch, tracked)
        this.#reading = undefined
        const about = { subscription_id: watch.id, recorded: changes.recorded }
        if (changes.recorded > 0) this.parts.logger.info(about, 'changes that no event queue reported are recorded')
      }
    } catch (error) {
      if (!(error instanceof AppError) || !error.code.startsWith('chat_')) throw error
      await this.#fail(reading, error, signal)
    }
    return changes.recorded - before
  }

  async #fail(reading: Reading, { category, code, retryAfterSeconds = 0 }: AppError, signal: AbortSignal) {
    const { elapsed, logger } = this.parts
    const wait = Math.max(PAUSE_MS.least, retryAfterSeconds * 1_000)
    if (category === 'unavailable' && wait <= PAUSE_MS.most && ++reading.failures < MOST_FAILURES) {
      await pause(wait, signal)
      return
    }
    this.#reading = undefined
    this.#retryAt.set(reading.watch.id, elapsed() + Math.max(RETRY_MS, wait))
    logger.warn({ subscription_id: reading.watch.id, code }, 'changes that no event queue reported cannot be read')
  }

  #stateOf({ saved, place }: TrackedWatch, now: Micros): TrackedState {
    return { since: toTimestamp(now), queue: this.#queueId, saved, watched: place }
  }

  async #save({ id }: TrackedWatch, tracked: TrackedState): Promise<void> {
    await this.parts.ledger.recordLive({ events: [], notes: [{ id, captured: { tracked: { ...tracked } } }] })
  }

  async #record(watchId: string, missed: readonly MissedEvent[]): Promise<number> {
    const { captures, ledger, listWatches } = this.parts
    if ((await this.#unknownOf(missed)).length === 0) return 0
    const watches = await listWatches()
    const marked = missed.map(({ event, places }) => {
      const isIn = (watch: TrackedWatch) => watch.id === watchId || places.some(place => covers(watch, place))
      return { event, ids: watches.filter(watch => selectsKind(watch, event) && isIn(watch)).map(({ id }) => id) }
    })
    const ids = new Set([watchId, ...marked.flatMap(each => each.ids)])
    return captures.whileIdle([...ids], async leases => {
      const events = (await this.#unknownOf(marked)).map(each => {
        return { event: each.event, marks: each.ids.map(id => ({ id, lease: leases.get(id) })) }
      })
      if (events.length > 0) await ledger.recordLive({ events, notes: [] })
      return events.length
    })
  }

  /** The events that the ledger does not have. Two changes within a second have one key, and the first one counts. */
  async #unknownOf<Found extends Pick<MissedEvent, 'event'>>(found: readonly Found[]): Promise<Found[]> {
    const unknown = new Map<string, Found>()
    for (const each of found) {
      const { dedupe_key } = each.event
      if (!unknown.has(dedupe_key) && !(await this.parts.ledger.knows(dedupe_key))) unknown.set(dedupe_key, each)
    }
    return [...unknown.values()]
  }
}

/** @returns undefined if changes of the place that it watches now were never recorded */
function beganBefore({ tracked, place }: TrackedWatch): TrackedState | undefined {
  const before = readTracked(tracked)
  return before && JSON.stringify(before.watched) === JSON.stringify(place) ? before : undefined
}

/** @returns undefined also for the state of another release */
function readTracked(kept: Payload | null | undefined): TrackedState | undefined {
  const from = kept ?? undefined
  const [since, queue, saved] = [textAt(from, 'since'), textAt(from, 'queue'), textAt(from, 'saved')]
  const watched = objectAt(from, 'watched')
  const [stream, topic] = [textAt(watched, 'stream'), watched?.topic]
  if (since === undefined || queue === undefined || saved === undefined || stream === undefined) return undefined
  return { since, queue, saved, watched: { stream, ...(typeof topic === 'string' ? { topic } : {}) } }
}
