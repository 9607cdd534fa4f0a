import type { Consumer, ConsumerLag } from '../../model/consumers/consumer.js'
import type { EventFilter } from '../../model/events/event-match.js'
import { toEventFilter } from '../../model/events/filter-values.js'
import type { Micros } from '../../model/timestamp.js'
import type { StoredConsumer, Unread } from '../../store/consumer-store.js'
import type { Store } from '../../store/store.js'

/** Time for all lags of one request. After that, events of filtered consumers are no longer counted. */
const ALL_MS = 250
/** Time for counting the events of one filtered consumer, and for finding the oldest. */
const ONE_MS = 20
const STALLED_MICROS: Micros = 5 * 60 * 1_000_000

const NO_LAG: ConsumerLag = { events: 0, seconds: 0, exact: true }

interface LagParts {
  store: Pick<Store, 'events' | 'consumers'>
  clock: () => Micros
  /** Whether it waits for events here, and has read all that match so far. */
  isWaiting: (name: string) => boolean
}

/**
 * How far consumers are behind. Without filters the store knows the number; with filters the events after the checkpoint
 * are counted, for a bounded time.
 *
 * Source: docs/decisions/0070.
 */
export async function readLags(consumers: readonly StoredConsumer[], parts: LagParts): Promise<ConsumerLag[]> {
  const { store, isWaiting } = parts
  const unread = await store.consumers.unread(consumers.map(({ checkpoint }) => checkpoint))
  const deadline = performance.now() + ALL_MS
  const lags: ConsumerLag[] = []
  for (const [at, consumer] of consumers.entries()) {
    const after = unread[at] as Unread
    if (after.oldest === null || isWaiting(consumer.name)) lags.push(NO_LAG)
    else lags.push(await lagOf(consumer, after, { ...parts, countable: performance.now() < deadline }))
  }
  return lags
}

async function lagOf(
  { filters, checkpoint }: StoredConsumer,
  { events, exact, oldest }: Unread,
  { store, clock, countable }: LagParts & { countable: boolean },
): Promise<ConsumerLag> {
  const now = clock()
  const most = secondsSince(oldest, now)
  if (Object.keys(filters).length === 0) return { events, seconds: most, exact }
  if (!countable) return { events: 0, seconds: most, exact: false }
  const filter = toEventFilter(filters)
  const counted = await store.events.histogram({ ...filter, since: checkpoint, now, buckets: 1, workMs: ONE_MS })
  const isExact = counted.countedFrom === counted.from
  if (counted.count === 0 && isExact) return NO_LAG
  const first = await findFirst(store, filter, checkpoint)
  if (first === undefined) return { events: counted.count, seconds: most, exact: false }
  return { events: counted.count, seconds: secondsSince(first, now), exact: isExact }
}

/** When the oldest matching event was captured; undefined if finding it takes too long. */
async function findFirst(
  { events }: Pick<Store, 'events'>,
  filter: EventFilter,
  since: Micros,
): Promise<Micros | undefined> {
  const signal = AbortSignal.timeout(ONE_MS)
  try {
    const query = { ...filter, since, order: 'asc', limit: 1, withoutPayload: true } as const
    return (await events.query(query, signal)).oldestCapturedAt ?? undefined
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

function secondsSince(captured: Micros | null, now: Micros): number {
  return captured === null ? 0 : Math.max(0, Math.round((now - captured) / 1000) / 1000)
}

/** Whether events wait for a consumer that acknowledged none of them for five minutes. */
export function isStalled({ lag, acknowledged_at, created_at }: Consumer, now: Micros): boolean {
  const active = Date.parse(acknowledged_at ?? created_at) * 1000
  return lag.events > 0 && lag.seconds * 1_000_000 > STALLED_MICROS && now - active > STALLED_MICROS
}
