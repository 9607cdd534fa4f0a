import type { StoredEvent } from '../../../model/events/event.js'
import {
  type EventFacets,
  FACETS,
  type Facet,
  type FacetQuery,
  mostFrequent,
} from '../../../model/events/event-facets.js'
import { outcomeGroupOf } from '../../../model/sentences/event-outcome.js'
import { LARGE_EVENT_BYTES } from '../../large-event.js'
import type { Database } from '../files/database.js'
import { candidates, type Indexes, lastUpTo, type Range } from '../search/event-candidates.js'
import { readOutline } from '../search/large-body.js'
import { rowMatcher } from '../search/row-matcher.js'
import { firstCounted, rangeOf } from './event-histogram.js'
import type { LedgerContext } from './event-reader.js'
import { readBounds } from './ledger-bounds.js'
import { SlicedWork, type WorkBounds } from './sliced-work.js'

/** A menu waits for this: after a second of work, the answer contains the counts so far. */
const BOUNDS: WorkBounds = { sliceMs: 4, workMs: 1_000 }

const ROW = /* sql */ `
  SELECT seq, source, kind, subject_id, CASE WHEN octet_length(body) <= ${LARGE_EVENT_BYTES} THEN body END AS body
  FROM events WHERE seq = ?`

type Tally = Record<Facet, Map<string, number>>

/** Reads the matching events and counts their values, newest first, in slices: when it yields, writes may run. */
export function* countFacets(
  database: Database,
  index: Indexes,
  { pruned, epoch }: LedgerContext,
  query: FacetQuery,
  bounds = BOUNDS,
): Generator<void, EventFacets> {
  const { head } = readBounds(database)
  const range = rangeOf(query, { head, earliest: pruned.earliest })
  const tally = Object.fromEntries(FACETS.map(facet => [facet, new Map()])) as Tally
  if (!range) return { from: null, to: null, count: 0, values: valuesOf(tally), countedFrom: null, head, epoch }
  const { from, to } = range
  const rows: Range = {
    low: Math.max(pruned.through, lastUpTo(database, from - 1)) + 1,
    high: lastUpTo(database, to),
  }
  const work = new SlicedWork({ ...bounds, workMs: query.workMs ?? bounds.workMs })
  const { count, uncounted } = yield* countRows(database, index, { pruned, query, rows, tally }, work)
  const countedFrom = Math.max(from, firstCounted(database, uncounted))
  return { from, to, count, values: valuesOf(tally), countedFrom, head, epoch }
}

/** @returns `uncounted`: the newest row that was left out, if any was */
function* countRows(
  database: Database,
  index: Indexes,
  { pruned, query, rows, tally }: Pick<LedgerContext, 'pruned'> & { query: FacetQuery; rows: Range; tally: Tally },
  work: SlicedWork,
): Generator<void, { count: number; uncounted?: number }> {
  const matches = rowMatcher(database, pruned, query)
  let count = 0
  for (const { seqs, through } of candidates(database, index, { ...query, order: 'desc' }, rows)) {
    for (const seq of seqs) {
      if (work.isLong) yield* work.pause()
      if (work.isOver) return { count, uncounted: seq }
      const row = database.first(ROW, seq)
      if (!row || !(yield* work.include(matches(row)))) continue
      count++
      addTo(tally, row.body === null ? readOutline(database, seq) : (JSON.parse(String(row.body)) as StoredEvent))
    }
    if (work.isLong) yield* work.pause()
    if (work.isOver && through > rows.low) return { count, uncounted: through - 1 }
  }
  return { count }
}

function addTo(tally: Tally, event: StoredEvent): void {
  const add = (facet: Facet, value: string | undefined) => {
    if (value) tally[facet].set(value, (tally[facet].get(value) ?? 0) + 1)
  }
  add('source', event.source)
  add('kind', event.kind)
  add('outcome', outcomeGroupOf(event))
  add('actor', event.actor.display || event.actor.id)
  add('verified', event.provenance.verified)
  for (const id of event.subscription_ids) add('subscription_id', id)
}

function valuesOf(tally: Tally): EventFacets['values'] {
  return Object.fromEntries(FACETS.map(facet => [facet, mostFrequent(tally[facet])])) as EventFacets['values']
}
