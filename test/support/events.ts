import { setTimeout as sleep } from 'node:timers/promises'
import type { NewEvent, StoredEvent } from '../../src/model/events/event.js'
import { type EventPage, eventsOf } from '../../src/model/events/event-query.js'
import type { EventStore, EventToRecord } from '../../src/store/event-store.js'

/** A complete event with `text` as its content; everything else may be overridden. */
export function messageCreated(key: string, changes: Partial<NewEvent> = {}): EventToRecord {
  return {
    event: {
      dedupe_key: key,
      kind: 'message.created',
      subject_id: key,
      subject_type: 'message',
      action: { kind: 'message.created', object_type: 'message', verb: 'created', metadata: {} },
      actor: { id: '17', display: 'Ada', metadata: { email: 'ada@example.org' } },
      actor_role: 'member',
      target: {
        type: 'message',
        key: `message:${key}`,
        parent: { type: 'topic', key: 'topic:4/deploys', display: 'deploys' },
      },
      conversation: { key: 'stream:4/topic:deploys', title: 'eng > deploys', text: 'all green' },
      source: 'chat',
      occurred_at: null,
      payload: {},
      ...changes,
    },
    provenance: { route: 'api', verified: 'none' },
    matches: [],
  }
}

/** The same, serialised like a large delivery: with the payload apart from the event. */
export function serialised(delivery: EventToRecord): EventToRecord {
  const { payload, ...others } = delivery.event
  const json = new TextEncoder().encode(JSON.stringify({ ...others, payload }))
  return { ...delivery, event: { ...others, payload: {} }, json }
}

/** One stored event, read back by its key. */
export async function readStored(events: EventStore, dedupeKey: string): Promise<StoredEvent | undefined> {
  const body = await events.findByDedupeKey(dedupeKey, Number.MAX_SAFE_INTEGER)
  return body === undefined ? undefined : (JSON.parse(Buffer.from(body as Uint8Array).toString('utf8')) as StoredEvent)
}

/** Resolves once the search index has come to every event: it trails the commits. A search sees every event either way. */
export async function untilIndexed(events: Pick<EventStore, 'health'>): Promise<void> {
  while ((await events.health()).unindexedEvents > 0) await sleep(10)
}

/**
 * Checks while the search index trails, and again when it has come to every event; once if it has from the beginning, as
 * in PostgreSQL.
 */
export async function inEachIndexState(
  events: Pick<EventStore, 'health'>,
  check: (state: 'trailing' | 'complete') => Promise<void>,
): Promise<void> {
  if ((await events.health()).unindexedEvents > 0) await check('trailing')
  await untilIndexed(events)
  await check('complete')
}

export function keysOf(page: EventPage): string[] {
  return eventsOf(page).map(event => event.dedupe_key)
}
