import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { StoredEvent } from '../../../../src/model/events/event.js'
import { type EventFilter, eventMatches } from '../../../../src/model/events/event-match.js'
import type { EventToRecord } from '../../../../src/store/event-store.js'
import { PrunedEvents } from '../../../../src/store/sqlite/erase/pruned-events.js'
import { Database } from '../../../../src/store/sqlite/files/database.js'
import { candidates } from '../../../../src/store/sqlite/search/event-candidates.js'
import { addMarks, MARK_WORDS, markFinder } from '../../../../src/store/sqlite/search/facet-marks.js'
import { eachFacet, wantedFacets } from '../../../../src/store/sqlite/search/facets.js'
import { SearchIndex } from '../../../../src/store/sqlite/search/search-index.js'
import { UnindexedFacets } from '../../../../src/store/sqlite/search/unindexed-facets.js'
import { LEDGER_MIGRATIONS } from '../../../../src/store/sqlite/upgrade/ledger-migrations.js'
import { migrate } from '../../../../src/store/sqlite/upgrade/migrate.js'
import { EventChanges } from '../../../../src/store/sqlite/write/event-changes.js'
import { EventWriter } from '../../../../src/store/sqlite/write/event-writer.js'
import { encodeWithoutInstants, packEvents } from '../../../../src/store/sqlite/write/packed-events.js'
import { messageCreated } from '../../../support/events.js'
import { testFolder } from '../../../support/test-folder.js'

const NOON = 1_800_000_000_000_000

t.test('an event that matches a filter has the marks that the filter looks for', async t => {
  // Letters whose other case is elsewhere in Unicode, a sign that folds to another, and half of a character.
  const letter = fc.constantFrom(...'aAzZ09:._- éÉßẞσςΣkK\u212aİiıДд𐐀𐐨日', '\ud83d')
  const name = fc.array(letter, { minLength: 1, maxLength: 12 }).map(letters => letters.join(''))
  const word = fc.oneof(
    name,
    fc.tuple(name, fc.nat(40)).map(([text, times]) => text.repeat(times + 1)),
  )
  const outcome = fc.constantFrom('Failed', 'success', 'queued', 'canceled', 'approved')
  const change = fc.record({ id: word, display: word, key: word, parent: word, outcome, subscription: word })
  const inOtherCase = (text: string, pick: number) => [text, text.toUpperCase(), text.toLowerCase()][pick] as string
  fc.assert(
    fc.property(change, fc.nat(2), ({ id, display, key, parent, outcome, subscription }, pick) => {
      const { event } = messageCreated('7', {
        actor: { id, display, metadata: {} },
        action: { kind: 'job.ended', object_type: 'job', verb: 'ended', outcome, metadata: {} },
        target: { type: 'message', key, parent: { type: 'topic', key: parent } },
      })
      const stored = { ...event, provenance: { verified: 'token' }, subscription_ids: [subscription] } as StoredEvent
      const marks = new Uint32Array(MARK_WORDS)
      eachFacet(event, 'token', [subscription], (name, value) => addMarks(marks, 0, name, value))
      const filters: EventFilter[] = [
        ...[{ sources: ['other', 'chat'] }, { kinds: ['message.created'] }, { kinds: ['message.*'] }, { kinds: ['*'] }],
        ...[{ subjectId: '7' }, { verified: ['token' as const] }, { subscriptionIds: [subscription] }],
        ...[{ actors: [id] }, { actors: ['other', inOtherCase(display, pick)] }, { target: key }, { target: parent }],
        ...(['failed', 'succeeded', 'running', 'cancelled'] as const).map(each => ({ outcomes: [each] })),
      ]
      for (const filter of filters) {
        const isFound = markFinder(wantedFacets(filter))(marks, 0)
        if (eventMatches(stored, filter)) t.ok(isFound, JSON.stringify(filter))
      }
    }),
  )
})

t.test('marks are bounded, dropped once indexed, and replaced when numbers are reused', async t => {
  const marksOf = (value: string) => {
    const marks = new Uint32Array(MARK_WORDS)
    addMarks(marks, 0, 'actor', value)
    return marks
  }
  const found = (of: UnindexedFacets, value: string, low: number, high: number) =>
    of.find([{ name: 'actor', values: [value] }], { low, high })
  const facets = new UnindexedFacets()
  t.equal(facets.first, Number.POSITIVE_INFINITY)
  for (let seq = 101; seq <= 140_000; seq++) facets.add(seq, marksOf(seq % 10_000 === 0 ? 'ada' : 'grace'))
  t.ok(facets.first > 101 && facets.first < 20_000, `the oldest were dropped: ${facets.first}`)
  t.same(found(facets, 'ada', 120_000, 140_000), [120_000, 130_000, 140_000])
  // A failed transaction: its numbers come again, with other events.
  for (let seq = 139_990; seq <= 140_000; seq++) facets.add(seq, marksOf('grace'))
  t.same(found(facets, 'ada', 120_000, 140_000), [120_000, 130_000])
  facets.dropThrough(129_000)
  t.ok(facets.first > 120_000 && facets.first <= 129_001, `${facets.first}`)
  t.same(found(facets, 'ada', 129_001, 140_000), [130_000])
  facets.dropThrough(200_000)
  t.equal(facets.first, Number.POSITIVE_INFINITY)
  facets.add(140_001, marksOf('ada'))
  t.same(found(facets, 'ada', 140_001, 140_001), [140_001])
})

