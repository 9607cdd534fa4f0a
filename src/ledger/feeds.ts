import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../model/app-error.js'
import { coalesceCalls } from '../model/coalesce-calls.js'
import {
  FEED_SECONDS,
  type FeedOutcome,
  type FeedProof,
  type FeedState,
  needsSecret,
  type ShownSource,
} from '../model/sources/source-definition.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import type { DefinedAdapter } from '../platforms/defined/adapter.js'
import { loginHeaders } from '../platforms/feeds/feed-login.js'
import type { Feed } from '../platforms/feeds/parse-feed.js'
import type { FeedVersion, readFeed } from '../platforms/feeds/read-feed.js'
import { withoutQuery } from '../platforms/feeds/without-query.js'
import type { NoteStore } from '../store/note-store.js'
import type { EventDelivery } from './event-recorder.js'
import { type DueFeed, type FeedLane, FeedQueue } from './feed-queue.js'
import { type DefinedFeed, FeedReadingStates } from './feed-reading-states.js'
import { FeedRequests } from './feed-requests.js'
import type { DefinedSource } from './sources.js'

interface FeedsParts {
  clock: () => Micros
  read: typeof readFeed
  list(): Promise<ShownSource[]>
  find(name: string): Promise<DefinedSource | undefined>
  /** How long a reading may take in each lane. */
  seconds?: Readonly<Record<FeedLane, number>>
  /** Records the events that the ledger does not have. */
  record(deliveries: readonly EventDelivery[]): Promise<{ created: number; known: number }>
  notes: NoteStore
}

/** Result of a scheduled reading. */
export interface FeedReport {
  source: string
  outcome?: FeedOutcome
  /** Why it could not be read. */
  error?: unknown
}

/** A stored source. Saving it discards the state of its feed, even if only the secret changed. */
type SavedSource = Pick<ShownSource, 'definition' | 'updated_at'>

const SECOND: Micros = 1_000_000
const LONGEST_SECONDS = 86_400
/** Items of one transaction. Between two of them, other requests get a turn. */
const BATCH = 25
const SECONDS: Readonly<Record<FeedLane, number>> = { quick: 5, slow: 60 }

interface Reading {
  seconds: number
  signal?: AbortSignal | undefined
  /** It continues in the slow lane after it has taken too long. */
  isContinued?: boolean
}

/** Feeds that operators have defined as sources. */
export class Feeds {
  readonly #readingStates: FeedReadingStates
  readonly #queue = new FeedQueue()
  readonly #requests = new FeedRequests()
  /** The readers of a server share one search for due feeds. */
  readonly #addDue = coalesceCalls(() => this.#queueDue())
  /** By name of the source. */
  readonly #readings = new Map<string, Promise<FeedOutcome>>()

  constructor(private readonly parts: FeedsParts) {
    this.#readingStates = new FeedReadingStates(parts.notes)
  }

