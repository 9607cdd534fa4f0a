import type { Test } from 'tap'
import { type ErasurePayload, toErasureEntry, toTombstone } from '../../src/model/events/erasure.js'
import type { StoredEvent } from '../../src/model/events/event.js'
import { eventsOf } from '../../src/model/events/event-query.js'
import { readSearch } from '../../src/model/events/search.js'
import { type Micros, toTimestamp } from '../../src/model/timestamp.js'
import type { EventToRecord } from '../../src/store/event-store.js'
import type { Store } from '../../src/store/store.js'
import { keysOf, messageCreated, readStored, serialised } from '../support/events.js'
import type { OpenStore } from './event-store-conformance.js'

const NOON = 1_800_000_000_000_000
const ASC = { order: 'asc', limit: 100 } as const
const ALL = { since: null, limit: 1_000 }

function entryOf(id: string, covered: Pick<ErasurePayload, 'events' | 'through'>): EventToRecord {
  const payload = { reason: 'the person asked for it', by: 'root', count: 1, ...covered }
  return { ...toErasureEntry(id, payload), matches: [] }
}

export function erase({ removal }: Pick<Store, 'removal'>, id: string, instants: readonly Micros[]) {
  return removal.erase({ events: instants, entry: entryOf(id, { events: instants.map(toTimestamp) }) })
}

export function prune({ removal }: Pick<Store, 'removal'>, id: string, through: Micros) {
  return removal.prune({ through, entry: entryOf(id, { through: toTimestamp(through) }) })
}

