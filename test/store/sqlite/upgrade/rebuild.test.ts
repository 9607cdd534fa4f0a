import { join } from 'node:path'
import sqlite, { type Database } from 'node-sqlite3-wasm'
import t, { type Test } from 'tap'
import { readEvent } from '../../../../src/ledger/read-event.js'
import { type EventQuery, eventsOf } from '../../../../src/model/events/event-query.js'
import { openSqliteStore } from '../../../../src/store/sqlite/store.js'
import { keysOf, messageCreated, untilIndexed } from '../../../support/events.js'
import { testFolder } from '../../../support/test-folder.js'

const NOON = 1_800_000_000_000_000
const ASC: EventQuery = { order: 'asc', limit: 100, since: 0 }

/** A store over an older ledger with two tables, of which only the column `body` is certain. */
async function openOlder(
  t: Test,
  bodies: { events?: object[]; subscriptions?: object[] },
  setUp?: (db: Database) => void,
) {
  const path = join(testFolder(t), 'events.db')
  const older = new sqlite.Database(path)
  older.exec('CREATE TABLE events (body TEXT); CREATE TABLE subscriptions (body TEXT)')
  for (const body of bodies.events ?? []) older.run('INSERT INTO events VALUES (?)', [JSON.stringify(body)])
  for (const body of bodies.subscriptions ?? [])
    older.run('INSERT INTO subscriptions VALUES (?)', [JSON.stringify(body)])
  setUp?.(older)
  older.close()
  const store = await openSqliteStore({ path, clock: () => NOON, onFailure: error => t.fail(String(error)) })
  t.teardown(() => store.close())
  return store
}

t.test('older bodies are converted to the types that the ledger relies on', async t => {
  const { events } = await openOlder(t, {
    events: [
      {
        kind: 'message.created',
        subject_id: 8812,
        dedupe_key: 55,
        actor: { id: 17, display: null },
        target: { key: 5, parent: 'x' },
      },
      {
        kind: 'message.created',
        dedupe_key: 'odd',
        source: 5,
        actor: 'ada',
        target: 'y',
        conversation: 'said',
        payload: 'sent',
        provenance: 'web',
        subscription_ids: 's',
        seen_count: 1e300,
      },
    ],
  })
  for (const settled of [false, true]) {
    if (settled) await untilIndexed(events)
    t.same(keysOf(await events.query({ ...ASC, actors: ['17'] })), ['55'])
    t.same(keysOf(await events.query({ ...ASC, actors: ['ada'], sources: ['5'], subscriptionIds: ['s'] })), ['odd'])
    t.same(keysOf(await events.query({ ...ASC, target: 'x', subjectId: '8812' })), ['55'])
    t.same(keysOf(await events.query({ ...ASC, search: ['sent', 'said'] })), ['odd'])
    t.same(keysOf(await events.query({ ...ASC, verified: ['none'] })), ['55', 'odd'])
  }
})

t.test(
  'a body with NUL is migrated completely, and one that is too deep for SQLite stays in the older table',
  async t => {
    const deep = `${'{"a":'.repeat(1_500)}1${'}'.repeat(1_500)}`
    const { events, subscriptions } = await openOlder(
      t,
      {
        events: [
          { kind: 'a.b', subject_id: '1', dedupe_key: 'one' },
          { kind: 'a.b\0c', subject_id: '1\0', dedupe_key: 'one\0two', payload: { text: '\0' } },
        ],
        subscriptions: [{ id: 'a\0b', source: 'chat', owner_user_id: '\ud800' }],
      },
      older => older.run('INSERT INTO events VALUES (?)', [`{"kind":"a.b","subject_id":"2","payload":${deep}}`]),
    )
    const found = eventsOf(await events.query(ASC))
    t.same(
      found.map(({ dedupe_key, subject_id, payload }) => [dedupe_key, subject_id, payload]),
      [
        ['one', '1', {}],
        ['one\ufffdtwo', '1\ufffd', { text: '\0' }],
      ],
    )
    t.match(await subscriptions.list(), [{ id: 'a\ufffdb', owner_user_id: '\ufffd' }])
  },
)

t.test('an invalid instant leaves room for the events that follow', async t => {
  const { events } = await openOlder(t, {
    events: [
      { dedupe_key: 'far', captured_at: '2300-01-01T00:00:00Z' },
      { dedupe_key: 'near', captured_at: '2020-01-01T00:00:00Z' },
    ],
  })
  t.match(await events.record([messageCreated('new')]), [{ created: true, capturedAt: NOON }])
  t.same(keysOf(await events.query(ASC)), ['far', 'near', 'new'])
})

t.test('older subscriptions match as far as their bodies define it', async t => {
  const { subscriptions } = await openOlder(t, {
    subscriptions: [
      {
        id: 'a',
        source: 'chat',
        event_kinds: 'message.created',
        target: 5,
        scope: 'stream:4',
        filters: 'x',
        metadata: [],
        last_cursor: 7,
        enabled: 0,
      },
      {
        id: 'b',
        source: 'chat',
        actions: [{ kind: 'reply.created' }, 'message.created', 7],
        filters: { stream: 'eng' },
      },
    ],
  })
  const upgraded = await subscriptions.list()
  t.match(upgraded, [
    {
      event_kinds: ['message.created'],
      target: '5',
      scope: { key: 'stream:4' },
      last_cursor: '7',
      enabled: false,
    },
    { event_kinds: ['reply.created', 'message.created'], filters: { stream: 'eng' }, enabled: true },
  ])
  t.same([upgraded[0]?.filters, upgraded[0]?.metadata], [{}, {}])
})

t.test('tables and a version of an older program in the same file do not prevent the upgrade', async t => {
  for (const version of [0, 1, 7]) {
    const { events } = await openOlder(t, { events: [{ dedupe_key: 'a', kind: 'x' }] }, older => {
      older.exec(`PRAGMA user_version = ${version}`)
      if (version === 0) older.exec('CREATE TABLE meta (k, v); CREATE TABLE source_counters (x)')
    })
    t.match(eventsOf(await events.query(ASC)), [{ dedupe_key: 'a', kind: 'x', source: 'api' }])
  }
})

t.test('older events with three fields get the same action as new ones', async t => {
  const { events } = await openOlder(t, {
    events: [
      { dedupe_key: 'a', kind: 'reply.created', subject_id: '1', subject_type: 'message' },
      { dedupe_key: 'b', kind: 'pull_request.review.submitted', subject_id: '1', subject_type: 'review' },
      { dedupe_key: 'c', kind: 'deployed', subject_id: '1', subject_type: 'service' },
    ],
  })
  const today = ['reply.created', 'pull_request.review.submitted', 'deployed'].map((kind, at) => {
    const subject_type = ['message', 'review', 'service'][at]
    return readEvent({ kind, subject_id: '1', subject_type }).action
  })
  t.match(
    eventsOf(await events.query(ASC)).map(event => event.action),
    today,
  )
  t.match(today[0], { object_type: 'reply', verb: 'created' })
})

t.test('a user of an older ledger without a password cannot log in, and a closed ledger stays closed', async t => {
  const { events, users } = await openOlder(t, { events: [{ dedupe_key: 'a', kind: 'x' }] }, older => {
    older.exec('CREATE TABLE users (username TEXT PRIMARY KEY, body TEXT); CREATE TABLE api_tokens (body TEXT)')
    older.exec(`INSERT INTO users VALUES ('ada', '{}')`)
  })
  t.match(eventsOf(await events.query(ASC)), [{ dedupe_key: 'a' }])
  t.same(await users.list(), [])
  t.equal(await users.isClosed(), true)
})
