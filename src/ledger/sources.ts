import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError, invalidField } from '../model/app-error.js'
import type { Provenance, StoredEvent } from '../model/events/event.js'
import { type EventPage, type EventQuery, eventsOf } from '../model/events/event-query.js'
import { readObject } from '../model/json-object.js'
import {
  type FeedOutcome,
  needsSecret,
  type ShownSource,
  SOURCE_LIMITS,
  type SourceDefinition,
  type SourceProof,
  webhookPathOf,
} from '../model/sources/source-definition.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import { compileDefinedAdapter, type DefinedAdapter, readSourceDefinition } from '../platforms/defined/adapter.js'
import { fromPayload } from '../platforms/defined/body.js'
import { UNMAPPED } from '../platforms/defined/mapping.js'
import type { RecordOutcome } from '../store/event-store.js'
import type { ListedSource, SourceStore } from '../store/source-store.js'
import type { EventDelivery } from './event-recorder.js'
import type { Feeds } from './feeds.js'

interface SourcesParts {
  store: SourceStore
  clock: () => Micros
  query(query: EventQuery): Promise<EventPage>
  record(deliveries: readonly EventDelivery[]): Promise<RecordOutcome[]>
  feeds: Pick<Feeds, 'read' | 'states' | 'forget'>
}

/** A source as deliveries need it. */
export interface DefinedSource {
  adapter: DefinedAdapter
  /** All currently valid secrets. */
  secrets: readonly string[]
  updated_at: string
}

/** Result of a remapping. */
export interface RemapOutcome {
  /** Events that were new. */
  created: number
  /** Events that an earlier remapping or another delivery has already created. */
  duplicates: number
  /** Deliveries, or items of one, that still fit no rule. */
  unmapped: number
}

const FRESH: Micros = 1_000_000
const PAGE = 100
const EVENTS_A_RECORD = 1_000
/** Size of a page: its events are parsed on the thread that answers all requests. */
const PAGE_BYTES = 4 * 1024 * 1024

/** Sources that operators define: their definitions, and the deliveries that fit no rule. */
export class Sources {
  /** Bounded by the number of sources. `text`: the definition that the adapter was made from. */
  readonly #compiled = new Map<string, { text: string; adapter: DefinedAdapter }>()

  /** Bounded in the same way. */
  readonly #found = new Map<string, { at: Micros; source: Promise<DefinedSource | undefined> }>()

  constructor(private readonly parts: SourcesParts) {}

  /**
   * The source as stored at most a second ago: another server may have changed it since. A change by this process takes
   * effect immediately.
   */
  find(name: string): Promise<DefinedSource | undefined> {
    const now = this.parts.clock()
    const kept = this.#found.get(name)
    if (kept && now >= kept.at && now - kept.at < FRESH) return kept.source
    const source = this.#read(name)
    const read = { at: now, source }
    this.#found.set(name, read)
    // Only sources that exist are kept, so that unknown names use no memory.
    const forget = () => {
      if (this.#found.get(name) === read) this.#found.delete(name)
    }
    source.then(found => found ?? forget(), forget)
    return source
  }

  async #read(name: string): Promise<DefinedSource | undefined> {
    const stored = await this.parts.store.find(name)
    if (stored === undefined) {
      this.#compiled.delete(name)
      return undefined
    }
    const text = JSON.stringify(stored.definition)
    const known = this.#compiled.get(name)
    const adapter = known?.text === text ? known.adapter : compileDefinedAdapter(stored.definition)
    if (adapter !== known?.adapter) this.#compiled.set(name, { text, adapter })
    return { adapter, secrets: stored.secrets, updated_at: stored.updated_at }
  }

  async list(): Promise<ShownSource[]> {
    return this.#shown(await this.parts.store.list())
  }

  /** @throws AppError `not_found/not_found` */
  async get(name: string): Promise<ShownSource> {
    const found = await this.parts.store.find(name)
    if (found === undefined) throw unknownSource(name)
    const { secrets, ...source } = found
    return this.#shownOne({ ...source, secret_count: secrets.length })
  }

  /**
   * Creates a source, or replaces the definition of the one with its name. Its secrets stay unless others are sent. A
   * new definition must not send the stored secrets to another server, as the login of a feed: no answer shows a
   * secret, so a definition must not either.
   *
   * @param input `definition`, and `secrets`: all currently valid ones
   * @throws AppError `invalid/invalid_json`, `invalid/invalid_field` with the place, `conflict/too_many_sources`
   */
  async save(name: string, input: unknown): Promise<{ created: boolean; source: ShownSource }> {
    const { definition: sent, secrets } = readInput(input)
    const definition = readSourceDefinition(sent)
    if (definition.name !== name) {
      throw invalidField(
        '/definition/name',
        `/definition/name is "${definition.name}", but the address names "${name}".`,
      )
    }
    if (secrets === undefined) await this.#refuseOtherReceiver(definition)
    const now = toTimestamp(this.parts.clock())
    const saved = await this.parts.store.save({ definition, secrets, now }, SOURCE_LIMITS.sources)
    this.#found.delete(name)
    return { created: saved.created, source: await this.#shownOne(saved.source) }
  }

  /** @throws AppError `invalid/invalid_field` for a definition that would send the stored secrets to another server */
  async #refuseOtherReceiver({ name, proof }: SourceDefinition): Promise<void> {
    const receiver = receiverOf(proof)
    if (receiver === undefined) return
    const stored = await this.parts.store.find(name)
    if (!stored || stored.secrets.length === 0 || receiverOf(stored.definition.proof) === receiver) return
    const detail = `/secrets is required: ${receiver} would receive the stored secret, which was not given for it.`
    throw invalidField('/secrets', detail)
  }

