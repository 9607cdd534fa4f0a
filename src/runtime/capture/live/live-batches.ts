import type { Logger } from 'pino'
import type { LiveEvent, LiveMark } from '../../../ledger/event-recorder.js'
import type { Ledger } from '../../../ledger/ledger.js'
import { captureEndReason, readToOf } from '../../../ledger/watch-times.js'
import type { NewEvent } from '../../../model/events/event.js'
import type { ChatAccount } from '../../../model/platforms/chat-account.js'
import { CAPTURE_LIMITS } from '../../../model/subscriptions/capture.js'
import type { CaptureState, Subscription } from '../../../model/subscriptions/subscription.js'
import { type Micros, readTimestamp, toTimestamp } from '../../../model/timestamp.js'
import type { ChatApi } from '../../../platforms/chat/capture/chat-api.js'
import { nextReread } from '../../../platforms/chat/capture/reread.js'
import { type ChatContext, hostOf } from '../../../platforms/chat/context.js'
import { toLiveEvents } from '../../../platforms/chat/live/live-events.js'
import { MessageFinder } from '../../../platforms/chat/live/message-finder.js'
import { readStreamChanges, type StreamChange } from '../../../platforms/chat/live/stream-change.js'
import {
  currentFollowedPlace,
  type FollowedPlace,
  readFollowedPlace,
  watchedPlaceOf,
} from '../../../platforms/chat/watched-place.js'
import type { Payload } from '../../../platforms/mapping/payload.js'
import type { Lease } from '../../../store/event-store.js'
import type { Captures } from '../captures.js'
import { ChangeReader, type ChangesRead } from './change-reader.js'
import { type PlacedStreamChange, placeStreamChanges, selectsKind, type TrackedWatch } from './place-stream-changes.js'
import { RecordedMessages } from './recorded-messages.js'

interface LiveBatchesParts {
  ledger: Pick<Ledger, 'recordLive' | 'listPolled' | 'listKeysOf' | 'getEvent' | 'knows' | 'query'>
  captures: Pick<Captures, 'runEach' | 'whileIdle' | 'usersOf'>
  chat: ChatAccount
  logger: Pick<Logger, 'info' | 'warn'>
  /** For messages that an event names only by id. */
  api: ChatApi
  /** Wall clock in microseconds. */
  clock: () => Micros
  /** Milliseconds of a clock that never steps back. */
  elapsed: () => number
}

interface BatchOptions {
  queueId: string
  /** Some of the events may be recorded already. */
  isRepeated: boolean
  signal: AbortSignal
}

export interface BatchResult {
  created: number
  duplicates: number
}

const NOTHING: BatchResult = { created: 0, duplicates: 0 }
/** Events per transaction. */
const EVENTS_AT_ONCE = 500
/** How long to wait before a watch that could not be captured is tried again. */
const RETRY_MS = 30_000

/**
 * Records the events that the queue reports for watched places. The position of a watch moves only after a capture
 * since the queue was registered, so that no message is skipped.
 */
export class LiveBatches {
  #finder: MessageFinder
  readonly #changes: ChangeReader
  readonly #recorded: RecordedMessages
  readonly #context: ChatContext
  /** The watches that were captured since the queue was registered, each with its place at that time. */
  #caughtUp = new Map<string, string>()
  /** Watches whose stream or topic the chat server did not know. */
  readonly #unknown = new Set<string>()
  /** When to try the capture of a watch again. */
  readonly #retryAt = new Map<string, number>()

  constructor(private readonly parts: LiveBatchesParts) {
    this.#context = { site: parts.chat.site }
    this.#recorded = new RecordedMessages(parts.ledger, this.#context)
    this.#finder = this.#newFinder()
    const listWatches = () => this.#listWatches()
    this.#changes = new ChangeReader({ ...parts, context: this.#context, recorded: this.#recorded, listWatches })
  }

  /** Starts over with a new queue: every watch has to be captured once. */
  reset(queueId: string): void {
    this.#caughtUp.clear()
    this.#retryAt.clear()
    this.#unknown.clear()
    // Messages may have moved while no queue was read.
    this.#finder = this.#newFinder()
    this.#changes.reset(queueId)
  }

  /** Reads changes that happened while no queue was read, for some seconds. @throws AppError as `ChangeReader` */
  readMissed(signal: AbortSignal): Promise<ChangesRead> {
    return this.#changes.read(this.#finder.places, signal)
  }

