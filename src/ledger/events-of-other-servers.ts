import { coalesceCalls } from '../model/coalesce-calls.js'
import { type EventPage, type EventQuery, eventsOf } from '../model/events/event-query.js'
import type { Micros } from '../model/timestamp.js'
import type { KnownPeople } from './known-people.js'
import type { LiveFeed } from './live-feed.js'

/** With more events, every reader is woken: comparing each event with each reader would cost more than reading. */
const READ = { limit: 100, maxBytes: 256 * 1024 } as const

interface EventsOfOtherServersParts {
  read: (query: EventQuery) => Promise<EventPage>
  feed: LiveFeed
  people: KnownPeople
  /** `captured_at` of the newest known event; null for none. */
  head: Micros | null
}

/**
 * Wakes the readers of this server for events that other servers have recorded, as it wakes them for its own. It reads
 * the events after the last one that it has read, so it cannot miss any. While no reader waits, it reads nothing.
 */
export class EventsOfOtherServers {
  #since: Micros
  /** Call it after another server may have recorded events. Concurrent calls share a reading. */
  readonly notice: () => void

  constructor(private readonly parts: EventsOfOtherServersParts) {
    this.#since = parts.head ?? 0
    const read = coalesceCalls(() => this.#read())
    this.notice = () => void read().catch(() => parts.feed.wakeAll())
  }

  async #read(): Promise<void> {
    const { read, feed, people } = this.parts
    if (!feed.hasListeners) return
    const page = await read({ order: 'asc', since: this.#since, ...READ })
    const events = eventsOf(page)
    for (const event of events) people.learn(event, event.provenance)
    this.#since = Math.max(this.#since, page.head ?? 0)
    if (page.hasMore) feed.wakeAll()
    else feed.publish(events.map(event => ({ kind: event.kind, isWhole: true, toStored: () => event })))
  }
}
