import type { Ledger } from '../../ledger/ledger.js'
import { eventsOf, QUERY_LIMITS } from '../../model/events/event-query.js'
import type { Micros } from '../../model/timestamp.js'

/** Maximum number of ids. Other deliveries are compared by the keys of their events. */
const MAX_IDS = 500_000

/**
 * The delivery ids that the events of a source contain. The ledger does not store the id of a repeat.
 *
 * @param from earliest instant of the capture
 */
export async function readDeliveryIds(
  ledger: Pick<Ledger, 'query'>,
  source: string,
  from: Micros,
  signal?: AbortSignal,
): Promise<Set<string>> {
  const ids = new Set<string>()
  const filter = { order: 'asc', limit: QUERY_LIMITS.limit, sources: [source], withoutPayload: true } as const
  for (let range: { from: Micros } | { since: Micros } = { from }; ids.size < MAX_IDS; ) {
    const page = await ledger.query({ ...filter, ...range }, signal)
    for (const { provenance } of eventsOf(page)) {
      if (provenance.delivery_id !== undefined) ids.add(provenance.delivery_id)
    }
    if (!page.hasMore || page.nextSince === null) break
    range = { since: page.nextSince }
  }
  return ids
}
