import { setImmediate as turn } from 'node:timers/promises'
import { AppError } from '../model/app-error.js'
import {
  FEED_SECONDS,
  type FeedOutcome,
  type FeedState,
  type ShownSource,
  type SourceDefinition,
} from '../model/sources/source-definition.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import type { Feed } from '../platforms/feeds/parse-feed.js'
import type { FeedVersion, readFeed } from '../platforms/feeds/read-feed.js'
import { withoutQuery } from '../platforms/feeds/without-query.js'
import type { OwnAdapter } from '../platforms/own/adapter.js'
import type { NoteStore } from '../store/note-store.js'
import type { EventDelivery } from './event-recorder.js'
import { type DefinedFeed, FeedMemories } from './feed-memories.js'
import type { OwnSource } from './sources.js'

export interface FeedsParts {
  clock: () => Micros
  read: typeof readFeed
  list(): Promise<ShownSource[]>
  find(name: string): Promise<OwnSource | undefined>
  /** Records what the ledger does not have. */
  record(deliveries: readonly EventDelivery[]): Promise<{ created: number; known: number }>
  notes: NoteStore
}

/** What reading a feed on schedule has done. */
export interface FeedReport {
  source: string
  outcome?: FeedOutcome
  /** Why it could not be read. */
  error?: unknown
}

const SECOND: Micros = 1_000_000
const LONGEST_SECONDS = 86_400
/** Items of one transaction. Between two of them, other requests get a turn. */
const BATCH = 25

/** Feeds that operators have defined as sources. */
export class Feeds {
  readonly #memories: FeedMemories
  /** Due, and taken by no reader yet. */
  readonly #waiting: string[] = []
  /** Those that wait, and those that are being read. */
  readonly #taken = new Set<string>()

  constructor(private readonly parts: FeedsParts) {
    this.#memories = new FeedMemories(parts.notes)
  }

  /** States of the feeds among these sources that a server of the ledger has read, by name. */
  states(definitions: readonly SourceDefinition[]): Promise<Map<string, FeedState>> {
    return this.#memories.states(definitions.filter(({ proof }) => proof.type === 'feed').map(asDefined))
  }

  /** Call it when a source is deleted. */
  forget(name: string): Promise<void> {
    return this.#memories.forget(name)
  }

  /** @throws AppError `conflict/not_a_feed`, `forbidden/source_closed`, `…/platform_…`; the signal's reason */
  async read({ definition, normalise }: OwnAdapter, signal?: AbortSignal): Promise<FeedOutcome> {
    const { name, proof, enabled } = definition
    if (proof.type !== 'feed') {
      throw new AppError(
        'conflict',
        'not_a_feed',
        `The source "${name}" is not a feed: its events are delivered by webhook.`,
      )
    }
    if (enabled === false)
      throw new AppError('forbidden', 'source_closed', 'This source is disabled, so it is not read.')
    const before = await this.#memories.find(asDefined(definition))
    const everySeconds = proof.every_seconds ?? FEED_SECONDS
    try {
      const { version, feed } = await this.parts.read(proof.url, { before: before?.version, signal })
      const counts = feed
        ? await this.#record({ source: name, url: withoutQuery(proof.url) }, feed, normalise)
        : { created: 0, known: 0 }
      await this.#remember(definition, { version, failures: 0, waitSeconds: everySeconds })
      return { ...counts, unchanged: feed === undefined }
    } catch (error) {
      if (signal?.aborted) throw error
      const failures = (before?.failures ?? 0) + 1
      const asked = error instanceof AppError ? (error.retryAfterSeconds ?? 0) : 0
      const waitSeconds = Math.min(Math.max(everySeconds * 2 ** Math.min(failures, 10), asked), LONGEST_SECONDS)
      const problem = error instanceof AppError ? error.message : 'An internal error; see the log of the server.'
      await this.#remember(definition, { version: before?.version, failures, waitSeconds, problem })
      throw error
    }
  }

  /** Reads the feeds that are due, one after another. Several callers share the work, so that a slow feed delays no other. */
  async readDue(report: (report: FeedReport) => void, signal: AbortSignal): Promise<void> {
    const sources = await this.parts.list()
    await this.#memories.forgetOthers(async () => {
      return new Set((await this.parts.list()).map(({ definition }) => definition.name))
    })
    for (const { definition, accepts, feed } of sources) {
      const { name, proof } = definition
      if (!accepts || proof.type !== 'feed' || this.#taken.has(name)) continue
      if (!this.#isDue(feed)) continue
      this.#taken.add(name)
      this.#waiting.push(name)
    }
    while (!signal.aborted) {
      const name = this.#waiting.shift()
      if (name === undefined) return
      try {
        const done = await this.#readOne(name, signal)
        if (done) report(done)
      } finally {
        this.#taken.delete(name)
      }
    }
  }

  /** @returns undefined for one that was deleted, or read by another reader since the sources were listed */
  async #readOne(name: string, signal: AbortSignal): Promise<FeedReport | undefined> {
    try {
      const source = await this.parts.find(name)
      const memory = source && (await this.#memories.find(asDefined(source.adapter.definition)))
      if (!source || !this.#isDue(memory?.state)) return undefined
      return { source: name, outcome: await this.read(source.adapter, signal) }
    } catch (error) {
      signal.throwIfAborted()
      return { source: name, error }
    }
  }

  #isDue(state: FeedState | undefined): boolean {
    return state === undefined || state.next_read_at <= toTimestamp(this.parts.clock())
  }

  /**
   * Oldest first, as feeds begin with the newest. Every item is a delivery of its own.
   *
   * @param from tells feeds apart; the address alone does not, as every reader sees it and a query may have a secret
   */
  async #record(from: { source: string; url: string }, { items, ...about }: Feed, normalise: OwnAdapter['normalise']) {
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
      await turn()
    }
    return counts
  }

  async #remember(
    definition: SourceDefinition,
    {
      version,
      failures,
      waitSeconds,
      problem,
    }: { version: FeedVersion | undefined; failures: number; waitSeconds: number; problem?: string },
  ): Promise<void> {
    const now = this.parts.clock()
    await this.#memories.save(asDefined(definition), {
      failures,
      ...(version === undefined ? {} : { version }),
      state: {
        ...{ read_at: toTimestamp(now), next_read_at: toTimestamp(now + Math.ceil(waitSeconds) * SECOND) },
        ...(problem === undefined ? {} : { problem }),
      },
    })
  }
}

function asDefined(definition: SourceDefinition): DefinedFeed {
  return { name: definition.name, definition: JSON.stringify(definition) }
}
