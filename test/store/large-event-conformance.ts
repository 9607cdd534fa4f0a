import type { Test } from 'tap'
import type { NewEvent } from '../../src/model/events/event.js'
import { type EventQuery, eventsOf } from '../../src/model/events/event-query.js'
import { readSearch } from '../../src/model/events/search.js'
import { toTimestamp } from '../../src/model/timestamp.js'
import { inEachIndexState, keysOf, messageCreated, readStored, serialised } from '../support/events.js'
import type { OpenStore } from './event-store-conformance.js'

const NOON = 1_800_000_000_000_000
const ASC: EventQuery = { order: 'asc', limit: 100, since: 0 }
const FILLING = 'x'.repeat(1_100_000)

/** An event beyond what the API takes, as webhooks bring it. */
const large = (key: string, changes: Partial<NewEvent> = {}) =>
  serialised(messageCreated(key, { payload: { filling: FILLING }, ...changes }))

/** Tests of events that are too large to be handled like others for every engine. */
export function largeEvents(t: Test, open: OpenStore): void {
  t.test('a serialised event is stored unchanged, and its outcome omits it', async t => {
    const { events } = await open(t, () => NOON)
    const delivery = messageCreated('a', { payload: { said: 'ünïcödé \ud800 "quoted"', filling: FILLING } })
    const matches = [{ id: 'sub_1' }]
    const [outcome] = await events.record([{ ...serialised(delivery), matches }])
    t.strictSame(outcome, { created: true, dedupeKey: 'a', seenCount: 1, capturedAt: NOON, body: undefined })
    t.same(await readStored(events, 'a'), {
      ...delivery.event,
      subscription_ids: ['sub_1'],
      provenance: delivery.provenance,
      captured_at: toTimestamp(NOON),
      seen_count: 1,
      last_seen_at: toTimestamp(NOON),
    })
  })

  t.test('repeats of a large event are counted in it, beyond nine as well', async t => {
    let now = NOON
    const { events } = await open(t, () => now++)
    await events.record([large('a')])
    const first = await readStored(events, 'a')
    for (let count = 2; count <= 11; count++) {
      t.match(await events.record([large('a')]), [{ created: false, seenCount: count, capturedAt: NOON }])
    }
    const last = await readStored(events, 'a')
    t.same(last, { ...first, seen_count: 11, last_seen_at: last?.last_seen_at })
    t.ok((last?.last_seen_at ?? '') > (first?.last_seen_at ?? ''))
    t.match(await events.stats(), { event_count: 1, duplicate_count: 10 })
  })

  t.test('a small repeat of a large event returns the complete event', async t => {
    const { events } = await open(t)
    await events.record([large('a')])
    const [outcome] = await events.record([messageCreated('a')])
    t.match(JSON.parse(outcome?.body ?? ''), { seen_count: 2, payload: { filling: FILLING } })
  })

  t.test('large and small events in one record are stored in order', async t => {
    const { events } = await open(t)
    const outcomes = await events.record([messageCreated('a'), large('b'), messageCreated('c'), large('b')])
    t.same(
      outcomes.map(({ created }) => created),
      [true, true, true, false],
    )
    t.same(keysOf(await events.query(ASC)), ['a', 'b', 'c'])
  })

  t.test('a call with several events reads none of those that are stored: they may be large', async t => {
    const { events } = await open(t)
    await events.record([messageCreated('stored', { payload: { filling: FILLING } })])
    const [single] = await events.record([messageCreated('stored')])
    t.match(JSON.parse(single?.body ?? ''), { seen_count: 2, payload: { filling: FILLING } })
    const several = await events.record([messageCreated('new'), messageCreated('stored'), messageCreated('stored')])
    t.same(
      several.map(({ seenCount, body }) => [seenCount, body]),
      [
        [1, undefined],
        [3, undefined],
        [4, undefined],
      ],
    )
  })

  t.test('every filter finds large events, before and after their indexing', async t => {
    const { events } = await open(t)
    const decoy = { first: 1, payload: { subscription_ids: ['sub_2'] }, subscription_ids: [] }
    const actor = { id: '18', display: 'Grace', metadata: decoy }
    const target = { type: 'message', key: 'message:b', parent: { type: 'topic', key: 'topic:5' } }
    const provenance = { route: 'webhook', verified: 'signature' } as const
    const conversation = { key: 'topic:5', text: 'said aloud' }
    const payload = {
      subscription_ids: [',"subscription_ids":['],
      payload: { said: 'Needle, "quoted" \\ \ttab Größe 日本', name: 'x' },
      filling: FILLING,
    }
    const wanted = large('b', { source: 'forum', kind: 'reply.created', subject_id: '9', actor, target, conversation })
    const delivery = serialised({ ...messageCreated('b'), event: { ...wanted.event, payload } })
    await events.record([large('a'), { ...delivery, provenance, matches: [{ id: 'sub_1' }] }, messageCreated('c')])
    const filters: Omit<EventQuery, 'order' | 'limit'>[] = [
      ...[
        { sources: ['forum'] },
        { kinds: ['reply.*'] },
        { subjectId: '9' },
        { actors: ['grace'] },
        { actors: ['18'] },
      ],
      ...[{ target: 'topic:5' }, { subscriptionIds: ['sub_1'] }, { verified: ['signature' as const] }],
    ]
    const found = ['needle aloud', '"NEEDLE,"', 'grace größe 日本', '"quoted" \\ tab']
    const notFound = [
      'filling',
      'said_',
      'reply.created',
      'topic:6',
      'needle missing',
      'signature',
      'dedupe',
      '"x" nought',
    ]
    const ask = { ...ASC, withoutPayload: true } as const
    await inEachIndexState(events, async state => {
      for (const filter of filters) {
        t.same(keysOf(await events.query({ ...ask, ...filter })), ['b'], `${JSON.stringify(filter)}, ${state} index`)
      }
      for (const q of found) {
        const query = { ...ask, search: readSearch('q', q) }
        t.same(keysOf(await events.query(query)), ['b'], `${q}, ${state} index`)
      }
      for (const q of found.slice(0, 2)) {
        const searches = [['absent'], readSearch('q', q), ['nowhere']]
        const query = { ...ask, sources: ['forum'], excluded: { searches } }
        t.same(keysOf(await events.query(query)), [], `without ${q}, ${state} index`)
      }
      const excluded = { searches: notFound.map(q => readSearch('q', q)) }
      t.same(keysOf(await events.query({ ...ask, sources: ['forum'], excluded })), ['b'], `without any, ${state} index`)
      for (const q of ['filling', 'needle missing', '"x" nought']) {
        const query = { ...ask, search: readSearch('q', q) }
        t.same(keysOf(await events.query(query)), [], `${q}, ${state} index`)
      }
      t.same(keysOf(await events.query({ ...ASC, search: ['needle'] })), ['b'], `a whole page, ${state} index`)
    })
  })

  t.test('pages of large events end early, and join without gap', async t => {
    const { events } = await open(t)
    const payload = { filling: 'x'.repeat(5_700_000) }
    for (const key of ['a', 'b', 'c']) await events.record([large(key, { payload })])
    for (const filter of [{}, { sources: ['chat'] }]) {
      const seen: string[] = []
      for (let since = 0; ; ) {
        const page = await events.query({ ...ASC, ...filter, since })
        t.ok(page.count <= 2)
        seen.push(...eventsOf(page).map(event => event.dedupe_key))
        if (!page.hasMore) break
        since = page.nextSince ?? Number.NaN
      }
      t.same(seen, ['a', 'b', 'c'])
    }
  })
}
