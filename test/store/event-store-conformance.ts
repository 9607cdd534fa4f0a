import fc from 'fast-check'
import type { Test } from 'tap'
import {
  type EventQuery,
  eventsOf,
  joinPages,
  type PageSummary,
  restOfPage,
} from '../../src/model/events/event-query.js'
import { readSearch } from '../../src/model/events/search.js'
import type { Subscription } from '../../src/model/subscriptions/subscription.js'
import { type Micros, readTimestamp, toTimestamp } from '../../src/model/timestamp.js'
import type { Store } from '../../src/store/store.js'
import { inEachIndexState, keysOf, messageCreated, readStored, serialised } from '../support/events.js'
import { storedSubscription } from '../support/subscription.js'
import { eventHistograms } from './event-histogram-conformance.js'
import { largeEvents } from './large-event-conformance.js'

/** Opens an empty store of its own; `clock` gives the wall clock in microseconds. */
export type OpenStore = (t: Test, clock?: () => Micros) => Promise<Store>

const NOON = 1_800_000_000_000_000
const ASC: EventQuery = { order: 'asc', limit: 100, since: 0 }
const DESC: EventQuery = { order: 'desc', limit: 100 }

const WATCH: Subscription = storedSubscription()

/** Tests of events for every engine. */
export function eventStoreConformance(t: Test, open: OpenStore): void {
  t.test('a repeat is counted and changes nothing else', async t => {
    let now = NOON
    const { events } = await open(t, () => now)
    const [first] = await events.record([messageCreated('chat:1')])
    now += 5_000_000
    const [second] = await events.record([messageCreated('chat:1', { actor_role: 'bot' })])
    t.match(
      [first, second],
      [
        { created: true, seenCount: 1, capturedAt: NOON },
        { created: false, seenCount: 2, capturedAt: NOON },
      ],
    )
    t.match(await readStored(events, 'chat:1'), {
      seen_count: 2,
      actor_role: 'member',
      captured_at: toTimestamp(NOON),
      last_seen_at: toTimestamp(NOON + 5_000_000),
    })
    t.match(await events.stats(), { event_count: 1, duplicate_count: 1 })
  })

  t.test('two deliveries that race still count as one event', async t => {
    const { events } = await open(t)
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => events.record([messageCreated('chat:2')])))
    t.equal(outcomes.flat().filter(outcome => outcome.created).length, 1)
    t.match(await readStored(events, 'chat:2'), { seen_count: 20 })
  })

  t.test('a key that occurs twice in one batch is one event', async t => {
    const { events } = await open(t)
    const outcomes = await events.record([messageCreated('a'), messageCreated('b'), messageCreated('a')])
    t.same(
      outcomes.map(outcome => [outcome.created, outcome.seenCount]),
      [
        [true, 1],
        [true, 1],
        [false, 2],
      ],
    )
  })

  t.test('captured_at increases with every event although the clock stops, steps back or jumps ahead', async t => {
    const times = [NOON, NOON, NOON - 3_600_000_000, NOON + 10, NOON - 1]
    let at = 0
    const { events } = await open(t, () => times[at++ % times.length] as number)
    const captured: number[] = []
    for (let key = 0; key < 10; key++) {
      const [outcome] = await events.record([messageCreated(String(key))])
      captured.push(outcome?.capturedAt ?? 0)
    }
    t.same(
      captured,
      [...new Set(captured)].sort((left, right) => left - right),
    )
    t.same(keysOf(await events.query(ASC)), ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
  })

  t.test('the stored keys of a subscription are selected from many keys', async t => {
    const { events } = await open(t)
    const recorded = (key: string, id: string) => events.record([{ ...messageCreated(key), matches: [{ id }] }])
    await recorded('a', 'watch')
    await recorded('b', 'other')
    await recorded('"quoted", \\ and ü', 'watch')
    t.same((await events.listKeysOf('watch', ['a', 'b', 'c', '"quoted", \\ and ü'])).sort(), [
      '"quoted", \\ and ü',
      'a',
    ])
    t.same(await events.listKeysOf('watch', []), [])
  })

  t.test('keys may contain any text that is valid in UTF-8', async t => {
    const { events } = await open(t)
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }), async key => {
        if (key.includes('\0')) return // the next test
        const [outcome] = await events.record([messageCreated(key)])
        t.equal((await readStored(events, key))?.dedupe_key, key)
        t.equal(outcome?.dedupeKey, key)
      }),
      { numRuns: 30 },
    )
  })

  t.test('a page that ends at a size continues without gap or repeat, even while events arrive', async t => {
    const { events } = await open(t)
    let late = 0
    await events.record(
      [...Array(14).keys()].map(at =>
        messageCreated(`chat:${at}`, {
          source: at % 3 ? 'chat' : 'forum',
          payload: { text: 'x'.repeat(100 * (at % 5)) },
        }),
      ),
    )
    const { head } = await events.query(DESC)
    const to = (head ?? 0) - 2
    const queries: EventQuery[] = [ASC, DESC].flatMap(query => [
      ...[query, { ...query, limit: 7 }, { ...query, withoutPayload: true as const }],
      ...[
        { ...query, sources: ['chat'], limit: 5 },
        { ...query, to, sources: ['chat'] },
        { ...query, to, limit: 7 },
      ],
    ])
    for (const query of queries) {
      const { items: _, ...whole } = await events.query(query)
      const wholeItems = eventsOf(await events.query(query))
      const maxBytes = 2_500
      let piece = await events.query({ ...query, maxBytes })
      let page: PageSummary = piece
      const items = eventsOf(piece)
      while (page.hasMore && page.count < query.limit) {
        await events.record([messageCreated(`late:${++late}`), messageCreated('chat:1')])
        piece = await events.query({ ...restOfPage(query, page), maxBytes })
        t.ok(piece.count > 0 && piece.items.byteLength < maxBytes + 100)
        page = joinPages(query, page, piece)
        items.push(...eventsOf(piece))
      }
      t.same(
        items.map(item => item.dedupe_key),
        wholeItems.map(item => item.dedupe_key),
      )
      t.match(page, whole)
    }
  })

  t.test('an event that is larger than the size given leaves the page empty, with the size it needs', async t => {
    const { events } = await open(t)
    await events.record([messageCreated('chat:1', { payload: { text: 'x'.repeat(1_000) } })])
    for (const query of [ASC, { ...DESC, sources: ['chat'] }]) {
      const whole = await events.query(query)
      const neededBytes = whole.items.byteLength
      t.match(await events.query({ ...query, maxBytes: 100 }), { count: 0, hasMore: true, neededBytes })
      t.match(await events.query({ ...query, maxBytes: neededBytes }), { count: 1, hasMore: false })
      t.equal(await events.findByDedupeKey('chat:1', 100), neededBytes)
    }
  })

  t.test('a text that the driver would truncate does not match the truncated one', async t => {
    const { events, subscriptions } = await open(t)
    await events.record([messageCreated('a', { source: 'a', kind: 'a' })])
    await subscriptions.save({ ...WATCH, id: 'a', owner_user_id: 'a' })
    const before = await readStored(events, 'a')
    const tail = fc.string({ unit: fc.constantFrom('a', '\0', '\ud800', '%'), maxLength: 5 })
    const cut = fc.tuple(fc.constantFrom('\0', '\ud800'), tail).map(([first, rest]) => `a${first}${rest}`)
    await fc.assert(
      fc.asyncProperty(cut, async text => {
        t.equal(await events.findByDedupeKey(text, 1), undefined)
        await t.rejects(events.record([messageCreated(text)]))
        t.equal(await subscriptions.findById(text), undefined)
        t.same(await subscriptions.list(text), [])
        t.equal(await subscriptions.delete(text), false)
        await subscriptions.noteCapture(text, { failures: 1 })
        await events.record([{ ...messageCreated('b'), matches: [{ id: text, cursor: '1' }] }])
        for (const filter of [{ subjectId: text }, { sources: [text] }, { kinds: [text] }, { target: text }]) {
          t.same(keysOf(await events.query({ ...ASC, ...filter })), [], JSON.stringify(filter))
        }
        t.same(keysOf(await events.query({ ...ASC, actors: [text] })), [])
        t.same(keysOf(await events.query({ ...ASC, subscriptionIds: [text] })).includes('a'), false)
      }),
      { numRuns: 10 },
    )
    t.same(await readStored(events, 'a'), before)
    t.match(await subscriptions.findById('a'), { last_event_at: null, last_cursor: null, capture: undefined })
  })

  t.test('an event is read as it was recorded', async t => {
    const { events } = await open(t)
    let key = 0
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async payload => {
        const sent = JSON.parse(JSON.stringify(payload)) as Record<string, unknown>
        await events.record([messageCreated(`p${++key}`, { payload: sent })])
        await events.record([messageCreated(`p${key}`, { payload: sent })])
        t.strictSame((await readStored(events, `p${key}`))?.payload, sent)
      }),
      { numRuns: 30 },
    )
  })

  checkpoints(t, open)
  filters(t, open)
  withoutPayloads(t, open)
  searches(t, open)
  largeEvents(t, open)
  eventHistograms(t, open)

  t.test('statistics are kept per source and kind', async t => {
    const { events } = await open(t, () => NOON)
    await events.record([
      messageCreated('1'),
      messageCreated('2', { source: 'forum', kind: 'reply.created' }),
      messageCreated('1'),
    ])
    t.same(await events.stats(), {
      event_count: 2,
      duplicate_count: 1,
      subscription_count: 0,
      by_source: {
        chat: { events: 1, duplicates: 1, latest_captured_at: toTimestamp(NOON) },
        forum: { events: 1, duplicates: 0, latest_captured_at: toTimestamp(NOON + 1) },
      },
      by_kind: { 'message.created': 1, 'reply.created': 1 },
      first_captured_at: toTimestamp(NOON),
      latest_captured_at: toTimestamp(NOON + 1),
    })
  })

  t.test('an empty store has no head, and returns the checkpoint that was sent', async t => {
    const { events } = await open(t)
    t.match(await events.query(DESC), { count: 0, head: null, nextSince: null, latestCapturedAt: null, hasMore: false })
    t.match(await events.query({ ...ASC, since: 7 }), { count: 0, head: null, nextSince: 7 })
    t.match(await events.health(), { head: null })
  })
}

