import fc from 'fast-check'
import type { Test } from 'tap'
import type { StoredEvent } from '../../src/model/events/event.js'
import { type EventFacets, FACETS, type FacetQuery } from '../../src/model/events/event-facets.js'
import { bucketStarts, type EventHistogram, type HistogramQuery } from '../../src/model/events/event-histogram.js'
import { type EventFilter, eventMatches } from '../../src/model/events/event-match.js'
import { eventsOf } from '../../src/model/events/event-query.js'
import { OUTCOMES, type Outcome, outcomeGroupOf } from '../../src/model/sentences/event-outcome.js'
import { type Micros, readTimestamp } from '../../src/model/timestamp.js'
import type { EventStore } from '../../src/store/event-store.js'
import { inEachIndexState, messageCreated, untilIndexed } from '../support/events.js'
import type { OpenStore } from './event-store-conformance.js'

const NOON = 1_800_000_000_000_000
const SECOND = 1_000_000
const SOURCES = ['chat', 'forum', 'code_a', 'weather']
const KINDS = ['message.created', 'message.updated', 'messages.created', 'push']
/** More than two marks of counts. */
const EVENTS = 600
/** A count is complete, however busy the machine. */
const ENOUGH_MS = 600_000
const OUTCOME_WORDS = ['failed', 'Timed out', 'success', 'queued', 'running', 'canceled', 'approved']

const FACET_VALUES: Record<(typeof FACETS)[number], (event: StoredEvent) => (string | undefined)[]> = {
  source: event => [event.source],
  kind: event => [event.kind],
  outcome: event => [outcomeGroupOf(event)],
  actor: event => [event.actor.display],
  verified: event => [event.provenance.verified],
  subscription_id: event => event.subscription_ids,
}

/** Each event is looked at some hundred times. */
const captured = new WeakMap<StoredEvent, Micros>()

