import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Ledger } from '../../src/ledger/ledger.js'
import { readEvent } from '../../src/ledger/read-event.js'
import { AppError } from '../../src/model/app-error.js'
import type { EventQuery } from '../../src/model/events/event-query.js'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import { keysOf } from '../support/events.js'
import { testFolder } from '../support/test-folder.js'

const NOON = 1_800_000_000_000_000
const PROVENANCE = { route: 'api', verified: 'none' } as const
const SINCE: EventQuery = { order: 'asc', limit: 100, since: 0 }

async function openLedger(t: Test, clock = () => NOON) {
  const store = await openSqliteStore({
    path: join(testFolder(t), 'events.db'),
    clock,
    onFailure: error => t.fail(String(error)),
  })
  t.teardown(() => store.close())
  let ids = 0
  return { store, ledger: await Ledger.open({ store, clock, newSubscriptionId: () => `sub_${++ids}` }) }
}

const deliver = (ledger: Ledger, ...inputs: object[]) =>
  ledger.record(
    inputs.map(input => ({
      event: readEvent({ kind: 'message.created', subject_type: 'message', ...input }),
      provenance: PROVENANCE,
    })),
  )

const inTopic = (subject_id: string, stream: string, topic: string) => ({
  subject_id,
  source: 'chat',
  target: {
    type: 'message',
    key: `message:${subject_id}`,
    parent: { type: 'topic', display: topic, parent: { type: 'stream', key: 'stream:4', display: stream } },
  },
})

t.test('a checkpoint later than the newest event is refused, whatever the clock shows', async t => {
  const { ledger } = await openLedger(t)
  t.match(await ledger.query({ ...SINCE, since: NOON + 5 }), { count: 0, nextSince: NOON + 5 }, 'an empty ledger')
  await deliver(ledger, { subject_id: '1' }, { subject_id: '2' })
  const head = NOON + 1
  t.match(await ledger.query({ ...SINCE, since: head }), { count: 0, nextSince: head })
  const ahead = { ...SINCE, since: head + 1 }
  const refused = { category: 'conflict', code: 'ahead_of_ledger' }
  await t.rejects(ledger.query(ahead), refused)
  await t.rejects(ledger.query({ ...ahead, search: ['deploy'] }), refused)
  await t.rejects(ledger.waitFor(ahead, 30), refused)
  await t.rejects(ledger.follow(ahead, new AbortController().signal).next(), refused)
})

t.test('the scope, the filters and the actions of a subscription are derived from its target', async t => {
  const { ledger } = await openLedger(t)
  const saved = await ledger.saveSubscription({
    source: 'chat',
    target: 'stream:eng/topic:deploys',
    event_kinds: ['message.created'],
  })
  t.match(saved, {
    created: true,
    subscription: {
      id: 'sub_1',
      scope: { type: 'topic', display: 'deploys', parent: { type: 'stream', display: 'eng' } },
      filters: { stream: 'eng', topic: 'deploys' },
      actions: [{ kind: 'message.created', object_type: 'message', verb: 'created' }],
      enabled: true,
      last_cursor: null,
    },
  })
})

t.test('target, scope and filters are derived from the members that were sent', async t => {
  const { ledger } = await openLedger(t)
  const forms = [
    { target: 'stream:eng/topic:deploys' },
    { filters: { stream: 'eng', topic: 'deploys' } },
    { scope: { type: 'topic', display: 'deploys', parent: { type: 'stream', display: 'eng' } } },
  ]
  for (const form of forms) {
    const { subscription } = await ledger.saveSubscription({ source: 'chat', ...form })
    t.match(subscription, {
      target: 'stream:eng/topic:deploys',
      filters: { stream: 'eng', topic: 'deploys' },
      scope: { type: 'topic' },
    })
  }
})

t.test('saving a known id merges: absent members stay, null clears a member, and unknown members are kept', async t => {
  const { ledger } = await openLedger(t)
  await ledger.saveSubscription({
    id: 'mine',
    source: 'chat',
    target: 'stream:eng',
    metadata: { reason: 'x' },
    note: 'kept',
  })
  const { created, subscription } = await ledger.saveSubscription({ id: 'mine', enabled: false, metadata: null })
  t.equal(created, false)
  t.match(subscription, { source: 'chat', target: 'stream:eng', enabled: false, note: 'kept' })
  t.same(subscription.metadata, {})
  t.same((await ledger.listSubscriptions()).length, 1)
})

