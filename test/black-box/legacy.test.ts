import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import t, { type Test } from 'tap'
import type { StoredEvent } from '../../src/model/events/event.js'
import type { Subscription } from '../../src/model/subscriptions/subscription.js'
import { serveHere } from '../runtime/serve/serve-here.js'
import { entry, type Page, readAll } from './entries.js'
import { HttpClient } from './http-client.js'
import { filesBeside, ownFolder } from './own-folder.js'
import { refusedStart, startServer, startStatus } from './running-server.js'
import { readStoredFile } from './stored-file.js'

/** Bodies as an older release wrote them: the last two have only the three old fields, in another order. */
const OLD_EVENTS = [
  oldEvent(3, {
    captured_at: '2025-03-01T12:00:00.000300Z',
    seen_count: 4,
    conversation: { text: 'the third said käsebrot' },
  }),
  oldEvent(1, { captured_at: '2025-03-01T13:00:00.000100+01:00' }),
  oldEvent(2, { captured_at: '2025-03-01T12:00:00.0002Z', source: 'forum', kind: 'reply.created' }),
  oldEvent(4, { captured_at: '2025-03-01T12:00:00.000300Z', colour: 'unknown members stay' }),
]
const OLD_SUBSCRIPTION = { id: 'sub_old', source: 'chat', target: 'stream:eng', enabled: true, last_cursor: '8812' }

t.setTimeout(600_000)

t.test(
  'an older ledger is copied forward on first use of the default path, and left byte for byte as it was',
  async t => {
    const { home, legacy } = oldHome(t)
    const before = filesIn(home)
    const env = { ARCH_HOME: home }
    const server = await startServer(t, { home, env })
    const database = join(home, 'event', 'events.db')
    t.equal(server.database, database)
    t.match(server.log(), legacy, 'it logs the origin of the ledger')

    const events = await readAll(server.http)
    t.same(
      events.map(event => event.dedupe_key),
      ['old:1', 'old:2', 'old:3', 'old:4'],
      'in the order of their capture',
    )
    t.same(
      events.map(event => event.captured_at.slice(11)),
      ['12:00:00.000100Z', '12:00:00.000200Z', '12:00:00.000300Z', '12:00:00.000301Z'],
    )
    t.match(events[3], { colour: 'unknown members stay', seen_count: 1, kind: 'message.created', source: 'chat' })
    t.match((await server.http.get('/api/events?source=forum')).json<Page>(), { items: [{ dedupe_key: 'old:2' }] })
    t.match((await server.http.get('/api/events?kind=reply.*')).json<Page>(), { items: [{ dedupe_key: 'old:2' }] })
    t.match((await server.http.get(`/api/events?q=${encodeURIComponent('KÄSEBROT')}`)).json<Page>(), {
      items: [{ dedupe_key: 'old:3' }],
    })
    t.match((await server.http.get('/api/stats')).json(), {
      event_count: 4,
      duplicate_count: 3,
      subscription_count: 1,
      by_source: { chat: { events: 3 }, forum: { events: 1 } },
      by_kind: { 'message.created': 3, 'reply.created': 1 },
    })

    t.match((await server.http.post('/api/events', entry('old:3'))).json(), {
      created: false,
      seen_count: 5,
      captured_at: '2025-03-01T12:00:00.000300Z',
    })
    const { items } = (await server.http.get('/api/subscriptions')).json<{ items: Subscription[] }>()
    t.match(items, [{ ...OLD_SUBSCRIPTION, event_kinds: { length: 0 } }])
    const recorded = (await server.http.post('/api/events', entry('new'))).json()
    t.match(recorded, { created: true, event: { subscription_ids: ['sub_old'] } }, 'old subscriptions watch new events')

    t.match(await server.stop(), { code: 0 })
    t.same(filesIn(home), before, 'the older ledger has kept its bytes and times')
    t.same(filesBeside(database), [])
    t.equal(statSync(database).mode & 0o777, 0o600)
    t.match(readStoredFile(database), { problems: { length: 0 }, bodies: { length: 5 } })

    t.equal((await readHere(t, home)).length, 5, 'the second use copies nothing')
  },
)