/** Counting is verified against reading every event and counting. */
export function eventHistograms(t: Test, open: OpenStore): void {
  t.test('for every query, the counts equal those of all pages', async t => {
    let calls = 0
    // Bursts and pauses: some buckets hold a lot, most hold nothing.
    const { events } = await open(t, () => NOON + 10 * SECOND * Math.floor((calls++ * 11) / 7))
    for (let first = 0; first < EVENTS; first += 25) {
      await events.record(Array.from({ length: 25 }, (_, at) => variedEvent(first + at)))
    }
    const all = await readAll(events)
    t.equal(all.length, EVENTS)
    const first = capturedAt(all[0] as StoredEvent)
    const last = capturedAt(all.at(-1) as StoredEvent)
    const instant = fc.oneof(
      fc.integer({ min: first - SECOND, max: last + SECOND }),
      fc.constantFrom(...all.map(capturedAt)),
      fc.constantFrom(first - 1, last + 1, 0, -NOON),
    )
    const some = <T>(...values: T[]) => fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 3 })
    const one = fc.oneof<fc.Arbitrary<EventFilter>[]>(
      some(...SOURCES, 'nowhere').map(sources => ({ sources })),
      some(...KINDS, 'message.*', '*', 'none.*').map(kinds => ({ kinds })),
      fc.constantFrom('7', 'nobody').map(subjectId => ({ subjectId })),
      some('17', 'grace', '9').map(actors => ({ actors })),
      fc.constantFrom('topic:4/deploys', 'message:8').map(target => ({ target })),
      fc.constant({ verified: ['signature' as const] }),
      fc.constantFrom<Outcome[]>(['failed'], ['running', 'succeeded']).map(outcomes => ({ outcomes })),
      some(...SOURCES).map(sources => ({ excluded: { sources } })),
      some(...KINDS, 'message.*', 'none.*').map(kinds => ({ excluded: { kinds } })),
      fc.constant({ excluded: { sources: ['chat'], kinds: ['push'], outcomes: ['failed' as const] } }),
      fc.constant({ excluded: { actors: ['grace'], targets: ['topic:4/deploys'] } }),
      fc
        .constantFrom([['green', '1']], [['lamp 1'], ['lamp 2']], [['zz']])
        .map(searches => ({ excluded: { searches } })),
      fc.constantFrom('green', 'lamp', 'lamp 1', 'zz').map(term => ({ search: [term] })),
    )
    const filter = fc.array(one, { maxLength: 2 }).map(parts => Object.assign({}, ...parts) as EventFilter)
    const range = fc.oneof(
      fc.record({ since: instant, from: instant, to: instant }, { requiredKeys: [] }),
      fc.tuple(instant, instant).map(ends => ({ from: Math.min(...ends), to: Math.max(...ends) })),
      fc.constant({}),
    )
    const asked = fc.record({ range, filter, buckets: fc.integer({ min: 1, max: 200 }) })
    await inEachIndexState(events, () =>
      fc.assert(
        fc.asyncProperty(asked, async ({ filter, range, buckets }) => {
          const query = { ...filter, ...range, buckets, now: last - SECOND, workMs: ENOUGH_MS }
          t.same(comparable(await events.histogram(query)), comparable(countAll(all, query)), JSON.stringify(query))
          if (buckets % 4 === 0) await splitMatches(t, events, { all, query })
          t.same(comparableFacets(await events.facets(query)), comparableFacets(facetsOf(all, query)))
        }),
        { numRuns: 20 },
      ),
    )
  })

  t.test(
    'an open range extends from the first event to now, or to the newest event if the clock is behind',
    async t => {
      const { events } = await open(t, () => NOON)
      await events.record(['1', '2', '3'].map(key => messageCreated(key)))
      const open4 = { buckets: 4 }
      t.match(await events.histogram({ ...open4, now: NOON + 7 }), {
        from: NOON,
        to: NOON + 7,
        starts: [NOON, NOON + 2, NOON + 4, NOON + 6],
        counts: [2, 1, 0, 0],
        count: 3,
        countedFrom: NOON,
        head: NOON + 2,
      })
      t.match(await events.histogram({ ...open4, now: NOON - SECOND }), {
        from: NOON,
        to: NOON + 2,
        starts: [NOON, NOON + 1, NOON + 2],
        counts: [1, 1, 1],
      })
      t.match(await events.histogram({ ...open4, sources: ['forum'], now: NOON + 7 }), {
        from: NOON,
        to: NOON + 7,
        counts: [0, 0, 0, 0],
        count: 0,
        bySource: { length: 0 },
      })
    },
  )

  t.test('an empty range, and an empty ledger, have no counts', async t => {
    const nothing = { from: null, to: null, starts: [], counts: [], count: 0, bySource: [], countedFrom: null }
    const { events } = await open(t, () => NOON)
    t.match(await events.histogram({ buckets: 3, now: NOON }), { ...nothing, head: null })
    t.match(await events.histogram({ buckets: 2, from: NOON, now: NOON + 3 }), {
      from: NOON,
      counts: [0, 0],
      head: null,
    })
    await events.record([messageCreated('1')])
    t.match(await events.histogram({ buckets: 3, from: NOON + 1, to: NOON, now: NOON }), { ...nothing, head: NOON })
  })

  t.test('the largest of many sources have their own counts, and the total includes all', async t => {
    const { events } = await open(t, () => NOON)
    const ofSource = (at: number) => messageCreated(String(at), { source: at < 600 ? `s${at % 60}` : 's59' })
    await events.record(Array.from({ length: 700 }, (_, at) => ofSource(at)))
    const { count, bySource } = await events.histogram({ buckets: 1, now: NOON })
    t.equal(count, 700)
    t.equal(bySource.length, 50)
    t.match(bySource[0], { source: 's59', count: 110, counts: [110] })
    const without = await events.histogram({ buckets: 1, now: NOON, excluded: { sources: ['s59'] } })
    t.equal(without.bySource.length, 50, 'an excluded one takes no place')
    t.match(await events.histogram({ buckets: 1, now: NOON, sources: ['a\0b'] }), { count: 0, bySource: [] })
  })

  t.test('values with equal counts have a fixed order', async t => {
    let now = NOON
    const { events } = await open(t, () => now++)
    for (const [at, source] of ['c', 'c', 'b', 'c', 'b', 'a', 'x'].entries()) {
      await events.record([messageCreated(String(at), { source })])
    }
    const query = { from: NOON + 3, now: NOON + 6 }
    const { source } = (await events.facets(query)).values
    t.same(
      source.map(({ value }) => value),
      ['a', 'b', 'c', 'x'],
    )
    const { bySource } = await events.histogram({ ...query, buckets: 1, excluded: { sources: ['x'] } })
    t.same(
      bySource.map(counted => counted.source),
      ['c', 'b', 'a'],
      'larger ones of the ledger first',
    )
  })

  t.test('a count that takes too long contains only the newest events', async t => {
    const EVENTS = 65 * 260 // more than the first part of either store
    const { events } = await open(t, () => NOON)
    for (let first = 0; first < EVENTS; first += 260) {
      await events.record(Array.from({ length: 260 }, (_, at) => messageCreated(String(first + at))))
    }
    await untilIndexed(events)
    const query = { buckets: 1, since: 0, now: NOON + SECOND, excluded: { searches: [['zz']] }, workMs: ENOUGH_MS }
    t.match(await events.histogram(query), { count: EVENTS, countedFrom: 1 })
    const { countedFrom } = await events.histogram({ ...query, workMs: 0 })
    t.ok(Number(countedFrom) > NOON, 'not all are counted')
  })

  t.test('a count whose caller has left is aborted', async t => {
    const { events } = await open(t)
    const gone = new AbortController()
    const answer = events.histogram({ buckets: 1, now: NOON }, gone.signal)
    gone.abort(new Error('gone'))
    await t.rejects(answer, { message: 'gone' })
  })
}