  #newFinder(): MessageFinder {
    return new MessageFinder({ api: this.parts.api, findRecorded: id => this.#recorded.find(id) })
  }

  /**
   * Captures every watch that was not captured since the queue was registered.
   *
   * @returns how many new messages there were
   * @throws the signal's reason once it is aborted
   */
  async catchUp(signal: AbortSignal): Promise<number> {
    const now = this.parts.elapsed()
    const watches = await this.#listWatches()
    const behind = watches.filter(({ isCaughtUp }) => !isCaughtUp)
    return this.#capture(
      behind.map(({ id }) => id).filter(id => (this.#retryAt.get(id) ?? 0) <= now),
      signal,
    )
  }

  async #capture(ids: readonly string[], signal: AbortSignal): Promise<number> {
    if (ids.length === 0) return 0
    const request = { backfill: CAPTURE_LIMITS.defaultBackfill, chat: this.parts.chat }
    await this.#changes.begin(ids)
    const before = new Map((await this.#listWatches()).map(({ id, followed }) => [id, followed]))
    const { captures } = await this.parts.captures.runEach(ids, request, { signal })
    const retryAt = this.parts.elapsed() + RETRY_MS
    const watches = await this.#listWatches()
    const places = new Map(watches.map(({ id, place }) => [id, JSON.stringify(place)]))
    for (const { subscription_id: id, outcome, error } of captures) {
      const place = places.get(id)
      this.#unknown.delete(id)
      this.#retryAt.delete(id)
      if (outcome === 'captured' && place !== undefined) this.#caughtUp.set(id, place)
      if (error) this.#retryAt.set(id, retryAt)
      if (error?.code === 'chat_narrow_refused') this.#unknown.add(id)
    }
    for (const { id, followed } of watches) {
      if (ids.includes(id) && isElsewhere(before.get(id), followed)) await this.#changes.noteMoved(id)
    }
    // A capture on another server has discarded the stored state of the watch.
    await this.#changes.begin(ids)
    return captures.reduce((sum, { created }) => sum + created, 0)
  }

  /** Records one answer of the queue. @throws AppError as `ChatApi`, `Ledger.recordLive`, `Captures.whileIdle` */
  async record(events: readonly Payload[], options: BatchOptions): Promise<BatchResult> {
    const { captures } = this.parts
    const streamChanges = events.flatMap(readStreamChanges)
    if (streamChanges.length === 0) return NOTHING
    await this.catchUp(options.signal)
    const found = await this.#place(streamChanges, await this.#listWatches(), options)
    found.undoMoves()
    const ids = new Set(found.placed.flatMap(({ watches }) => watches.map(({ id }) => id)))
    if (ids.size === 0) return NOTHING
    // The chat server now knows the stream of these watches.
    await this.#capture(
      [...ids].filter(id => this.#unknown.has(id)),
      options.signal,
    )
    return captures.whileIdle([...ids], async leases => {
      // A capture may have moved the watches.
      const watches = (await this.#listWatches()).filter(({ id }) => ids.has(id))
      const { placed, tracked, undoMoves } = await this.#place(streamChanges, watches, options)
      try {
        return await this.#recordPlaced(placed, { tracked, leases, ...options })
      } catch (error) {
        // The queue reports the same events again.
        undoMoves()
        throw error
      }
    })
  }

  #place(streamChanges: readonly StreamChange[], watches: readonly TrackedWatch[], { signal }: BatchOptions) {
    return placeStreamChanges(streamChanges, { watches, finder: this.#finder, signal })
  }

  async #recordPlaced(
    placed: readonly PlacedStreamChange[],
    options: BatchOptions & { tracked: readonly TrackedWatch[]; leases: ReadonlyMap<string, Lease> },
  ): Promise<BatchResult> {
    const { api, chat, captures, ledger } = this.parts
    const { tracked, leases, queueId, isRepeated, signal } = options
    const messages = placed.flatMap(({ streamChange }) => streamChange.message ?? [])
    const users = await captures.usersOf(chat).usersFor(messages, api, signal)
    const context = { ...this.#context, users }
    const found: { event: NewEvent; marks: LiveMark[] }[] = []
    for (const { streamChange, watches } of placed) {
      for (const event of toLiveEvents(streamChange, queueId, context)) {
        const marks = streamChange.message
          ? await this.#marksOfMessage(event, streamChange.message.id, watches)
          : watches.filter(watch => selectsKind(watch, event)).map(({ id }): LiveMark => ({ id }))
        if (streamChange.message ? marks.length === 0 : isRepeated && (await ledger.knows(event.dedupe_key))) continue
        for (const mark of marks) mark.lease = leases.get(mark.id)
        found.push({ event, marks })
      }
    }
    const notes = noteChanges(found, tracked, this.parts.clock())
    const counts = { created: 0, duplicates: 0 }
    for (let at = 0; at === 0 || at < found.length; at += EVENTS_AT_ONCE) {
      const isLast = at + EVENTS_AT_ONCE >= found.length
      const events: LiveEvent[] = found.slice(at, at + EVENTS_AT_ONCE)
      const outcomes = await ledger.recordLive({ events, notes: isLast ? notes : [] })
      const created = outcomes.filter(outcome => outcome.created).length
      counts.created += created
      counts.duplicates += outcomes.length - created
    }
    return counts
  }

  /**
   * The watches for which a message is new, and their new positions. The other watches have it already, or will receive
   * it by capture because they were not captured since the queue was registered.
   */
  async #marksOfMessage(event: NewEvent, id: number, watches: readonly TrackedWatch[]): Promise<LiveMark[]> {
    const marks: LiveMark[] = []
    for (const watch of watches) {
      if (!watch.isCaughtUp) continue
      const isOlder = id <= watch.readTo
      if (isOlder && (await this.parts.ledger.listKeysOf(watch.id, [event.dedupe_key])).length > 0) continue
      watch.readTo = Math.max(watch.readTo, id)
      marks.push({ id: watch.id, cursor: String(id) })
    }
    return marks
  }

  /** The watches that capture polls on this server, as they are now. */
  async #listWatches(): Promise<TrackedWatch[]> {
    const now = this.parts.clock()
    const host = hostOf(this.#context, {})
    const watches = await this.parts.ledger.listPolled()
    const tracked = watches.flatMap(watch =>
      captureEndReason(watch, now) === undefined ? this.#track(watch, host) : [],
    )
    // A watch that was disabled or had another place in between has missed events.
    const caughtUp = tracked.filter(({ isCaughtUp }) => isCaughtUp)
    this.#caughtUp = new Map(caughtUp.map(({ id, place }) => [id, JSON.stringify(place)]))
    return tracked
  }

  #track(watch: Subscription, host: string): TrackedWatch[] {
    const place = watch.source === 'chat' ? watchedPlaceOf(watch) : undefined
    if (!place) return []
    const { id, event_kinds: kinds, capture } = watch
    const isHere = (capture?.host ?? host) === host
    const readTo = isHere ? Number(readToOf(watch) ?? 0) : 0
    const followed = isHere ? currentFollowedPlace(place, readFollowedPlace(capture?.followed ?? undefined)) : undefined
    const before = { readTo, followed, reread: capture?.reread ?? undefined }
    const kept = { saved: watch.updated_at, tracked: isHere ? capture?.tracked : undefined }
    const isCaughtUp = this.#caughtUp.get(id) === JSON.stringify(place)
    return [{ id, kinds, place, followed, readTo, before, isCaughtUp, ...kept }]
  }
}

function isElsewhere(before: FollowedPlace | undefined, now: FollowedPlace | undefined): boolean {
  return before !== undefined && now !== undefined && (before.stream_id !== now.stream_id || before.topic !== now.topic)
}

/** Adds the change of each watch's capture to the watch's last event. @returns the changes of those without an event */
function noteChanges(
  found: readonly { marks: LiveMark[] }[],
  tracked: readonly TrackedWatch[],
  now: Micros,
): { id: string; captured: CaptureState }[] {
  const marks = new Map(found.flatMap(({ marks }) => marks.map(mark => [mark.id, mark] as const)))
  return tracked.flatMap(watch => {
    const captured = changesOf(watch, now)
    const last = marks.get(watch.id)
    if (!captured) return []
    if (!last) return [{ id: watch.id, captured }]
    last.captured = captured
    return []
  })
}

function changesOf({ readTo, followed, before }: TrackedWatch, now: Micros): CaptureState | undefined {
  const changes: CaptureState = {}
  if (followed && JSON.stringify(followed) !== JSON.stringify(before.followed)) changes.followed = { ...followed }
  if (readTo > before.readTo) {
    const last = before.reread
      ? {
          from: Number(before.reread.from),
          next: Number(before.reread.next),
          since: readTimestamp('since', before.reread.since).micros,
        }
      : undefined
    const { from, next, since } = nextReread(last, before.readTo, now)
    changes.read_to = String(readTo)
    changes.reread = { from: String(from), next: String(next), since: toTimestamp(since) }
  }
  return Object.keys(changes).length > 0 ? changes : undefined
}
