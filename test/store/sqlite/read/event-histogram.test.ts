import { join } from 'node:path'
import t, { type Test } from 'tap'
import { toErasureEntry } from '../../../../src/model/events/erasure.js'
import type { EventHistogram } from '../../../../src/model/events/event-histogram.js'
import type { EventFilter } from '../../../../src/model/events/event-match.js'
import type { EventPage } from '../../../../src/model/events/event-query.js'
import { toTimestamp } from '../../../../src/model/timestamp.js'
import type { EventToRecord } from '../../../../src/store/event-store.js'
import { Engine } from '../../../../src/store/sqlite/engine.js'
import { PrunedEvents } from '../../../../src/store/sqlite/erase/pruned-events.js'
import { Database } from '../../../../src/store/sqlite/files/database.js'
import { countFacets } from '../../../../src/store/sqlite/read/event-facets.js'
import { countEvents } from '../../../../src/store/sqlite/read/event-histogram.js'
import { SearchIndex } from '../../../../src/store/sqlite/search/search-index.js'
import { TextIndex } from '../../../../src/store/sqlite/search/text-index.js'
import { UnindexedFacets } from '../../../../src/store/sqlite/search/unindexed-facets.js'
import { openSqliteStore } from '../../../../src/store/sqlite/store.js'
import { encodeWithoutInstants, packEvents } from '../../../../src/store/sqlite/write/packed-events.js'
import { keysOf, messageCreated } from '../../../support/events.js'
import { testFolder } from '../../../support/test-folder.js'
import { comparableFacets, countAll, facetsOf, readAll, variedEvent } from '../../event-histogram-conformance.js'

const NOON = 1_800_000_000_000_000

t.test('a count that takes too long is exact from the newest event back to an instant in the answer', async t => {
  const { database, all, now } = await variedLedger(t)
  const indexed = new SearchIndex(database)
  while (indexed.through < 900) indexed.advance(256)
  const known = { pruned: new PrunedEvents(database), epoch: '' }
  const nothingIndexed = { indexedSeq: 0, texts: new TextIndex(database), unindexed: new UnindexedFacets() }
  const filters: EventFilter[] = [{ kinds: ['message.*'] }, { verified: ['signature'] }, { search: ['zz'] }]
  for (const filter of filters) {
    for (const index of [nothingIndexed, indexed]) {
      const query = { ...filter, buckets: 20, now }
      // Runs slices until the limit is reached. After the first few, each has the minimum length.
      for (const workMs of [0, 0.5, 2]) {
        const answer = finish(countEvents(database, index, known, query, { sliceMs: 0, workMs }))
        const counted = countAll(all, { ...query, from: answer.countedFrom as number })
        t.equal(answer.count, counted.count, 'every event since that instant is counted')
        const whole = countAll(all, query)
        for (const [at, count] of answer.counts.entries()) {
          const isCounted = (answer.starts[at] as number) >= (answer.countedFrom as number)
          t.equal(count, isCounted ? whole.counts[at] : null)
        }
        for (const { source, count } of answer.bySource) {
          t.equal(count, counted.bySource.find(other => other.source === source)?.count)
        }
      }
    }
  }
  const [kinds = {}] = filters
  const stopped = finish(
    countEvents(database, nothingIndexed, known, { ...kinds, buckets: 20, now }, { sliceMs: 0, workMs: 0 }),
  )
  t.ok((stopped.countedFrom as number) > (stopped.from as number))
})

t.test('facets that take too long are exact from the newest event back to an instant in the answer', async t => {
  const { database, all, now } = await variedLedger(t)
  const index = { indexedSeq: 0, texts: new TextIndex(database), unindexed: new UnindexedFacets() }
  const known = { pruned: new PrunedEvents(database), epoch: '' }
  for (const filter of [{}, { verified: ['signature'] }, { excluded: { actors: ['grace'] } }] satisfies EventFilter[]) {
    const stopped = finish(countFacets(database, index, known, { ...filter, now }, { sliceMs: 0, workMs: 0.5 }))
    t.ok((stopped.countedFrom as number) > (stopped.from as number))
    const whole = facetsOf(all, { ...filter, from: stopped.countedFrom as number, to: stopped.to as number, now })
    t.same(comparableFacets(stopped).values, comparableFacets(whole).values)
    t.equal(stopped.count, whole.count)
  }
})