function checkpoints(t: Test, open: OpenStore): void {
  t.test('checkpoints and bounds of pages', async t => {
    const { events } = await open(t, () => NOON)
    await events.record(['0', '1', '2', '3', '4'].map(key => messageCreated(key)))

    t.test('with since, pages continue after the last item while more match, and then after the head', async t => {
      const first = await events.query({ ...ASC, limit: 2 })
      t.match(first, { count: 2, nextSince: NOON + 1, hasMore: true, head: NOON + 4, latestCapturedAt: NOON + 1 })
      const last = await events.query({ ...ASC, limit: 3, since: NOON + 1 })
      t.match(last, { count: 3, nextSince: NOON + 4, hasMore: false })
    })

    t.test('the checkpoint of a consumer whose filter matches no event moves to the head', async t => {
      t.match(await events.query({ ...ASC, sources: ['forum'] }), { count: 0, nextSince: NOON + 4, hasMore: false })
    })

    t.test('the checkpoint never passes `to`, and is never before `since`', async t => {
      t.match(await events.query({ ...ASC, to: NOON + 1 }), { count: 2, nextSince: NOON + 1 })
      t.match(await events.query({ ...ASC, since: NOON + 99 }), { count: 0, nextSince: NOON + 99 })
    })

    t.test('a page with the newest first and a remainder keeps the checkpoint', async t => {
      t.match(await events.query({ ...DESC, since: 0, limit: 4 }), { hasMore: true, nextSince: 0 })
      t.match(await events.query({ ...DESC, since: 0, limit: 5 }), { hasMore: false, nextSince: NOON + 4 })
      t.same(keysOf(await events.query({ ...DESC, limit: 2 })), ['4', '3'])
      t.match(await events.query({ ...DESC, limit: 2 }), { nextSince: NOON + 4, hasMore: true })
    })

    t.test('bounds are inclusive, since is exclusive, and all of them intersect', async t => {
      t.same(keysOf(await events.query({ ...ASC, since: NOON, from: NOON + 2, to: NOON + 3 })), ['2', '3'])
      t.same(keysOf(await events.query({ ...ASC, since: NOON + 2, from: NOON })), ['3', '4'])
      t.same(keysOf(await events.query({ ...ASC, from: NOON + 4, to: NOON + 1 })), [])
    })

    t.test('pages with the newest first continue before their last event, without gap or repeat', async t => {
      const read: string[] = []
      for (let to: Micros | undefined, hasMore = true; hasMore; ) {
        const page = await events.query({ ...DESC, limit: 2, ...(to === undefined ? {} : { to }) })
        const items = eventsOf(page)
        read.push(...items.map(({ dedupe_key }) => dedupe_key))
        // `before`, which excludes the event itself.
        to = readTimestamp('captured_at', items.at(-1)?.captured_at).micros - 1
        hasMore = page.hasMore
        await events.record([messageCreated(`while reading, after ${read.length}`)])
      }
      t.same(read, ['4', '3', '2', '1', '0'])
    })
  })

  t.test('filtered consumers see each event once, in order, while writers record and the clock jumps', async t => {
    let jitter = 0
    const restless = () => {
      jitter = (jitter * 7919 + 13) % 5000
      return NOON + (jitter - 2500) * 1000
    }
    const { events } = await open(t, restless)
    const sources = ['chat', 'forum', 'code_a']
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let batch = 0; batch < 5; batch++) {
        const keys = Array.from({ length: 1 + ((writer + batch) % 5) }, (_, at) => `${writer}/${batch}/${at}`)
        await events.record(keys.map((key, at) => messageCreated(key, { source: sources[at % 3] as string })))
      }
    })
    let writing = true
    const written = Promise.all(writers).then(() => {
      writing = false
    })
    const consume = async (query: Partial<EventQuery>) => {
      const seen: string[] = []
      let since = 0
      for (let last = false; ; ) {
        const page = await events.query({ ...ASC, ...query, since })
        seen.push(...keysOf(page))
        since = page.nextSince ?? since
        if (last && !page.hasMore) return seen
        last = !writing && !page.hasMore
      }
    }
    const [all7, all500, forum1, forum7, ofAda] = await Promise.all([
      ...[consume({ limit: 7 }), consume({ limit: 500 })],
      ...[consume({ limit: 1, sources: ['forum'] }), consume({ limit: 7, sources: ['forum'] })],
      consume({ limit: 7, kinds: ['message.*'], actors: ['ada'] }),
    ])
    await written
    const all = eventsOf(await events.query({ ...ASC, limit: 500 }))
    t.ok(all.length > 100)
    const everyKey = all.map(event => event.dedupe_key)
    const forumKeys = all.filter(event => event.source === 'forum').map(event => event.dedupe_key)
    for (const seen of [all7, all500, ofAda]) t.same(seen, everyKey)
    for (const seen of [forum1, forum7]) t.same(seen, forumKeys)
  })
}