  /** Deletes the source; its events stay. @throws AppError `not_found/not_found` */
  async delete(name: string): Promise<void> {
    const existed = await this.parts.store.delete(name)
    await this.parts.feeds.forget(name)
    this.#compiled.delete(name)
    this.#found.delete(name)
    if (!existed) throw unknownSource(name)
  }

  /**
   * Applies the current definition to the deliveries that fitted no rule. Those that fit now are recorded as new
   * events; the kept deliveries stay as they are.
   *
   * @throws AppError `not_found/not_found`
   */
  async remap(name: string, signal?: AbortSignal): Promise<RemapOutcome> {
    const source = await this.find(name)
    if (source === undefined) throw unknownSource(name)
    const outcome: RemapOutcome = { created: 0, duplicates: 0, unmapped: 0 }
    const query = { order: 'asc', limit: PAGE, sources: [name], kinds: [UNMAPPED] } as const
    let since: Micros | undefined
    for (let hasMore = true; hasMore; ) {
      signal?.throwIfAborted()
      const page = await this.#page(since === undefined ? query : { ...query, since })
      const kept = eventsOf(page)
      let waiting: EventDelivery[] = []
      for (const [index, event] of kept.entries()) {
        const { deliveries, unmapped } = remapped(source.adapter, event)
        outcome.unmapped += unmapped
        waiting = waiting.concat(deliveries)
        if (waiting.length >= PAGE || index === kept.length - 1) {
          await this.#recordAll(waiting, outcome)
          waiting = []
        }
        await nextTurn()
      }
      since = page.latestCapturedAt ?? since
      hasMore = page.hasMore
    }
    return outcome
  }

  async #recordAll(deliveries: readonly EventDelivery[], outcome: RemapOutcome): Promise<void> {
    for (let from = 0; from < deliveries.length; from += EVENTS_A_RECORD) {
      const outcomes = await this.parts.record(deliveries.slice(from, from + EVENTS_A_RECORD))
      for (const { created } of outcomes) outcome[created ? 'created' : 'duplicates'] += 1
    }
  }

  /**
   * Reads a feed now, and records the items that the ledger does not have.
   *
   * @throws AppError `not_found/not_found`, `conflict/not_a_feed`, `forbidden/source_closed`, `throttled/read_too_often`,
   *   `…/platform_…`
   */
  async readFeed(name: string, signal?: AbortSignal): Promise<FeedOutcome> {
    const source = await this.find(name)
    if (source === undefined) throw unknownSource(name)
    return this.parts.feeds.read(source, signal)
  }

  async #shown(sources: readonly ListedSource[]): Promise<ShownSource[]> {
    const states = await this.parts.feeds.states(sources)
    return sources.map(({ definition, secret_count, created_at, updated_at }) => {
      const { name, enabled } = definition
      const isClosed = needsSecret(definition) && secret_count === 0
      const feed = states.get(name)
      return {
        definition,
        webhook_path: webhookPathOf(name),
        accepts: !isClosed && enabled !== false,
        secret_count,
        created_at,
        updated_at,
        ...(feed === undefined ? {} : { feed }),
      }
    })
  }

  async #shownOne(source: ListedSource): Promise<ShownSource> {
    const [shown] = await this.#shown([source])
    return shown as ShownSource
  }

  /** A page of limited size; a larger event is a page of its own. */
  async #page(query: EventQuery): Promise<EventPage> {
    const page = await this.parts.query({ ...query, maxBytes: PAGE_BYTES })
    return page.neededBytes === undefined ? page : this.parts.query({ ...query, limit: 1 })
  }
}

function remapped(
  { remap }: DefinedAdapter,
  { action, payload, subject_id, dedupe_key, provenance }: StoredEvent,
): { deliveries: EventDelivery[]; unmapped: number } {
  const { wrapped, headers } = action.metadata
  const kept = { root: fromPayload(payload, wrapped === true), headers: textsOf(headers), identity: subject_id }
  const { events, unmapped } = remap(kept)
  const from: Provenance = { ...provenance, route: 'import' }
  const deliveries = events.map((event): EventDelivery => {
    const metadata = { ...event.action.metadata, remapped_from: dedupe_key }
    return { event: { ...event, action: { ...event.action, metadata } }, provenance: from }
  })
  return { deliveries, unmapped }
}

/** Without a prototype: the names came from outside. */
function textsOf(headers: unknown): Record<string, string> {
  const texts: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(Object(headers))) if (typeof value === 'string') texts[name] = value
  return texts
}

/** The origin that receives the secret of a source. */
function receiverOf(proof: SourceProof): string | undefined {
  return proof.type === 'feed' && proof.login !== undefined ? new URL(proof.url).origin : undefined
}

function readInput(input: unknown): { definition: unknown; secrets?: string[] } {
  const { definition, secrets, ...others } = readObject(input, 'The request')
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalidField(`/${unknown}`, `/${unknown} cannot be sent here.`)
  if (definition === undefined) throw invalidField('/definition', '/definition is required.')
  if (secrets === undefined) return { definition }
  const { secrets: most, secretCharacters } = SOURCE_LIMITS
  const isValid = (each: unknown) => typeof each === 'string' && each !== '' && each.length <= secretCharacters
  if (!Array.isArray(secrets) || secrets.length > most || !secrets.every(isValid)) {
    throw invalidField('/secrets', `/secrets is a list of up to ${most} texts of 1 to ${secretCharacters} characters.`)
  }
  return { definition, secrets }
}

function unknownSource(name: string): AppError {
  const hint = '"daybook sources list" shows all of them.'
  return new AppError('not_found', 'not_found', `There is no source "${name}".`, { hint })
}