t.test('events that retention removes during a reading are not in its rest', async t => {
  let elapsed = 0
  // Slices end after a few calls, on a machine of any speed.
  t.intercept(performance, 'now', { value: () => elapsed++ })
  const [byColumn, byBody]: EventFilter[] = [{ sources: ['chat'] }, { actors: ['42'] }]
  for (const filter of [byColumn, byBody]) {
    for (const ask of filter === byColumn ? ['query'] : ['query', 'facets', 'histogram']) {
      const engine = new Engine(join(testFolder(t), 'events.db'))
      t.teardown(() => engine.close())
      const pack = (events: EventToRecord[]) => packEvents(events, events.map(encodeWithoutInstants))
      const actor = { id: '42', display: '', metadata: {} }
      const recorded = Array.from({ length: 60 }, (_, at) => messageCreated(`chat:${at}`, { actor }))
      engine.commit([{ task: 'events.record', args: [pack(recorded), NOON] }])
      const asked = { ...filter, order: 'asc', limit: 100, buckets: 1, now: NOON + 100 } as const
      const answering = engine.query({ task: `events.${ask}`, args: [asked] })
      answering.next()
      const through = NOON + 50
      const payload = { reason: 'old', by: 'retention', count: 51, through: toTimestamp(through) }
      const entry = { ...toErasureEntry('1', payload), matches: [] }
      engine.commit([{ task: 'events.prune', args: [pack([entry]), NOON + 100, { through }] }])
      while (engine.backgroundRemovalDue) engine.advanceBackgroundRemoval()
      const answer = finish(answering) as EventPage & EventHistogram
      t.ok(answer.count >= 9 && answer.count < 60, `${ask}: ${answer.count} counted`)
      if (ask !== 'query') continue
      t.ok(keysOf(answer).every(key => key?.startsWith('chat:')))
      t.equal(answer.prunedThrough, through, 'a reader learns what it may not have received')
    }
  }
})

t.test('events of a transaction that failed are not counted', async t => {
  const engine = new Engine(join(testFolder(t), 'events.db'))
  t.teardown(() => engine.close())
  let made = 0
  const record = (count: number, source: string) => {
    const events = Array.from({ length: count }, () => messageCreated(String(++made), { source }))
    return { task: 'events.record', args: [packEvents(events, events.map(encodeWithoutInstants)), NOON] }
  }
  // Of no batch that was packed, so that what came before it in the transaction is undone.
  const broken = { task: 'events.record', args: [{ ...packEvents([], []), matches: 'broken' }, NOON] }
  engine.commit([record(300, 'chat')])
  t.throws(() => engine.commit([record(250, 'forum'), broken]))
  engine.commit([record(200, 'code_a')])
  t.throws(() => engine.commit([record(20, 'forum'), broken]))
  engine.commit([record(400, 'chat')])
  const counted = finish(engine.tasks.events.histogram.run({ buckets: 900, now: NOON + 899 }))
  t.same(counted.counts, Array(900).fill(1))
  t.match(counted.bySource, [
    { source: 'chat', count: 700 },
    { source: 'code_a', count: 200, counts: Array.from({ length: 900 }, (_, at) => (at >= 300 && at < 500 ? 1 : 0)) },
  ])
})

/** 900 events, the ledger's file opened again, and the time after the last of them. */
async function variedLedger(t: Test) {
  const path = join(testFolder(t), 'events.db')
  let now = NOON
  const store = await openSqliteStore({ path, clock: () => (now += 1_000), onFailure: error => t.fail(String(error)) })
  await store.events.record(Array.from({ length: 900 }, (_, at) => variedEvent(at)))
  const all = await readAll(store.events)
  await store.close()

  const database = new Database(path, { noun: 'ledger', refuseForeign: () => {} })
  t.teardown(() => database.close())
  return { database, all, now }
}

function finish<Answer>(work: Generator<void, Answer>): Answer {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