  /** States by name, for those of these feeds that a server of the ledger has read. */
  states(sources: readonly SavedSource[]): Promise<Map<string, FeedState>> {
    return this.#readingStates.states(
      sources.filter(({ definition }) => definition.proof.type === 'feed').map(asDefined),
    )
  }

  /** Call it when a source is deleted. */
  forget(name: string): Promise<void> {
    return this.#readingStates.forget(name)
  }

  /**
   * Reads a feed because a user asks for it. If it is being read already, waits for that reading.
   *
   * @throws AppError `conflict/not_a_feed`, `forbidden/source_closed`, `throttled/read_too_often`, `…/platform_…`; the signal's
   *   reason
   */
  async read(source: DefinedSource, signal?: AbortSignal): Promise<FeedOutcome> {
    const { name } = source.adapter.definition
    const { url } = feedOf(source)
    const running = this.#readings.get(name)
    if (running) {
      try {
        return await running
      } catch (error) {
        // A scheduled reading has less time, and the user who started another one may have left.
        if (error instanceof AppError && !isTimeout(error)) throw error
      }
      signal?.throwIfAborted()
      return this.read(source, signal)
    }
    this.#requests.take(new URL(url).host, this.parts.clock())
    return this.#read(source, { seconds: this.#secondsOf('slow'), signal })
  }

  /**
   * Reads the feeds of a lane that are due, one after another. Several callers share the work. Feeds that are too slow
   * for the quick lane are left to the callers for the slow lane.
   */
  async readDue(lane: FeedLane, report: (report: FeedReport) => void, signal: AbortSignal): Promise<void> {
    await this.#addDue()
    while (!signal.aborted) {
      const feed = this.#queue.take(lane)
      if (feed === undefined) return
      const done = await this.#readOne(lane, feed, signal)
      if (done) report(done)
    }
  }

  async #queueDue(): Promise<void> {
    const sources = await this.parts.list()
    this.#queue.keep(new Set(sources.map(({ definition }) => definition.name)))
    await this.#readingStates.forgetOthers(async () => {
      return new Set((await this.parts.list()).map(({ definition }) => definition.name))
    })
    for (const { definition, accepts, feed } of sources) {
      const { name, proof } = definition
      if (!accepts || proof.type !== 'feed' || !this.#isDue(feed)) continue
      this.#queue.add({ name, host: new URL(proof.url).host })
    }
  }

  /** @returns undefined for one that continues in the slow lane, was deleted, or was read since the sources were listed */
  async #readOne(lane: FeedLane, feed: DueFeed, signal: AbortSignal): Promise<FeedReport | undefined> {
    const { name } = feed
    const seconds = this.#secondsOf(lane)
    const began = performance.now()
    let isTooSlow = false
    try {
      const source = await this.parts.find(name)
      const memory = source && (await this.#readingStates.find(definedFeed(source)))
      if (!source || !this.#isDue(memory?.state) || this.#readings.has(name)) return undefined
      return { source: name, outcome: await this.#read(source, { seconds, signal, isContinued: lane === 'quick' }) }
    } catch (error) {
      signal.throwIfAborted()
      isTooSlow = isTimeout(error)
      return isTooSlow && lane === 'quick' ? undefined : { source: name, error }
    } finally {
      if (isTooSlow && lane === 'quick') this.#queue.moveToSlow(feed)
      else this.#queue.release(lane, feed, performance.now() - began > this.#secondsOf('quick') * 1_000)
    }
  }

  #isDue(state: FeedState | undefined): boolean {
    if (state === undefined) return true
    const now = this.parts.clock()
    const isAfter = (instant: Micros) => state.next_read_at > toTimestamp(instant)
    // A longer wait than any was stored before the clock was set back.
    return !isAfter(now) || isAfter(now + LONGEST_SECONDS * SECOND)
  }

  #secondsOf(lane: FeedLane): number {
    return (this.parts.seconds ?? SECONDS)[lane]
  }

  async #read(source: DefinedSource, reading: Reading): Promise<FeedOutcome> {
    const { name } = source.adapter.definition
    const outcome = this.#ask(source, reading)
    this.#readings.set(name, outcome)
    try {
      return await outcome
    } finally {
      if (this.#readings.get(name) === outcome) this.#readings.delete(name)
    }
  }

  async #ask(source: DefinedSource, { seconds, signal, isContinued = false }: Reading): Promise<FeedOutcome> {
    const { definition, normalise } = source.adapter
    const { name } = definition
    const proof = feedOf(source)
    const defined = definedFeed(source)
    const before = await this.#readingStates.find(defined)
    const everySeconds = proof.every_seconds ?? FEED_SECONDS
    try {
      // The server of the feed knows the first of several secrets.
      const login = loginHeaders(proof, source.secrets[0])
      const asked = { before: before?.version, login, seconds, signal }
      const { version, feed } = await this.parts.read(proof.url, asked)
      const counts = feed
        ? await this.#record({ source: name, url: withoutQuery(proof.url) }, feed, normalise)
        : { created: 0, known: 0 }
      await this.#remember(defined, { version, failures: 0, waitSeconds: everySeconds })
      return { ...counts, unchanged: feed === undefined }
    } catch (error) {
      if (signal?.aborted || (isContinued && isTimeout(error))) throw error
      const failures = (before?.failures ?? 0) + 1
      const asked = error instanceof AppError ? (error.retryAfterSeconds ?? 0) : 0
      const now = this.parts.clock()
      if (asked > 0) this.#requests.close(new URL(proof.url).host, now + Math.ceil(asked) * SECOND)
      const waitSeconds = Math.min(Math.max(everySeconds * 2 ** Math.min(failures, 10), asked), LONGEST_SECONDS)
      const problem = error instanceof AppError ? error.message : 'An internal error; see the log of the server.'
      await this.#remember(defined, { version: before?.version, failures, waitSeconds, problem })
      throw error
    }
  }

  /**
   * Records items oldest first, because feeds begin with the newest. Each item is a separate delivery.
   *
   * @param from distinguishes feeds; the address alone does not, as every reader sees it and a query may have a secret
   */
  async #record(
    from: { source: string; url: string },
    { items, ...about }: Feed,
    normalise: DefinedAdapter['normalise'],
  ) {
    const counts = { created: 0, known: 0 }
    const oldestFirst = items.toReversed()
    for (let at = 0; at < oldestFirst.length; at += BATCH) {
      const deliveries = oldestFirst.slice(at, at + BATCH).flatMap(item => {
        const body = Buffer.from(JSON.stringify({ feed: { ...from, ...about }, item }))
        return normalise({ headers: {}, body }, {}).events.map((event): EventDelivery => {
          return { event, provenance: { route: 'capture', verified: 'none' } }
        })
      })
      const { created, known } = await this.parts.record(deliveries)
      counts.created += created
      counts.known += known
      await nextTurn()
    }
    return counts
  }

  async #remember(
    feed: DefinedFeed,
    {
      version,
      failures,
      waitSeconds,
      problem,
    }: { version: FeedVersion | undefined; failures: number; waitSeconds: number; problem?: string },
  ): Promise<void> {
    const now = this.parts.clock()
    await this.#readingStates.save(feed, {
      failures,
      ...(version === undefined ? {} : { version }),
      state: {
        read_at: toTimestamp(now),
        next_read_at: toTimestamp(now + Math.ceil(waitSeconds) * SECOND),
        ...(problem === undefined ? {} : { problem }),
      },
    })
  }
}

/** @throws AppError `conflict/not_a_feed`, `forbidden/source_closed` */
function feedOf({ adapter, secrets }: DefinedSource): FeedProof {
  const { name, proof, enabled } = adapter.definition
  if (proof.type !== 'feed') {
    throw new AppError(
      'conflict',
      'not_a_feed',
      `The source "${name}" is not a feed: its events are delivered by webhook.`,
    )
  }
  if (enabled === false) throw new AppError('forbidden', 'source_closed', 'This source is disabled, so it is not read.')
  if (needsSecret({ proof }) && secrets.length === 0) {
    const hint = `Set one with "daybook sources add ${name} --secret-file <file>".`
    throw new AppError('forbidden', 'source_closed', 'This feed has no secret for its login, so it is not read.', {
      hint,
    })
  }
  return proof
}

function definedFeed({ adapter: { definition }, updated_at }: DefinedSource): DefinedFeed {
  return asDefined({ definition, updated_at })
}

function asDefined({ definition, updated_at }: SavedSource): DefinedFeed {
  return { name: definition.name, definition: JSON.stringify([updated_at, definition]) }
}

function isTimeout(error: unknown): boolean {
  return error instanceof AppError && error.code === 'platform_timeout'
}
