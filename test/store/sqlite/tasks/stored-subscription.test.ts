import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import t, { type Test } from 'tap'
import { Ledger } from '../../../../src/ledger/ledger.js'
import type { Subscription } from '../../../../src/model/subscriptions/subscription.js'
import { openSqliteStore, type SqliteStore } from '../../../../src/store/sqlite/store.js'
import { messageCreated, readStored } from '../../../support/events.js'
import { storedSubscription } from '../../../support/subscription.js'
import { testFolder } from '../../../support/test-folder.js'

const NOON = 1_800_000_000_000_000

const PLAIN: Subscription = storedSubscription({ id: 'plain' })

/** JSON text of that many levels, which no serialiser writes. */
function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
}

function withMetadata(id: string, metadata: string): string {
  return JSON.stringify({ ...PLAIN, id }).replace('"metadata":{}', `"metadata":{"reason":"r","more":${metadata}}`)
}

/** A store with these subscriptions, as another release has written them. */
async function openWith(t: Test, bodies: Record<string, string>): Promise<SqliteStore> {
  const options = {
    path: join(testFolder(t), 'events.db'),
    clock: () => NOON,
    onFailure: (e: unknown) => t.fail(String(e)),
  }
  await (await openSqliteStore(options)).close()
  const connection = new sqlite.Database(options.path)
  connection.exec('PRAGMA locking_mode = EXCLUSIVE')
  for (const [id, body] of Object.entries(bodies)) {
    connection.run('INSERT INTO subscriptions VALUES (?, NULL, ?)', [id, body])
  }
  connection.close()
  const store = await openSqliteStore(options)
  t.teardown(() => store.close())
  return store
}

t.test('a subscription that is nested too deeply does not fail a request, and describes its problem', async t => {
  const levels = [61, 62, 998, 999, 1_500, 5_000]
  const ids = levels.map(level => `of-${level}`)
  const store = await openWith(
    t,
    Object.fromEntries(levels.map(level => [`of-${level}`, withMetadata(`of-${level}`, nested(level))])),
  )
  const ledger = await Ledger.open({ store, clock: () => NOON, newSubscriptionId: () => 'new' })
  t.same(
    ledger.withProblems.map(({ id }) => id).sort(),
    ids.filter(id => id !== 'of-61' && id !== 'of-62').sort(),
    'two levels are around the metadata',
  )
  await ledger.saveSubscription({ id: 'plain', source: 'chat' })
  const { event, provenance } = messageCreated('1')
  for (const created of [true, false]) t.match(await ledger.record([{ event, provenance }]), [{ created }])
  t.same((await readStored(store.events, '1'))?.subscription_ids.sort(), [...ids, 'plain'].sort())
  const moved = '2027-01-15T08:00:00.000000Z'
  t.match(await ledger.getSubscription('plain'), { last_event_at: moved, problem: undefined })
  t.match(await ledger.getSubscription('of-62'), { last_event_at: moved, problem: undefined })
  t.match(await ledger.getSubscription('of-998'), { last_event_at: moved, problem: /deeper than 64 levels/ })
  t.match(await ledger.getSubscription('of-1500'), {
    last_event_at: null,
    enabled: true,
    metadata: { reason: 'r' },
    problem: /deeper than 64 levels/,
  })
  t.equal((await ledger.listSubscriptions()).length, ids.length + 1)

  await store.events.record([{ ...messageCreated('2'), matches: [{ id: 'of-1500', cursor: '7', isCaptured: true }] }])
  await ledger.noteCapture('of-1500', { failures: 1 })
  await ledger.recordCaptured('of-1500', { events: [event], host: 'h', attemptedAt: NOON, readTo: '8' })
  t.match(await ledger.getSubscription('of-1500'), { last_cursor: null, capture: undefined })

  const { subscription } = await ledger.saveSubscription({ id: 'of-1500', metadata: { reason: 'again' } })
  t.match(subscription, { metadata: { reason: 'again' }, problem: undefined })
  await store.events.record([{ ...messageCreated('3'), matches: [{ id: 'of-1500' }] }])
  t.match(await ledger.getSubscription('of-1500'), { last_event_at: /^2027/, problem: undefined })
})

t.test('an unreadable subscription is disabled, and can be saved again or deleted', async t => {
  const { scope: _, ...scopeless } = PLAIN
  const store = await openWith(t, {
    torn: '{"id":"torn","source":"ch',
    list: '[1]',
    scopeless: JSON.stringify({ ...scopeless, id: 'scopeless' }),
    kinds: JSON.stringify({ ...PLAIN, id: 'kinds', event_kinds: 'message.created' }),
  })
  const ledger = await Ledger.open({ store, clock: () => NOON, newSubscriptionId: () => 'new' })
  const problems = Object.fromEntries(ledger.withProblems.map(({ id, problem }) => [id, problem]))
  t.match(problems, { torn: /not JSON/, list: /not JSON/, scopeless: /usable scope/, kinds: /usable event_kinds/ })
  const { event, provenance } = messageCreated('1')
  await ledger.record([{ event, provenance }])
  t.same((await readStored(store.events, '1'))?.subscription_ids, [], 'none of them matches more than was asked for')
  t.match(await ledger.listSubscriptions(), [
    { enabled: false },
    { enabled: false },
    { enabled: false },
    { enabled: false },
  ])
  await ledger.saveSubscription({ id: 'scopeless', enabled: true, target: 'stream:eng' })
  t.match(await ledger.getSubscription('scopeless'), { enabled: true, problem: undefined, target: 'stream:eng' })
  await ledger.deleteSubscription('torn')
  await t.rejects(ledger.getSubscription('torn'), { code: 'not_found' })
})

t.test('a message that the thread cannot read, or that cannot be sent, is answered with an error', async t => {
  const store = await openWith(t, {})
  const saved = [1_500, 3_000, 6_000, 1_000_000].map(levels => {
    const subscription: Subscription = { ...PLAIN, metadata: { deep: JSON.parse(nested(levels)) } }
    return store.subscriptions.save(subscription).then(
      () => 'saved',
      () => 'refused',
    )
  })
  const recorded = store.events.record([messageCreated('1')])
  const outcomes = await Promise.all(saved)
  t.equal(outcomes.at(-1), 'refused')
  t.match(await recorded, [{ created: true }], 'what was sent behind it gets its own answer')
  t.match(await store.events.record([messageCreated('2')]), [{ created: true }])
  t.equal((await store.subscriptions.list()).length <= 1, true)
})