t.test(
  'a subscription of an older ledger gets its missing forms when the ledger opens, and when it is saved',
  async t => {
    const { store, ledger } = await openLedger(t)
    const target = 'stream:eng/topic:deploys'
    const { subscription } = await ledger.saveSubscription({ source: 'chat', target, event_kinds: ['reply.created'] })
    const older = { ...subscription, actions: [], scope: {}, filters: {}, last_cursor: '7' }
    const outside = { ...older, id: 'outside', target: 'no such form', last_cursor: null }
    const byFilters = { ...older, id: 'by-filters', target: '', filters: { stream: 'eng', topic: 'deploys' } }
    const lacking = async () => {
      for (const stored of [older, outside, byFilters]) await store.subscriptions.save(stored, ['last_cursor'])
    }
    const { actions, scope, filters } = subscription
    t.match(actions, [{ kind: 'reply.created', object_type: 'reply', verb: 'created' }])

    await lacking()
    const again = await Ledger.open({ store, clock: () => NOON, newSubscriptionId: () => 'x' })
    t.same(await store.subscriptions.findById(older.id), { ...subscription, last_cursor: '7' })
    t.same(await store.subscriptions.findById('by-filters'), { ...byFilters, target, actions, scope })
    t.same(await store.subscriptions.findById('outside'), { ...outside, actions })

    await lacking()
    await again.saveSubscription({ id: older.id, event_kinds: ['reply.created'], enabled: false })
    t.match(await store.subscriptions.findById(older.id), { actions, scope, filters, enabled: false, last_cursor: '7' })
  },
)

t.test('sending back a complete subscription with one changed member changes only that member', async t => {
  const { ledger } = await openLedger(t)
  const first = { id: 'mine', source: 'chat', target: 'stream:eng/topic:deploys', event_kinds: ['message.created'] }
  const { subscription } = await ledger.saveSubscription(first)
  const moved = await ledger.saveSubscription({ ...subscription, target: 'stream:ops/topic:alerts' })
  t.match(moved.subscription, {
    filters: { stream: 'ops', topic: 'alerts' },
    scope: { display: 'alerts', parent: { display: 'ops' } },
  })
  const [elsewhere] = await deliver(ledger, inTopic('1', 'eng', 'deploys'))
  const [here] = await deliver(ledger, inTopic('2', 'ops', 'alerts'))
  t.same(JSON.parse(elsewhere?.body ?? '').subscription_ids, [])
  t.same(JSON.parse(here?.body ?? '').subscription_ids, ['mine'])

  const { subscription: selected } = await ledger.saveSubscription({
    ...moved.subscription,
    actions: [{ kind: 'reply.created', metadata: { tone: 'kind' } }],
  })
  t.same(selected.event_kinds, ['reply.created'])
  const { subscription: disabled } = await ledger.saveSubscription({ id: 'mine', enabled: false })
  t.same(disabled.actions, selected.actions, 'what was not sent stays')
})

t.test('a scope with a native id replaces the previous target and filters', async t => {
  const { ledger } = await openLedger(t)
  await ledger.saveSubscription({ id: 'mine', source: 'chat', target: 'stream:old' })
  const { subscription } = await ledger.saveSubscription({ id: 'mine', scope: { type: 'stream', key: 'stream:4' } })
  t.match(subscription, { target: '', scope: { key: 'stream:4' } })
  t.same(subscription.filters, {})
  const target = { type: 'stream', key: 'stream:9', display: 'old' }
  const [old] = await deliver(ledger, { subject_id: '1', source: 'chat', target })
  const [now] = await deliver(ledger, inTopic('2', 'eng', 'deploys'))
  t.same(JSON.parse(old?.body ?? '').subscription_ids, [])
  t.same(JSON.parse(now?.body ?? '').subscription_ids, ['mine'])
})

t.test('a subscription that is nested deeper than an event may be is refused, in previews as well', async t => {
  const { ledger } = await openLedger(t)
  for (const levels of [64, 1_000, 20_000]) {
    const metadata = JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
    const refused = { code: 'invalid_field', message: /deeper than 64/ }
    await t.rejects(ledger.saveSubscription({ source: 'chat', metadata }), refused)
    await t.rejects(ledger.previewSubscription({ source: 'chat', metadata }), refused)
  }
  t.same(await ledger.listSubscriptions(), [])
})

t.test('a merge cannot exceed the size limit of a subscription', async t => {
  const { ledger } = await openLedger(t)
  await ledger.saveSubscription({ id: 'mine', source: 'chat', one: 'x'.repeat(40_000) })
  await t.rejects(ledger.saveSubscription({ id: 'mine', two: 'x'.repeat(40_000) }), { code: 'invalid_field' })
})