/** Each outcome has the counts of the filter of that name. */
async function splitMatches(
  t: Test,
  events: EventStore,
  { all, query }: { all: StoredEvent[]; query: HistogramQuery },
) {
  const { byOutcome = [], ...sums } = await events.histogram({ ...query, split: 'outcome' })
  t.same(comparable(sums), comparable(countAll(all, query)), 'the sums are the same')
  for (const outcome of query.outcomes ?? OUTCOMES) {
    const { counts, count } = countAll(all, { ...query, outcomes: [outcome] })
    t.same(byOutcome.find(one => one.outcome === outcome)?.counts ?? [], count > 0 ? counts : [], outcome)
  }
}

/** Reads the ledger as a consumer does. */
export async function readAll(events: EventStore): Promise<StoredEvent[]> {
  const all: StoredEvent[] = []
  for (let since = 0, more = true; more; ) {
    const page = await events.query({ order: 'asc', limit: 500, since })
    all.push(...eventsOf(page))
    since = page.nextSince ?? since
    more = page.hasMore
  }
  return all
}

/** The same histogram, by counting. It is complete. */
export function countAll(all: readonly StoredEvent[], query: HistogramQuery): Omit<EventHistogram, 'epoch'> {
  const { found, from, to, head } = findAll(all, query)
  if (from === null || to === null) {
    return { from: null, to: null, starts: [], counts: [], count: 0, bySource: [], countedFrom: null, head }
  }
  const starts = bucketStarts({ from, to, buckets: query.buckets })
  const countsOf = (events: readonly StoredEvent[]) => {
    const counts = starts.map(() => 0)
    let bucket = 0
    for (const event of events) {
      while ((starts[bucket + 1] ?? Number.POSITIVE_INFINITY) <= capturedAt(event)) bucket++
      ;(counts[bucket] as number)++
    }
    return counts
  }
  const bySource = [...new Set(found.map(event => event.source))].map(source => {
    const events = found.filter(event => event.source === source)
    return { source, count: events.length, counts: countsOf(events) }
  })
  return { from, to, starts, counts: countsOf(found), count: found.length, bySource, countedFrom: from, head }
}

/** The same facets, by counting. They are complete. */
export function facetsOf(all: readonly StoredEvent[], query: FacetQuery): Omit<EventFacets, 'epoch'> {
  const { found, from, to, head } = findAll(all, query)
  const counts = FACETS.map(facet => {
    const counted = new Map<string, number>()
    for (const value of found.flatMap(FACET_VALUES[facet])) {
      if (value !== undefined) counted.set(value, (counted.get(value) ?? 0) + 1)
    }
    return [facet, Array.from(counted, ([value, count]) => ({ value, count }))]
  })
  return { from, to, count: found.length, values: Object.fromEntries(counts), countedFrom: from, head }
}

/** The events that match, oldest first, and the range in which they were looked for: `null` where it is empty. */
function findAll(all: readonly StoredEvent[], query: FacetQuery) {
  const { since, to: sentTo, now } = query
  const head = capturedAt(all.at(-1) as StoredEvent)
  const lower = [query.from, since === undefined ? undefined : since + 1].filter(bound => bound !== undefined)
  const from = lower.length > 0 ? Math.max(...lower) : capturedAt(all[0] as StoredEvent)
  const to = sentTo ?? Math.max(now, head)
  if (from > to) return { found: [], from: null, to: null, head }
  const isIn = (at: Micros) => at >= from && at <= to
  return { found: all.filter(event => isIn(capturedAt(event)) && eventMatches(event, query)), from, to, head }
}

/** Values with equal counts may be in any order. */
export function comparableFacets({ values, from, to, count, countedFrom, head }: Omit<EventFacets, 'epoch'>) {
  const sorted = FACETS.map(facet => values[facet].map(({ value, count }) => `${facet} ${value} ${count}`).sort())
  return { from, to, count, countedFrom, head, values: sorted }
}

export function variedEvent(at: number) {
  const source = SOURCES[(at * at + (at >> 5)) % (at < 300 ? 2 : 4)] as string
  const event = messageCreated(String(at), {
    source,
    kind: KINDS[(at * 7) % (at % 11 === 0 ? 4 : 2)] as string,
    subject_id: String(at % 40),
    actor: at % 5 === 0 ? { id: '9', display: 'Grace', metadata: {} } : { id: '17', display: 'Ada', metadata: {} },
    conversation: { text: at % 3 === 0 ? `lamp ${at}` : 'all green' },
    action: { kind: 'push', object_type: 'push', verb: 'x', metadata: {}, outcome: OUTCOME_WORDS[at % 13] ?? '' },
  })
  return at % 4 === 0 ? { ...event, provenance: { route: 'webhook' as const, verified: 'signature' as const } } : event
}

function capturedAt(event: StoredEvent): Micros {
  const known = captured.get(event)
  if (known !== undefined) return known
  const { micros } = readTimestamp('captured_at', event.captured_at)
  captured.set(event, micros)
  return micros
}

/** Sources with equal counts may be in any order. */
function comparable({ bySource, ...others }: Omit<EventHistogram, 'epoch'> & { epoch?: string }) {
  const { epoch: _, ...histogram } = others
  return { ...histogram, bySource: bySource.toSorted((left, right) => left.source.localeCompare(right.source)) }
}
