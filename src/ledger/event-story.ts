import type { StoredEvent } from '../model/events/event.js'
import type { EventFilter } from '../model/events/event-match.js'
import { eventsOf } from '../model/events/event-query.js'
import { factsOf, STORY_LIMITS, type StoryFacts, sharedFacts } from '../model/events/story.js'
import type { EventStore } from '../store/event-store.js'

/** An event of a story, with the facts by which it was found; none for the event whose story it is. */
interface StoryPart {
  event: Omit<StoredEvent, 'payload'>
  facts: string[]
}

export interface EventStory {
  /** In the order of the ledger. */
  parts: StoryPart[]
  /** False if a limit was reached, so that there may be more events. */
  complete: boolean
}

interface Step {
  filter: EventFilter
  name: string
  from: StoryFacts
}

const DAY = 86_400_000_000
/** Limits of one search: its events are parsed on the thread that answers all requests. */
const PAGE = { limit: 100, maxBytes: 2 * 1024 * 1024 } as const

/**
 * The events that belong to one story with `first`: those that share a fact with it, then those that share a fact with
 * the things that these are about, and so on, up to the limits. The searches run one after the other.
 *
 * Source: docs/decisions/0041.
 */
export async function readStory(
  events: Pick<EventStore, 'query'>,
  first: StoredEvent,
  signal?: AbortSignal,
): Promise<EventStory> {
  const known = factsOf(first)
  const range = { from: known.at - STORY_LIMITS.days * DAY, to: known.at + STORY_LIMITS.days * DAY }
  // By `captured_at`: an unverified event may have the key of a verified one.
  const parts = new Map<string, StoryPart>([[first.captured_at, { event: withoutPayload(first), facts: [] }]])
  const asked = new Set<string>()
  const steps = stepsFrom(known, asked, known.mentioned)
  let complete = true
  for (let searches = 0; steps.length > 0; searches++) {
    if (searches === STORY_LIMITS.searches || parts.size === STORY_LIMITS.events) return sorted(parts, false)
    const { filter, name, from } = steps.shift() as Step
    const page = await events.query({ ...filter, ...range, ...PAGE, order: 'desc' }, signal)
    complete &&= !page.hasMore
    for (const event of eventsOf(page)) {
      if (parts.size === STORY_LIMITS.events) break
      if (parts.has(event.captured_at)) continue
      const own = factsOf(event)
      const facts = sharedFacts(from, own)
      if (!facts.includes(name)) continue
      parts.set(event.captured_at, { event: withoutPayload(event), facts })
      // Anyone may have sent an unverified event: the search does not continue from it.
      if (event.provenance.key_space === undefined) steps.push(...stepsFrom(own, asked))
    }
  }
  return sorted(parts, complete)
}

/**
 * Searches for events that share a fact with this one.
 *
 * @param more facts to search for, in addition to those that it is about
 */
function stepsFrom(from: StoryFacts, asked: Set<string>, more: StoryFacts['mentioned'] = new Map()): Step[] {
  const fresh = [...from.about, ...more].filter(([name]) => !asked.has(name))
  for (const [name] of fresh) asked.add(name)
  return fresh.flatMap(([name, filters]) => filters.map(filter => ({ filter, name, from })))
}

function sorted(parts: ReadonlyMap<string, StoryPart>, complete: boolean): EventStory {
  const byTime = [...parts.values()].sort((a, b) => (a.event.captured_at < b.event.captured_at ? -1 : 1))
  return { parts: byTime, complete }
}

function withoutPayload({ payload: _, ...event }: StoredEvent): Omit<StoredEvent, 'payload'> {
  return event
}