t.test('members that the ledger maintains cannot be set by a save', async t => {
  const { ledger } = await openLedger(t)
  const { subscription } = await ledger.saveSubscription({
    source: 'chat',
    target: 'stream:eng',
    last_cursor: '99',
    last_event_at: '2020-01-01T00:00:00Z',
    owner_user_id: 'x',
    created_at: 'x',
  })
  t.match(subscription, { last_cursor: null, last_event_at: null, owner_user_id: null, created_at: /^2027/ })
})

t.test('two concurrent merges both take effect', async t => {
  const { ledger } = await openLedger(t)
  await ledger.saveSubscription({ id: 'mine', source: 'chat', target: 'stream:eng' })
  await Promise.all([
    ledger.saveSubscription({ id: 'mine', enabled: false }),
    ledger.saveSubscription({ id: 'mine', event_kinds: ['a.b'] }),
  ])
  t.match(await ledger.getSubscription('mine'), { enabled: false, event_kinds: ['a.b'] })
})

t.test('a refusal of a subscription names its invalid fields', async t => {
  const { ledger } = await openLedger(t)
  await t.rejects(ledger.saveSubscription({ target: 'x' }), { errors: [{ field: '/source' }] })
  await t.rejects(ledger.saveSubscription({ source: 'chat', target: 'nonsense' }), {
    errors: [{ field: '/target', detail: /stream:/ }],
  })
  await t.rejects(ledger.saveSubscription({ source: 'chat', metadata: { expires_at: 'soon' } }), {
    code: 'invalid_timestamp',
  })
  await t.rejects(ledger.saveSubscription([]), { code: 'invalid_json' })
  await t.rejects(ledger.getSubscription('nobody'), { code: 'not_found' })
  await t.rejects(ledger.deleteSubscription('nobody'), { code: 'not_found' })
})

t.test('events carry the subscriptions they match, and move their cursor in the same transaction', async t => {
  const { ledger } = await openLedger(t)
  await ledger.saveSubscription({
    id: 'topic',
    source: 'chat',
    target: 'stream:eng/topic:deploys',
    event_kinds: ['message.*'],
  })
  await ledger.saveSubscription({ id: 'stream', source: 'chat', target: 'stream:eng' })
  await ledger.saveSubscription({ id: 'all', source: 'chat' })
  await ledger.saveSubscription({ id: 'off', source: 'chat', enabled: false })
  await ledger.saveSubscription({ id: 'over', source: 'chat', metadata: { expires_at: '2020-01-01T00:00:00Z' } })
  await ledger.saveSubscription({ id: 'other', source: 'forum' })
  const [hit] = await deliver(ledger, inTopic('7', 'eng', 'deploys'))
  await deliver(ledger, inTopic('5', 'eng', 'deploys'), inTopic('9', 'ops', 'deploys'))
  t.same(new Set(JSON.parse(hit?.body ?? '').subscription_ids), new Set(['topic', 'stream', 'all']))
  t.match(await ledger.getSubscription('topic'), { last_cursor: '7', last_event_at: '2027-01-15T08:00:00.000001Z' })
  t.match(await ledger.getSubscription('stream'), { last_cursor: null, last_event_at: '2027-01-15T08:00:00.000001Z' })
  t.match(await ledger.getSubscription('off'), { last_event_at: null })
  await deliver(ledger, inTopic('6', 'eng', 'deploys'))
  t.match(await ledger.getSubscription('topic'), { last_cursor: '7' })
  await deliver(ledger, inTopic('12', 'eng', 'deploys'))
  await ledger.saveSubscription({ id: 'topic', metadata: { reason: 'still here' } })
  t.match(await ledger.getSubscription('topic'), { last_cursor: '12' })
  t.same(keysOf(await ledger.query({ ...SINCE, subscriptionIds: ['topic'] })).length, 4)
})

t.test('after the ledger is reopened, subscriptions match again, and deleted ones do not', async t => {
  const { ledger, store } = await openLedger(t)
  await ledger.saveSubscription({ id: 'stays', source: 'chat' })
  await ledger.saveSubscription({ id: 'goes', source: 'chat' })
  const again = await Ledger.open({ store, clock: () => NOON, newSubscriptionId: () => 'x' })
  await again.deleteSubscription('goes')
  const [outcome] = await deliver(again, { subject_id: '1', source: 'chat' })
  t.same(JSON.parse(outcome?.body ?? '').subscription_ids, ['stays'])
})