/** Tests of events whose content is removed, for every engine. Source: decisions 54 and 55. */
export function erasures(t: Test, open: OpenStore): void {
  t.test('an erased event keeps its key, order, times and counts, and no content', async t => {
    const store = await open(t, () => NOON)
    const { events } = store
    const secret = { payload: { note: 'zebra' }, actor: { id: '99', display: 'Zoe', metadata: {} }, actor_role: 'zed' }
    await events.record([messageCreated('a'), { ...messageCreated('b', secret), matches: [] }, messageCreated('c')])
    await events.record([messageCreated('b')])
    const before = (await readStored(events, 'b')) as StoredEvent
    const entry = await erase(store, '1', [NOON + 1])
    t.match(entry, { created: true, dedupeKey: 'ledger:erased:1', capturedAt: NOON + 3 })

    const after = (await readStored(events, 'b')) as StoredEvent
    const mark = { at: toTimestamp(NOON + 3), reason: 'the person asked for it', by: 'root', entry: 'ledger:erased:1' }
    t.same(after, toTombstone(before, mark))
    t.match(after, {
      dedupe_key: 'b',
      captured_at: before.captured_at,
      seen_count: 2,
      last_seen_at: before.last_seen_at,
    })
    t.notMatch(JSON.stringify(after), /zebra|Zoe|zed|99/)
    t.same(keysOf(await events.query(ASC)), ['a', 'b', 'c', 'ledger:erased:1'], 'pages have the tombstone in its place')
    t.match(eventsOf(await events.query({ ...ASC, kinds: ['ledger.erased'] })), [
      { provenance: { route: 'ledger' }, payload: { reason: mark.reason, events: [before.captured_at] } },
    ])
    t.match(await events.stats(), { event_count: 4, duplicate_count: 1 })
  })

  t.test('no filter finds erased content, and filters by the remaining members find the tombstone', async t => {
    const store = await open(t, () => NOON)
    const { events } = store
    const changes = { payload: { note: 'zebra' }, actor: { id: '99', display: 'Zoe', metadata: {} } }
    await events.record([messageCreated('a'), messageCreated('b', changes)])
    const byContent = [
      ...[{ search: readSearch('q', 'zebra') }, { actors: ['99'] }, { actors: ['zoe'] }, { subjectId: 'b' }],
      { target: 'message:b' },
    ]
    const indexed = async () => {
      while ((await events.health()).unindexedEvents > 0) await new Promise(resolve => setTimeout(resolve, 10))
    }
    await indexed()
    for (const filter of byContent) t.same(keysOf(await events.query({ ...ASC, ...filter })), ['b'])
    await erase(store, '1', [NOON + 1])
    for (const wait of [async () => {}, indexed]) {
      await wait()
      for (const filter of byContent) t.same(keysOf(await events.query({ ...ASC, ...filter })), [])
      const left = { sources: ['chat'], kinds: ['message.created'], verified: ['none'] } as const
      t.same(keysOf(await events.query({ ...ASC, ...left })), ['a', 'b'])
      t.match(await events.facets({ now: NOON + 10, kinds: ['message.*'] }), { count: 2 })
    }
  })

  t.test('an erased event that is delivered again is a repeat, and stays erased', async t => {
    let now = NOON
    const store = await open(t, () => now)
    const { events } = store
    await events.record([messageCreated('a'), serialised(messageCreated('b', { payload: { note: 'zebra' } }))])
    await erase(store, '1', [NOON, NOON + 1])
    now += 1_000_000
    const captured = { ...messageCreated('a'), matches: [{ id: 'sub_1', isCaptured: true as const }] }
    const [outcome] = await events.record([captured])
    t.match(outcome, { created: false, seenCount: 2, capturedAt: NOON })
    const repeat = JSON.parse(outcome?.body ?? '')
    t.match(repeat, { erased: { by: 'root' }, seen_count: 2 })
    t.same(repeat.payload, {})
    await events.record([serialised(messageCreated('b', { payload: { note: 'zebra' } }))])
    for (const key of ['a', 'b']) {
      const stored = await readStored(events, key)
      t.match(stored, { erased: { by: 'root' }, seen_count: 2, last_seen_at: toTimestamp(now) })
      t.same(stored?.payload, {})
      t.notMatch(JSON.stringify(stored), /zebra|Ada|all green/)
    }
    t.match(await readStored(events, 'a'), { subscription_ids: ['sub_1'] })
    t.same((await events.verify(ALL)).problems, [])
  })

  t.test('entries of the ledger and unknown events are not erased, and a second erasure changes nothing', async t => {
    const store = await open(t, () => NOON)
    const { events } = store
    await events.record([messageCreated('a')])
    await erase(store, '1', [NOON])
    const erased = await readStored(events, 'a')
    await erase(store, '2', [NOON, NOON + 1, NOON + 700])
    t.same(await readStored(events, 'a'), erased)
    t.match(await readStored(events, 'ledger:erased:1'), { payload: { by: 'root' }, erased: undefined })
  })

  t.test('errors of dead letters lose their text with their events', async t => {
    const store = await open(t, () => NOON)
    const { events, consumers } = store
    await events.record(['a', 'b', 'c', 'd'].map(key => messageCreated(key)))
    const [minute, key] = [NOON + 60_000_000, { name: 'mail' }]
    await consumers.save({ ...key, owner_user_id: null, position: 'beginning' }, { most: 1, now: NOON })
    const lease = { now: NOON, until: minute }
    const granted = await consumers.lease(key, lease)
    const { fence } = granted.granted ? granted.consumer : { fence: 0 }
    await consumers.lease(key, { ...lease, fence, readTo: NOON + 3 })
    const deadLetters = ['a', 'b', 'c', 'd'].map((dedupe_key, at) => {
      return { dedupe_key, captured_at: NOON + at, error: `zebra ${dedupe_key}`, attempts: 3 }
    })
    await consumers.acknowledge(key, { ...lease, fence, checkpoint: NOON + 3, deadLetters })
    const errors = async () => (await consumers.listDeadLetters(key, { after: 0, limit: 9 })).map(({ error }) => error)
    await erase(store, '1', [NOON + 2])
    t.same(await errors(), ['zebra a', 'zebra b', '', 'zebra d'])
    await prune(store, '2', NOON + 1)
    t.same(await errors(), ['', '', '', 'zebra d'])
  })

  t.test('the chain verifies erased and pruned events, with their previous digests', async t => {
    const store = await open(t, () => NOON)
    const { events } = store
    await events.record(['a', 'b', 'c', 'd', 'e'].map(key => messageCreated(key)))
    const { head } = await events.health()
    await erase(store, '1', [NOON + 3])
    await prune(store, '2', NOON + 1)
    const found = await events.verify(ALL)
    t.match(found, { events: 7, problems: { length: 0 }, through: (await events.health()).head })
    t.match(await events.verify({ since: null, limit: 5 }), { through: head, problems: { length: 0 } })
  })

  t.test('a removal is refused if archived events were erased after their archiving', async t => {
    const store = await open(t, () => NOON)
    const { events, removal } = store
    await events.record(['a', 'b', 'c'].map(key => messageCreated(key)))
    await erase(store, '1', [NOON])
    const archived = { through: NOON + 1, entry: entryOf('2', { through: toTimestamp(NOON + 1) }) }
    const refused = { category: 'conflict', code: 'erased_meanwhile' }
    await t.rejects(removal.prune({ ...archived, entries: 0 }), refused)
    t.same(keysOf(await events.query(ASC)), ['a', 'b', 'c', 'ledger:erased:1'], 'also no entry is left')
    await removal.prune({ ...archived, entries: 1 })
    t.same(keysOf(await events.query(ASC)), ['c', 'ledger:erased:1', 'ledger:erased:2'])
    t.match(await events.verify(ALL), { events: 5, problems: { length: 0 } })
  })

  t.test('no page has pruned events, and a page has the instant of the first remaining event', async t => {
    const store = await open(t, () => NOON)
    const { events } = store
    t.match(await events.query(ASC), { earliest: null, prunedThrough: null })
    await events.record(['a', 'b', 'c'].map(key => messageCreated(key)))
    t.match(await events.query(ASC), { earliest: NOON, prunedThrough: null })
    const entry = await prune(store, '1', NOON + 1)
    t.match(entry, { created: true, capturedAt: NOON + 3 })
    const left = ['c', 'ledger:erased:1']
    for (const query of [ASC, { ...ASC, since: 0 }, { ...ASC, from: 1 }, { ...ASC, order: 'desc' as const }]) {
      const page = await events.query(query)
      t.same(keysOf(page).sort(), left)
      t.match(page, { earliest: NOON + 2, prunedThrough: NOON + 1 })
    }
    t.same(keysOf(await events.query({ ...ASC, search: readSearch('q', 'all green') })), ['c'])
    t.same(keysOf(await events.query({ ...ASC, sources: ['chat'] })), ['c'])
    t.match(await events.histogram({ buckets: 4, now: NOON + 10 }), { count: 2, from: NOON + 2 })
    t.match(await events.histogram({ buckets: 4, now: NOON + 10, from: NOON - 10, kinds: ['message.*'] }), { count: 1 })
    t.match(await events.facets({ now: NOON + 10, from: 1 }), { count: 2 })
    t.match(await events.stats(), { event_count: 4 }, 'they are counted still')
  })

  t.test('the key of a pruned event finds a tombstone, and a delivery of it is a repeat', async t => {
    let now = NOON
    const store = await open(t, () => now)
    const { events } = store
    const verified = { ...messageCreated('a'), provenance: { route: 'webhook', verified: 'signature' } as const }
    await events.record([verified, messageCreated('b')])
    await prune(store, '1', NOON)
    const mark = { at: toTimestamp(NOON + 2), reason: 'the person asked for it', by: 'root', entry: 'ledger:erased:1' }
    const kept = { dedupe_key: 'a', source: 'chat', provenance: verified.provenance, seen_count: 1, erased: mark }
    t.match(await readStored(events, 'a'), kept)
    now += 1_000_000
    const captured = { ...verified, matches: [{ id: 'sub_1', isCaptured: true as const }] }
    const [outcome] = await events.record([captured])
    t.match(outcome, { created: false, seenCount: 2, capturedAt: NOON })
    t.match(JSON.parse(outcome?.body ?? ''), { ...kept, seen_count: 2 })
    t.same(await events.listKeysOf('sub_1', ['a']), [])
    t.same(keysOf(await events.query({ ...ASC, subscriptionIds: ['sub_1'] })), [])
    t.same((await events.verify(ALL)).problems, [])
  })

  t.test('the tombstone of a pruned event is complete before background removal reaches the event', async t => {
    const store = await open(t, () => NOON)
    const { events } = store
    const keys = Array.from({ length: 1_000 }, (_, at) => `m${at}`)
    const occurred = { occurred_at: '2031-05-04T09:00:00.000000Z' }
    await events.record(keys.map(key => ({ ...messageCreated(key, occurred), matches: [{ id: 'sub_1' }] })))
    await prune(store, '1', NOON + keys.length - 1)
    t.match(await readStored(events, 'm999'), { occurred_at: null, subscription_ids: { length: 0 } })
  })

  t.test('events can be pruned repeatedly, even if this removes the entry of an earlier pruning', async t => {
    const store = await open(t, () => NOON)
    const { events } = store
    await events.record(['a', 'b'].map(key => messageCreated(key)))
    await prune(store, '1', NOON)
    await events.record([messageCreated('c')])
    await prune(store, '2', NOON + 3)
    t.same(keysOf(await events.query(ASC)), ['ledger:erased:2'])
    for (const key of ['a', 'b', 'c', 'ledger:erased:1']) {
      t.match(await readStored(events, key), { dedupe_key: key, erased: { entry: 'ledger:erased:2' } })
    }
    t.match(await events.verify(ALL), { events: 5, problems: { length: 0 } })
  })
}