t.test('a filter reads only those unindexed events that may match, in both orders', async t => {
  const ledger = open(t)
  ledger.record(3_000, at => ({
    ...messageCreated(String(at), {
      actor: { id: at % 1_000 === 7 ? 'rare' : 'common', display: '', metadata: {} },
      action: { kind: 'job.ended', object_type: 'job', verb: 'ended', metadata: {}, ...(at === 5 ? FAILED : {}) },
    }),
    matches: at === 9 ? [{ id: 'sub_1' }] : [],
  }))
  const expected: [EventFilter, number[]][] = [
    [{ actors: ['RARE', 'rare'] }, [8, 1_008, 2_008]],
    [{ subjectId: '41' }, [42]],
    [{ target: 'message:2999' }, [3_000]],
    [{ outcomes: ['failed'] }, [6]],
    [{ subscriptionIds: ['sub_1'] }, [10]],
    [{ actors: ['rare'], search: ['green'] }, [8, 1_008, 2_008]],
    [{ actors: ['rare'], search: ['red'] }, []],
    [{ actors: ['rare'], kinds: ['message.*'] }, [8, 1_008, 2_008]],
  ]
  for (const indexed of [0, 1_500]) {
    while (ledger.index.through < indexed) ledger.index.advance(indexed - ledger.index.through)
    for (const [filter, seqs] of expected) {
      for (const order of ['asc', 'desc'] as const) {
        const found = ledger.candidates(filter, order)
        const isThere = seqs.every(seq => found.includes(seq))
        t.ok(isThere && found.length <= seqs.length + 20, `${JSON.stringify(filter)}: ${found.length} candidates`)
        const sorted = [...found].sort((left, right) => (order === 'asc' ? left - right : right - left))
        t.same(found, sorted)
      }
    }
  }
  ledger.index.addSubscription(2_500, 'sub_2')
  t.ok(ledger.candidates({ subscriptionIds: ['sub_2'] }, 'desc').includes(2_500), 'marked after it was stored')
})

t.test('events that were not indexed before a restart are read from the table', async t => {
  const ledger = open(t)
  ledger.record(40, at => messageCreated(String(at)))
  const { index, range } = ledger.reopen()
  ledger.record(40, at => messageCreated(String(40 + at)))
  for (const subjectId of ['3', '79']) {
    for (const order of ['asc', 'desc'] as const) {
      const found = [...candidates(ledger.database, index(), { subjectId, order }, range())].flatMap(({ seqs }) => seqs)
      t.same(found, [Number(subjectId) + 1])
    }
  }
})

t.test('an ascending walk misses no event if the index advances and drops marks between two pieces', async t => {
  const ledger = open(t)
  ledger.record(300, at => messageCreated(String(at)))
  const { index, range } = ledger.reopen()
  ledger.record(4_200, at => messageCreated(String(300 + at)))
  const found: number[] = []
  for (const { seqs } of candidates(ledger.database, index(), { sources: ['chat'], order: 'asc' }, range())) {
    found.push(...seqs)
    while (index().through < 4_500) index().advance(4_500)
  }
  t.same(
    found,
    Array.from({ length: 4_500 }, (_, at) => at + 1),
  )
})

t.test('excluded events are not read', async t => {
  const ledger = open(t)
  const rare = (at: number) => (at === 700 ? { source: 'forum', kind: 'post.created' } : {})
  ledger.record(2_000, at => messageCreated(String(at), rare(at)))
  const excluding: EventFilter[] = [
    { excluded: { sources: ['chat'] } },
    { excluded: { kinds: ['message.*'] } },
    { kinds: ['post.*', 'message.created'], excluded: { sources: ['chat'] } },
  ]
  for (const indexed of [0, 2_000]) {
    while (ledger.index.through < indexed) ledger.index.advance(indexed)
    for (const filter of excluding) {
      const found = ledger.candidates(filter, 'desc')
      t.ok(found.includes(701) && found.length < 20, `${JSON.stringify(filter)}: ${found.length} candidates`)
    }
    t.same(ledger.candidates({ excluded: { sources: ['chat', 'forum'] } }, 'desc'), [])
    t.same(ledger.candidates({ kinds: ['post.*'], excluded: { kinds: ['post.created'] } }, 'asc'), [])
  }
})

const FAILED = { outcome: 'failed' }

function makeWriter(database: Database, index: SearchIndex): EventWriter {
  return new EventWriter(database, { index, pruned: new PrunedEvents(database), changes: new EventChanges(database) })
}

/** A ledger without its thread, so that the index advances only when asked. */
function open(t: Test) {
  const database = new Database(join(testFolder(t), 'events.db'), { noun: 'ledger', refuseForeign: () => {} })
  t.teardown(() => database.close())
  migrate(database, { noun: 'ledger', steps: LEDGER_MIGRATIONS })
  let index = new SearchIndex(database)
  let writer = makeWriter(database, index)
  const range = () => ({ low: 1, high: writer.appended })
  return {
    database,
    get index() {
      return index
    },
    record(count: number, make: (at: number) => EventToRecord) {
      const events = Array.from({ length: count }, (_, at) => make(at))
      database.transaction(() => writer.append(packEvents(events, events.map(encodeWithoutInstants)), NOON))
    },
    candidates(filter: EventFilter, order: 'asc' | 'desc') {
      return [...candidates(database, index, { ...filter, order }, range())].flatMap(({ seqs }) => seqs)
    },
    reopen() {
      index = new SearchIndex(database)
      writer = makeWriter(database, index)
      return { index: () => index, range }
    },
  }
}
