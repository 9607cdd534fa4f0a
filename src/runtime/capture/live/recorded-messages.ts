import type { Ledger } from '../../../ledger/ledger.js'
import { AppError } from '../../../model/app-error.js'
import type { StoredEvent } from '../../../model/events/event.js'
import { type EventQuery, eventsOf, QUERY_LIMITS } from '../../../model/events/event-query.js'
import type { Micros } from '../../../model/timestamp.js'
import type { ChatContext } from '../../../platforms/chat/context.js'
import { messageKey } from '../../../platforms/chat/live/live-events.js'
import { type FoundPlace, placeOfEvent } from '../../../platforms/chat/live/message-finder.js'
import type { StreamPlace } from '../../../platforms/chat/place.js'

/** Number of newest events of a watch that are searched for its messages. */
const MOST_EVENTS = 10_000

/** The messages of one chat server that the ledger has. */
export class RecordedMessages {
  constructor(
    private readonly ledger: Pick<Ledger, 'getEvent' | 'query'>,
    private readonly context: ChatContext,
  ) {}

  /** The place of a message after its last recorded move, or when it was posted. */
  async find(id: number): Promise<FoundPlace | undefined> {
    const moved = await this.placeAfterMoves(id)
    if (moved) return { place: moved, watches: [] }
    const event = await this.#findMessage(id)
    const place = event && placeOfEvent(event)
    return event && place && { place, watches: event.subscription_ids }
  }

  /** The place to which the last recorded move brought the message. */
  async placeAfterMoves(id: number): Promise<StreamPlace | undefined> {
    const moves: EventQuery = {
      order: 'asc',
      limit: QUERY_LIMITS.limit,
      sources: ['chat'],
      kinds: ['message.moved'],
      subjectId: String(id),
      withoutPayload: true,
    }
    const events = (await this.#read(moves)).filter(event => this.#isOf(event, id))
    const last = events.toSorted(byTime).at(-1)
    return last && placeOfEvent(last)
  }

  /**
   * The messages of a watch, by id, each with its first recorded place. @param from captured since then; undefined: all
   */
  async listOf(watchId: string, from: Micros | undefined): Promise<Map<number, StreamPlace>> {
    const found = new Map<number, StreamPlace>()
    let to: Micros | undefined
    for (let read = 0; read < MOST_EVENTS; read += QUERY_LIMITS.limit) {
      const page = await this.ledger.query({
        order: 'desc',
        limit: QUERY_LIMITS.limit,
        sources: ['chat'],
        kinds: ['message.created', 'message.moved'],
        subscriptionIds: [watchId],
        withoutPayload: true,
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      })
      for (const event of eventsOf(page)) {
        const id = Number(event.subject_id)
        const place = placeOfEvent(event)
        if (place && this.#isOf(event, id) && isProven(event)) found.set(id, place)
      }
      if (!page.hasMore || page.oldestCapturedAt === null) break
      to = page.oldestCapturedAt - 1
    }
    return found
  }

  async #findMessage(id: number): Promise<StoredEvent | undefined> {
    try {
      const bytes = await this.ledger.getEvent(messageKey(id, this.context))
      const event: StoredEvent = JSON.parse(Buffer.from(bytes).toString('utf8'))
      return isProven(event) ? event : undefined
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined
      throw error
    }
  }

  /** Messages of other servers may have the same id. */
  #isOf({ dedupe_key }: StoredEvent, id: number): boolean {
    if (!Number.isSafeInteger(id) || id < 1) return false
    const created = messageKey(id, this.context)
    return dedupe_key === created || dedupe_key.startsWith(`${created.slice(0, created.lastIndexOf(':'))}:moved:`)
  }

  async #read(query: EventQuery): Promise<StoredEvent[]> {
    return eventsOf(await this.ledger.query(query)).filter(isProven)
  }
}

/** Events from callers without credentials prove nothing about a message. */
function isProven({ provenance }: StoredEvent): boolean {
  return provenance.key_space === undefined
}

function byTime(left: StoredEvent, right: StoredEvent): number {
  const [one, other] = [left.occurred_at ?? '', right.occurred_at ?? '']
  return one < other ? -1 : Number(one > other)
}
