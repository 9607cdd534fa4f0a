import type { Test } from 'tap'
import type { Subscription } from '../../src/model/subscription.js'
import { messageCreated } from '../support/events.js'
import type { OpenStore } from './event-store-conformance.js'

const WATCH: Subscription = {
  ...{ id: 'watch', source: 'chat', target: 'stream:eng/topic:deploys', scope: {}, actions: [], event_kinds: [] },
  ...{ capture_modes: ['poll'], filters: {}, metadata: {}, enabled: true, last_cursor: null, last_event_at: null },
  ...{ owner_user_id: null, created_at: '2027-01-15T08:00:00.000000Z', updated_at: '2027-01-15T08:00:00.000000Z' },
}

/** What every engine has to prove about capture. */
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

  t.test('a captured event moves the cursor and what capture keeps, in the same transaction', async t => {
    const { events, find } = await openWatched(t)
    await events.record([captured(7)])
    t.match(await find(), { last_cursor: '7', capture: { read_to: '7', followed: { topic: 'deploys' } } })
  })

  t.test('so does a repeat, which else moves nothing', async t => {
    const { events, find } = await openWatched(t)
    await events.record([messageCreated('m7'), messageCreated('m8')])
    await events.record([delivered(7)])
    t.match(await find(), { last_cursor: null, last_event_at: null })
    await events.record([captured(8)])
    t.match(await find(), { last_cursor: '8', capture: { read_to: '8' }, last_event_at: null })
  })

  t.test('a delivery on another road moves the cursor, and leaves capture where it was', async t => {
    const { events, find } = await openWatched(t)
    await events.record([delivered(5)])
    t.match(await find(), { last_cursor: '5', capture: { read_to: null } })
    await events.record([captured(3)])
    t.match(await find(), { last_cursor: '5', capture: { read_to: '3' } })
    await events.record([delivered(9)])
    t.match(await find(), { last_cursor: '9', capture: { read_to: '3' } })
  })

  t.test('where capture stood in an older ledger is remembered when a delivery moves the cursor on', async t => {
    const { events, find } = await openWatched(t, { last_cursor: '4' })
    await events.record([delivered(9)])
    t.match(await find(), { last_cursor: '9', capture: { read_to: '4' } })
  })

  t.test('members of capture change one by one, and the cursor never goes back', async t => {
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
    await subscriptions.noteCapture('nobody', { failures: 1 }, '1')
    t.equal(await subscriptions.findById('nobody'), undefined)
  })

  t.test('a save keeps what capture moved meanwhile', async t => {
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
