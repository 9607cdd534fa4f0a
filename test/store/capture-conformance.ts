import type { Test } from 'tap'
import type { Subscription } from '../../src/model/subscriptions/subscription.js'
import { keysOf, messageCreated, readStored, serialised, untilIndexed } from '../support/events.js'
import { storedSubscription } from '../support/subscription.js'
import type { OpenStore } from './event-store-conformance.js'

const WATCH: Subscription = storedSubscription({ target: 'stream:eng/topic:deploys', capture_modes: ['poll'] })

/** Tests of capture for every engine. */
export function captureConformance(t: Test, open: OpenStore): void {
  const openWatched = async (t: Test, watch: Partial<Subscription> = {}) => {
    const store = await open(t)
    await store.subscriptions.save({ ...WATCH, ...watch })
    const find = () => store.subscriptions.findById('watch')
    return { ...store, find }
  }
  const delivered = (id: number) => ({ ...messageCreated(`m${id}`), matches: [{ id: 'watch', cursor: String(id) }] })
  const captured = (id: number) => ({
    ...messageCreated(`m${id}`),
    matches: [{ id: 'watch', cursor: String(id), captured: { read_to: String(id), followed: { topic: 'deploys' } } }],
  })

  t.test('a captured event moves the cursor and the state of capture in the same transaction', async t => {
    const { events, find } = await openWatched(t)
    await events.record([captured(7)])
    t.match(await find(), { last_cursor: '7', capture: { read_to: '7', followed: { topic: 'deploys' } } })
  })

  t.test('the place in an event queue is stored, and replaced', async t => {
    const { subscriptions } = await openWatched(t)
    t.equal(await subscriptions.findQueueMark(), undefined)
    const mark = { account: 'https://chat.example.org bot@example.org', queue_id: 'q', last_event_id: -1 }
    await subscriptions.saveQueueMark(mark)
    await subscriptions.saveQueueMark({ ...mark, last_event_id: 7 })
    t.same(await subscriptions.findQueueMark(), { ...mark, last_event_id: 7 })
  })

  t.test('a captured repeat moves the cursor and the state of capture, and another repeat does not', async t => {
    const { events, find } = await openWatched(t)
    await events.record([messageCreated('m7'), messageCreated('m8')])
    await events.record([delivered(7)])
    t.match(await find(), { last_cursor: null, last_event_at: null })
    await events.record([captured(8)])
    t.match(await find(), { last_cursor: '8', capture: { read_to: '8' }, last_event_at: null })
  })

  const OF_WATCH = { order: 'asc', limit: 100, since: 0, subscriptionIds: ['watch'] } as const
  const marking = (key: string, id = 'watch') => ({
    ...messageCreated(key),
    matches: [{ id, isCaptured: true as const }],
  })

  t.test('a captured repeat is marked with its watch, and keeps its place in the ledger', async t => {
    const { events, find } = await openWatched(t)
    const [first] = await events.record([{ ...messageCreated('m7'), matches: [{ id: 'other' }] }])
    await events.record([messageCreated('m8')])
    const [repeat] = await events.record([marking('m7')])
    t.match(repeat, { created: false, seenCount: 2, capturedAt: first?.capturedAt })
    t.match(JSON.parse(repeat?.body ?? ''), { subscription_ids: ['other', 'watch'], seen_count: 2 })
    t.same(await readStored(events, 'm7'), JSON.parse(repeat?.body ?? ''))
    t.same(keysOf(await events.query(OF_WATCH)), ['m7'])
    t.match(await find(), { last_event_at: JSON.parse(first?.body ?? '').captured_at })
    await events.record([marking('m7')])
    t.match(await readStored(events, 'm7'), { subscription_ids: ['other', 'watch'], seen_count: 3 }, 'once')
  })

  t.test('a repeat is found by its watch if it was marked before or after its indexing', async t => {
    const { events } = await openWatched(t)
    const keys = Array.from({ length: 40 }, (_, at) => `m${at}`)
    await events.record(keys.slice(0, 20).map(key => messageCreated(key)))
    await untilIndexed(events)
    await events.record(keys.slice(20).map(key => messageCreated(key)))
    const odd = keys.filter((_, at) => at % 2 === 1)
    await events.record(odd.map(key => marking(key)))
    const search = { ...OF_WATCH, sources: ['chat'], kinds: ['message.*'], search: ['green'] }
    for (const query of [OF_WATCH, search]) t.same(keysOf(await events.query(query)), odd)
    await untilIndexed(events)
    for (const query of [OF_WATCH, search]) t.same(keysOf(await events.query(query)), odd, 'and when it has caught up')
    await events.record(odd.slice(0, 5).map(key => marking(key, 'second')))
    await events.record(keys.map(key => messageCreated(`${key}-later`)))
    await untilIndexed(events)
    t.same(keysOf(await events.query({ ...OF_WATCH, subscriptionIds: ['second'] })), odd.slice(0, 5))
    t.same(keysOf(await events.query({ ...OF_WATCH, order: 'desc' })), odd.toReversed())
    t.same(keysOf(await events.query({ ...OF_WATCH, actors: ['Ada'] })), odd)
  })

  t.test('an event of the same call is marked, and a later event moves the watch', async t => {
    const { events, find } = await openWatched(t)
    await events.record([messageCreated('m1'), marking('m1'), marking('m2')])
    t.same(keysOf(await events.query(OF_WATCH)), ['m1', 'm2'])
    t.match(await find(), { last_event_at: (await readStored(events, 'm2'))?.captured_at })
  })

  t.test('a large event is marked like any other', async t => {
    const { events } = await openWatched(t)
    const large = { payload: { said: 'x'.repeat(1_100_000) } }
    await events.record([serialised(messageCreated('m1', large))])
    await untilIndexed(events)
    await events.record([marking('m1')])
    await events.record([serialised(messageCreated('m1', large))])
    t.match(await readStored(events, 'm1'), { ...large, subscription_ids: ['watch'], seen_count: 3 })
    t.same(keysOf(await events.query(OF_WATCH)), ['m1'])
  })

  t.test('a new host discards the state of the previous one, and the cursor starts again', async t => {
    const { events, subscriptions, find } = await openWatched(t)
    const place = { host: 'a.example.org', read_to: '9', followed: { message_id: 1 } }
    await subscriptions.noteCapture('watch', { ...place, failures: 2 }, '9')
    await subscriptions.noteCapture('watch', { host: 'a.example.org', read_to: '8' }, '8')
    t.match(await find(), { last_cursor: '9', capture: { ...place, read_to: '8' } })
    const captured = { host: 'b.example.org', read_to: '3' }
    await events.record([{ ...messageCreated('m3'), matches: [{ id: 'watch', cursor: '3', captured }] }])
    t.equal((await find())?.last_cursor, '3')
    t.same((await find())?.capture, { ...captured, failures: 2 })
    await subscriptions.noteCapture('watch', { host: 'a.example.org', read_to: '0' })
    t.match(await find(), { last_cursor: null, capture: { host: 'a.example.org', read_to: '0' } })
  })

  t.test('a cursor can be an instant, and unfinished poll state belongs to its host', async t => {
    const { subscriptions, find } = await openWatched(t, { last_cursor: '8814' })
    const unfinished = { until: '2031-05-04T09:00:00.000000Z', lists: { issues: { isDone: true } } }
    await subscriptions.noteCapture('watch', { host: 'a.example.org', unfinished })
    for (const minute of ['09:00', '09:05']) {
      await subscriptions.noteCapture('watch', { read_to: minute }, `2031-05-04T${minute}:00.000000Z`)
      t.match(await find(), {
        last_cursor: `2031-05-04T${minute}:00.000000Z`,
        capture: { read_to: minute, unfinished },
      })
    }
    await subscriptions.noteCapture('watch', { host: 'b.example.org', read_to: '10:00' })
    t.same((await find())?.capture, { host: 'b.example.org', read_to: '10:00' })
  })

  t.test('a message id replaces a cursor that is an instant', async t => {
    const { events, find } = await openWatched(t, { last_cursor: '2031-05-04T09:00:00.000000Z' })
    await events.record([captured(7)])
    t.match(await find(), { last_cursor: '7' })
  })

  t.test('the tracked state of changes belongs to its host', async t => {
    const { subscriptions, find } = await openWatched(t)
    const tracked = { since: '2031-05-04T09:00:00.000000Z', queue: 'q' }
    await subscriptions.noteCapture('watch', { host: 'a.example.org', tracked })
    await subscriptions.noteCapture('watch', { read_to: '5' })
    t.match(await find(), { capture: { host: 'a.example.org', read_to: '5', tracked } })
    await subscriptions.noteCapture('watch', { host: 'b.example.org' })
    t.same((await find())?.capture, { host: 'b.example.org' })
  })

  t.test('a delivery by another route moves the cursor, and not the position of capture', async t => {
    const { events, find } = await openWatched(t)
    await events.record([delivered(5)])
    t.match(await find(), { last_cursor: '5', capture: { read_to: null } })
    await events.record([captured(3)])
    t.match(await find(), { last_cursor: '5', capture: { read_to: '3' } })
    await events.record([delivered(9)])
    t.match(await find(), { last_cursor: '9', capture: { read_to: '3' } })
  })

  t.test('the position of capture in an older ledger is kept when a delivery moves the cursor', async t => {
    const { events, find } = await openWatched(t, { last_cursor: '4' })
    await events.record([delivered(9)])
    t.match(await find(), { last_cursor: '9', capture: { read_to: '4' } })
  })

  t.test('members of capture change independently, and the cursor never moves back', async t => {
    const { subscriptions, find } = await openWatched(t)
    await subscriptions.noteCapture(
      'watch',
      { read_to: '9', failures: 2, followed: { topic: 'a', message_id: 1 } },
      '9',
    )
    await subscriptions.noteCapture('watch', { last_error: 'Gone.', followed: { topic: 'b' } }, '8')
    const watch = await find()
    t.equal(watch?.last_cursor, '9')
    t.same(watch?.capture, { read_to: '9', failures: 2, followed: { topic: 'b' }, last_error: 'Gone.' })
    await subscriptions.noteCapture('unknown', { failures: 1 }, '1')
    t.equal(await subscriptions.findById('unknown'), undefined)
  })

  t.test('a save keeps the changes of capture', async t => {
    const { subscriptions, find } = await openWatched(t)
    const before = await find()
    await subscriptions.noteCapture('watch', { read_to: '9' }, '9')
    await subscriptions.save({ ...WATCH, ...before, capture: { read_to: '1' }, metadata: { reason: 'edited' } })
    t.match(await find(), { last_cursor: '9', capture: { read_to: '9' }, metadata: { reason: 'edited' } })
  })

  t.test('ids are compared as numbers', async t => {
    const { events, find } = await openWatched(t, { last_cursor: '99' })
    await events.record([captured(1_000)])
    t.match(await find(), { last_cursor: '1000' })
    await events.record([captured(200)])
    t.match(await find(), { last_cursor: '1000' })
  })
}