function filters(t: Test, open: OpenStore): void {
  t.test(
    'occurred_at is filtered by inclusive bounds to the microsecond, and an event without it does not match',
    async t => {
      const { events } = await open(t, () => NOON)
      const large = { text: 'x'.repeat(1_100_000) }
      await events.record([
        messageCreated('none'),
        messageCreated('early', { occurred_at: '2026-11-20T12:59:58.000000Z' }),
        messageCreated('exact', { occurred_at: '2026-11-20T13:00:00.123456Z' }),
        serialised(messageCreated('large', { occurred_at: '2026-11-20T13:00:00.123457Z', payload: large })),
        messageCreated('ancient', { occurred_at: '0099-01-01T00:00:00.000000Z', source: 'forum' }),
        messageCreated('future', { occurred_at: '9999-12-31T23:59:59.999999Z' }),
      ])
      const at = (text: string) => readTimestamp('at', text).micros
      const exact = at('2026-11-20T13:00:00.123456Z')
      const cases: [Partial<EventQuery>, string[]][] = [
        [{ occurredFrom: exact }, ['exact', 'large', 'future']],
        [{ occurredFrom: exact + 1 }, ['large', 'future']],
        [{ occurredTo: exact }, ['early', 'exact', 'ancient']],
        [{ occurredFrom: exact, occurredTo: exact }, ['exact']],
        [{ occurredFrom: exact + 1, occurredTo: exact }, []],
        [{ occurredFrom: at('0001-01-01T00:00:00Z') }, ['early', 'exact', 'large', 'ancient', 'future']],
        [{ occurredTo: exact, sources: ['forum'] }, ['ancient']],
        [{ occurredTo: exact, excluded: { sources: ['forum'] } }, ['early', 'exact']],
        [{ occurredFrom: exact, search: ['green'] }, ['exact', 'large', 'future']],
      ]
      await inEachIndexState(events, async () => {
        for (const [filter, keys] of cases) {
          const query = { ...filter, withoutPayload: true as const }
          t.same(keysOf(await events.query({ ...ASC, ...query })), keys, JSON.stringify(filter))
          t.same(keysOf(await events.query({ ...DESC, ...query })), [...keys].reverse(), JSON.stringify(filter))
        }
      })
      const page = await events.query({ ...ASC, occurredFrom: exact, limit: 1 })
      t.match([keysOf(page), page.hasMore], [['exact'], true])
      const { count } = await events.histogram({ occurredFrom: exact, buckets: 4, now: NOON + 10 })
      t.equal(count, 3, 'counts agree')
      t.equal((await events.facets({ occurredFrom: exact, now: NOON + 10 })).count, 3)
    },
  )

  t.test('each filter narrows, and all of them apply together', async t => {
    const { events } = await open(t, () => NOON)
    await events.record([
      messageCreated('1'),
      messageCreated('2', { source: 'forum', kind: 'reply.created', subject_id: '77' }),
      messageCreated('3', { actor: { id: '18', display: 'Grace Hopper', metadata: {} } }),
      { ...messageCreated('4', { kind: 'message.updated' }), provenance: { route: 'webhook', verified: 'signature' } },
      {
        ...messageCreated('5', {
          actor: { id: '17', display: '\ud83d部', metadata: {} },
          target: { type: 'issue', key: 'issue:9 "x"', parent: { key: 'owner:1' } },
          action: { kind: 'check', object_type: 'check', verb: 'ended', outcome: 'Timed out', metadata: {} },
        }),
        matches: [{ id: 'sub_1' }],
      },
    ])
    const cases: [Partial<EventQuery>, string[]][] = [
      [{ sources: ['forum'] }, ['2']],
      [{ sources: ['forum', 'nowhere'] }, ['2']],
      [{ sources: ['forum', 'chat'] }, ['1', '2', '3', '4', '5']],
      [{ kinds: ['message.updated'] }, ['4']],
      [{ kinds: ['message.*'] }, ['1', '3', '4', '5']],
      [{ kinds: ['reply.created', 'message.updated'] }, ['2', '4']],
      [{ kinds: ['*'] }, ['1', '2', '3', '4', '5']],
      [{ kinds: ['messag'] }, []],
      [{ subjectId: '77' }, ['2']],
      [{ actors: ['18'] }, ['3']],
      [{ actors: ['grace hopper'] }, ['3']],
      [{ actors: ['grace'] }, []],
      [{ actors: ['18', 'ada'] }, ['1', '2', '3', '4']],
      [{ target: 'topic:4/deploys' }, ['1', '2', '3', '4']],
      [{ target: 'issue:9 "x"' }, ['5']],
      [{ target: 'owner:1' }, ['5']],
      [{ verified: ['signature'] }, ['4']],
      [{ verified: ['signature', 'none'] }, ['1', '2', '3', '4', '5']],
      [{ subscriptionIds: ['sub_1'] }, ['5']],
      [{ subscriptionIds: ['sub'] }, []],
      [{ subscriptionIds: ['sub', 'sub_1'] }, ['5']],
      [{ kinds: ['message.*'], actors: ['17'], verified: ['none'] }, ['1', '5']],
      [{ outcomes: ['failed'] }, ['5']],
      [{ outcomes: ['failed', 'running'], actors: ['17'] }, ['5']],
      [{ outcomes: ['succeeded', 'cancelled'] }, []],
      [{ excluded: { outcomes: ['failed'] } }, ['1', '2', '3', '4']],
      [{ excluded: { sources: ['forum', 'nowhere'] } }, ['1', '3', '4', '5']],
      [{ excluded: { kinds: ['message.*'] } }, ['2']],
      [{ excluded: { kinds: ['message.created', 'reply.created'] } }, ['4']],
      [{ excluded: { actors: ['GRACE HOPPER'] } }, ['1', '2', '4', '5']],
      [{ excluded: { actors: ['17'] } }, ['3']],
      [{ excluded: { targets: ['owner:1', 'message:3'] } }, ['1', '2', '4']],
      [{ target: 'topic:4/deploys', excluded: { sources: ['forum'], kinds: ['message.updated'] } }, ['1', '3']],
      [{ sources: ['chat'], excluded: { sources: ['chat'] } }, []],
      [{ sources: ['chat'], excluded: { searches: [['grace', 'hopper']] } }, ['1', '4', '5']],
    ]
    await inEachIndexState(events, async () => {
      for (const [filter, keys] of cases) {
        t.same(keysOf(await events.query({ ...ASC, ...filter })), keys, JSON.stringify(filter))
        t.same(keysOf(await events.query({ ...DESC, ...filter })), [...keys].reverse(), JSON.stringify(filter))
      }
    })
  })
}