t.test('a short command also counts as the first use', async t => {
  const { home } = oldHome(t)
  const before = filesIn(home)
  const { code, out } = await startStatus(t, { home, env: { ARCH_HOME: home }, check: true }).ended
  t.equal(code, 0)
  t.match(JSON.parse(out), { event_count: 4, subscription_count: 1, problems: { length: 0 } })
  t.same(filesIn(home), before)
})

t.test('a copy that kill -9 interrupted is made again', async t => {
  const { home } = oldHome(t)
  mkdirSync(join(home, 'event'))
  copyFileSync(join(home, 'events.db'), join(home, 'event', 'events.db.copying'))
  copyFileSync(join(home, 'events.db-wal'), join(home, 'event', 'events.db.copying-wal'))
  t.equal((await readHere(t, home)).length, 4)
  t.same(filesBeside(join(home, 'event', 'events.db')), [])
})

t.test('a server with a named database does not read the older ledger', async t => {
  const { home } = oldHome(t)
  t.same(await readHere(t, home, join(home, 'elsewhere.db')), [])
  t.notOk(readdirSync(home).includes('event'))
})

t.test('a damaged older ledger stops the start, and no new ledger is created', async t => {
  const home = ownFolder(t)
  copyFileSync(new URL(import.meta.url), join(home, 'events.db'))
  const refusal = await refusedStart(t, { home, env: { ARCH_HOME: home } })
  t.match(refusal, {
    code: 78,
    err: '',
    error: { code: 'legacy_unusable', detail: /events\.db cannot be upgraded/ },
  })
  t.same(readdirSync(join(home, 'event')), [])
})

/** Events of a ledger that is served once, in this process. */
async function readHere(t: Test, home: string, db?: string): Promise<StoredEvent[]> {
  const database = db === undefined ? {} : { db }
  const { url, close } = await serveHere(t, { home, env: { ARCH_HOME: home }, only: 'ledger', ...database })
  const http = new HttpClient(url)
  const events = await readAll(http)
  http.close()
  await close()
  return events
}

/** A home folder of the older layout, whose last events are still in the write-ahead log. */
function oldHome(t: Test): { home: string; legacy: string } {
  const folder = ownFolder(t)
  const open = join(folder, 'open.db')
  const connection = new sqlite.Database(open)
  connection.exec('PRAGMA locking_mode = EXCLUSIVE')
  connection.exec('PRAGMA journal_mode = WAL')
  connection.exec('CREATE TABLE events (id INTEGER PRIMARY KEY, kind TEXT, body TEXT NOT NULL)')
  connection.exec('CREATE INDEX events_by_kind ON events (kind)')
  connection.exec('CREATE TABLE subscriptions (id TEXT PRIMARY KEY, body TEXT NOT NULL)')
  connection.run('INSERT INTO subscriptions VALUES (?, ?)', [OLD_SUBSCRIPTION.id, JSON.stringify(OLD_SUBSCRIPTION)])
  for (const event of OLD_EVENTS) {
    connection.run('INSERT INTO events (kind, body) VALUES (?, ?)', ['not to be believed', JSON.stringify(event)])
  }
  const home = join(folder, 'arch')
  mkdirSync(home)
  const legacy = join(home, 'events.db')
  // Copied while it is open, as a killed program leaves it: closing it would checkpoint the WAL.
  for (const part of ['', '-wal']) copyFileSync(`${open}${part}`, `${legacy}${part}`)
  connection.close()
  t.ok(statSync(`${legacy}-wal`).size > 0)
  return { home, legacy }
}

function oldEvent(n: number, members: Record<string, unknown>): Record<string, unknown> {
  return {
    dedupe_key: `old:${n}`,
    source: 'chat',
    kind: 'message.created',
    subject_id: String(n),
    subject_type: 'message',
    ...members,
  }
}

/** Every file of a home that is the older ledger's: its bytes and times. */
function filesIn(home: string): Record<string, string> {
  const files = readdirSync(home).filter(name => name.startsWith('events.db'))
  return Object.fromEntries(
    files.map(name => {
      const { mtimeMs, ctimeMs, ino } = statSync(join(home, name))
      return [name, `${readFileSync(join(home, name)).toString('base64')} ${mtimeMs} ${ctimeMs} ${ino}`]
    }),
  )
}