t.test('a long poll is answered when an event matches, and not before', async t => {
  const { ledger } = await openLedger(t)
  const waiting = ledger.waitFor({ ...SINCE, sources: ['chat'] }, 20)
  await deliver(ledger, { subject_id: '1', source: 'forum' })
  await deliver(ledger, { subject_id: '2', source: 'chat' })
  t.same(keysOf(await waiting), ['chat:message.created:message:2'])
})

t.test('an event whose text is not in memory wakes a long poll with a search', async t => {
  const { ledger } = await openLedger(t)
  const waiting = ledger.waitFor({ ...SINCE, sources: ['chat'], search: ['needle'] }, 20)
  for (const [id, source, said] of [
    ['1', 'chat', 'hay'],
    ['2', 'forum', 'needle'],
    ['3', 'chat', 'needle'],
  ]) {
    const whole = readEvent({ kind: 'a.b', subject_type: 'a', subject_id: id, source, payload: { said } })
    const json = Buffer.from(JSON.stringify(whole))
    await ledger.record([{ event: { ...whole, payload: {} }, json, provenance: PROVENANCE }])
  }
  const { items } = await waiting
  t.match(JSON.parse(Buffer.from(items).toString()), { subject_id: '3', payload: { said: 'needle' } })
})

t.test('a long poll without matches ends in time, with the head as its checkpoint', async t => {
  const { ledger } = await openLedger(t)
  await deliver(ledger, { subject_id: '1', source: 'forum' })
  t.match(await ledger.waitFor({ ...SINCE, sources: ['chat'] }, 0.05), { count: 0, nextSince: NOON })
})

t.test('an aborted long poll answers with the events it has read', async t => {
  const { ledger } = await openLedger(t)
  const abort = new AbortController()
  const waiting = ledger.waitFor(SINCE, 20, abort.signal)
  await ledger.query(SINCE) // asked later, so the first look is over
  abort.abort()
  t.match(await waiting, { count: 0 })
})

t.test('a long poll that is aborted during a later read answers with the events it has read', async t => {
  const { store, ledger } = await openLedger(t)
  const abort = new AbortController()
  let looks = 0
  const query = store.events.query.bind(store.events)
  store.events.query = (...asked) => {
    const page = query(...asked)
    if (++looks === 2) abort.abort()
    return page
  }
  const waiting = ledger.waitFor(SINCE, 20, abort.signal)
  await query(SINCE)
  await deliver(ledger, { subject_id: '1' })
  t.match(await waiting, { count: 0 })
  t.equal(looks, 2)
})

t.test('a long poll that is aborted before its first read fails with the reason', async t => {
  const { ledger } = await openLedger(t)
  const abort = new AbortController()
  const waiting = ledger.waitFor(SINCE, 20, abort.signal)
  abort.abort(new Error('gone'))
  await t.rejects(waiting, { message: 'gone' })
  await t.rejects(ledger.waitFor(SINCE, 20, abort.signal), { message: 'gone' })
})

t.test(
  'following yields every matching event once and in order, also those recorded while the reader pauses',
  async t => {
    const { ledger } = await openLedger(t)
    const abort = new AbortController()
    const seen: string[] = []
    const reader = (async () => {
      for await (const page of ledger.follow({ order: 'asc', limit: 2, since: 0, sources: ['chat'] }, abort.signal)) {
        seen.push(...keysOf(page))
        if (seen.length === 30) abort.abort()
      }
    })()
    for (let id = 0; id < 60; id++) await deliver(ledger, { subject_id: String(id), source: id % 2 ? 'chat' : 'forum' })
    await reader
    t.same(
      seen,
      Array.from({ length: 30 }, (_, at) => `chat:message.created:message:${at * 2 + 1}`),
    )
  },
)

t.test('a following reader waits for a busy ledger', async t => {
  const { ledger, store } = await openLedger(t)
  await deliver(ledger, { subject_id: '1' })
  const { query } = store.events
  let refusals = 0
  store.events.query = (...args) => {
    if (++refusals > 2) return query.apply(store.events, args)
    return Promise.reject(new AppError('unavailable', 'busy', 'Too many searches are in progress.'))
  }
  const abort = new AbortController()
  for await (const page of ledger.follow(SINCE, abort.signal)) {
    t.match(page, { count: 1 })
    abort.abort()
  }
  t.equal(refusals, 3)
})

t.test('an unknown key is not found', async t => {
  const { ledger } = await openLedger(t)
  await t.rejects(ledger.getEvent('nope'), { code: 'not_found' })
})