function withoutPayloads(t: Test, open: OpenStore): void {
  t.test('a page without payloads is otherwise the same', async t => {
    const { events } = await open(t, () => NOON)
    const large = serialised(messageCreated('3', { payload: { text: 'x'.repeat(2 * 1024 * 1024) } }))
    await events.record([messageCreated('1', { payload: { a: 1 } }), messageCreated('2', { source: 'forum' }), large])
    for (const filter of [{}, { sources: ['chat'] }, { search: ['green'] }]) {
      const whole = eventsOf(await events.query({ ...DESC, ...filter }))
      const page = await events.query({ ...DESC, ...filter, withoutPayload: true })
      t.same(
        eventsOf(page),
        whole.map(({ payload: _, ...others }) => others),
      )
      t.ok(page.items.byteLength < 10_000)
    }
  })
}

function searches(t: Test, open: OpenStore): void {
  t.test('q finds words and phrases in any script and case, and no member names', async t => {
    const { events } = await open(t)
    const said = (key: string, text: string) => messageCreated(key, { conversation: { text } })
    await events.record([
      said('1', 'The Deploy of engine-7 FAILED at noon'),
      said('2', 'deploy went well; 部署成功'),
      said('3', 'Größe und ΣΊΣΥΦΟΣ'),
      messageCreated('4', {
        conversation: {},
        payload: { failure: { inner: ['quoted "words" and back\\slash', 'ok'] } },
      }),
      messageCreated('5', {
        conversation: {},
        actor: { id: '9', display: 'Übung', metadata: { email: 'x@YZ.example' } },
      }),
      said('6', 'İstanbul costs 100% of _it_'),
      said('7', `${'long '.repeat(30_000)}needle`),
      said('8', 'GROẞ and ǅungla, then a\0nul'),
      said('9', 'half \ud83d部 at the last'),
    ])
    const all = ['1', '2', '3', '4', '5', '6', '7', '8', '9']
    const cases: [string, string[]][] = [
      ['deploy', ['1', '2']],
      ['deploy failed', ['1']],
      ['"deploy failed"', []],
      ['"engine-7 failed"', ['1']],
      ['部署', ['2']],
      ['署', ['2']],
      ['GRÖSSE', []],
      ['größe', ['3']],
      ['σίσυφος', ['3']],
      ['failure', []],
      ['"words', ['4']],
      ['back\\slash', ['4']],
      ['übung', ['5']],
      ['yz.e', ['5']],
      ['ok', ['4']],
      ['istanbul', []],
      ['İSTANBUL', ['6']],
      ['100% _it_', ['6']],
      ['needle', ['7']],
      ['zz', []],
      ['groß', ['8']],
      ['ß', ['3', '8']],
      ['a\0nul', ['8']],
      ['at the last', ['9']],
      ['  ', all],
      ['nothing-has-this', []],
    ]
    await inEachIndexState(events, async state => {
      for (const [q, keys] of cases) {
        t.same(keysOf(await events.query({ ...ASC, search: readSearch('q', q) })), keys, `${q}, ${state} index`)
        t.same(keysOf(await events.query({ ...DESC, search: readSearch('q', q) })), [...keys].reverse(), q)
      }
      for (const [q, keys] of cases.filter(([q]) => q.trim() !== '')) {
        const query = { ...ASC, excluded: { searches: [readSearch('q', q)] } }
        t.same(
          keysOf(await events.query(query)),
          all.filter(key => !keys.includes(key)),
          `without ${q}`,
        )
      }
      const searches = [['deploy', 'failed'], ['needle'], ['needle', 'missing'], ['größe']]
      t.same(keysOf(await events.query({ ...ASC, excluded: { searches } })), ['2', '4', '5', '6', '8', '9'])
      t.same(keysOf(await events.query({ ...ASC, search: ['deploy'], excluded: { searches } })), ['2'])
      t.same(keysOf(await events.query({ ...ASC, search: ['deploy'], sources: ['chat'], since: 0 })), ['1', '2'])
      t.same(keysOf(await events.query({ ...ASC, search: ['deploy'], sources: ['forum'] })), [])
    })
  })

  t.test('a search for thousands of terms finds the texts with all of them', async t => {
    const { events } = await open(t)
    const terms = Array.from({ length: 1_010 }, (_, at) => at.toString(36).padStart(2, '0'))
    // Each term is looked for in all of a large text.
    const [q, few] = [terms.join(' '), terms.slice(0, 20).join(' ')]
    await events.record([
      messageCreated('all', { payload: { text: q } }),
      messageCreated('some', { payload: { text: q.slice(0, -3) } }),
      messageCreated('large', { payload: { texts: [few, 'o'.repeat(1_100_000)] } }),
      messageCreated('large, some', { payload: { texts: [few.slice(0, -3), 'o'.repeat(1_100_000)] } }),
    ])
    const found = async (text: string) => keysOf(await events.query({ ...ASC, search: readSearch('q', text) }))
    t.same(await found(q), ['all'])
    t.same(await found(few), ['all', 'some', 'large'])
  })

  t.test('pages of a search join without gap or repeat', async t => {
    const { events } = await open(t)
    const texts = Array.from({ length: 700 }, (_, at) =>
      at % 3 === 0 ? 'red apple' : at % 7 === 0 ? 'green pear' : 'plum',
    )
    await events.record(texts.map((text, at) => messageCreated(String(at), { conversation: { text } })))
    const expected = texts.flatMap((text, at) => (text === 'green pear' ? [String(at)] : []))
    for (const limit of [1, 7, 500]) {
      const seen: string[] = []
      for (let since = 0, more = true; more; ) {
        const page = await events.query({ order: 'asc', limit, since, search: ['green', 'ear'] })
        seen.push(...keysOf(page))
        since = page.nextSince ?? since
        more = page.hasMore
      }
      t.same(seen, expected, `limit ${limit}`)
    }
  })
}
