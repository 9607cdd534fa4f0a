import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pino from 'pino'
import t, { type Test } from 'tap'
import { Ledger } from '../../../src/ledger/ledger.js'
import type { FollowStatus } from '../../../src/model/follow.js'
import { shownAddress } from '../../../src/model/postgres-address.js'
import { readTimestamp } from '../../../src/model/timestamp.js'
import { Follower } from '../../../src/runtime/follow/follower.js'
import { ledgerStatus } from '../../../src/runtime/ledger-status.js'
import { wallClock } from '../../../src/runtime/open-ledger.js'
import { verifyLedger } from '../../../src/runtime/verify-ledger.js'
import { readDatabase } from '../../../src/settings/database-setting.js'
import { readLocalSettings } from '../../../src/settings/local-settings.js'
import { SettingReader } from '../../../src/settings/reading/setting-reader.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { openSqliteStore } from '../../../src/store/sqlite/store.js'
import { ownFolder } from '../../black-box/own-folder.js'
import { prune } from '../../store/erasure-conformance.js'
import { freePort } from '../../support/free-port.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'
import { until } from '../../support/until.js'
import { ADMIN_TOKEN, note, sources, startServer, type TestServer } from './servers.js'

const HOUR_MS = 3_600_000
const settingsOf = (path: string) => readLocalSettings({ db: path }, sources)

/** Removes events of a ledger that no server has open, as retention does. */
async function pruneFile(path: string, through: string) {
  const store = await openSqliteStore({ path, clock: wallClock, onFailure: error => t.fail(`${error}`) })
  await prune(store, '1', readTimestamp('through', through).micros)
  await store.close()
}

async function prunePostgres(address: string, through: string) {
  const { postgres } = readDatabase(new SettingReader(sources), '/', { flag: '--db', value: address })
  if (!postgres) throw new Error(`${address} is not an address of PostgreSQL`)
  const store = await openPostgresStore({ address: postgres })
  await prune(store, '1', readTimestamp('through', through).micros)
  await store.close()
}

const followed = async ({ get }: TestServer) => (await get<{ follows: Partial<FollowStatus> }>('/api/health')).follows

type Page = { items: { dedupe_key: string; captured_at: string }[]; earliest?: string }

/** @param db of the leader @param pruneLeader called while no server has it open */
async function removedWhileDown(t: Test, folder: string, db: string, pruneLeader: typeof pruneFile) {
  const port = String(await freePort())
  const leader = await startServer(t, folder, 'leader', { db, port })
  await leader.call('POST', '/api/events', [note('1', 'walrus'), note('2', 'walrus'), note('3', 'zebra'), note('4')])
  const follower = await startServer(t, folder, 'copy', { follow: leader.url })
  await until(async () => (await follower.lines()) === (await leader.lines()))
  await follower.close()
  const copy = join(folder, 'copy.db')
  t.match(readFileSync(copy, 'latin1'), /walrus[\s\S]*zebra|zebra[\s\S]*walrus/, 'it had the contents')

  await leader.call('POST', '/api/erasures', { dedupe_key: 'note:3', reason: 'the person asked for it' })
  const { items } = await leader.get<Page>('/api/events?order=asc&limit=2')
  const through = items[1]?.captured_at ?? ''
  await leader.close()
  await pruneLeader(db, through)
  const back = await startServer(t, folder, 'leader', { db, port })
  await back.call('POST', '/api/events', [note('2', 'again'), note('5')])

  const again = await startServer(t, folder, 'copy', { follow: back.url })
  const rest = `/api/export?since=${through}`
  const linesOf = async (server: typeof back) => (await server.call('GET', rest)).text()
  await until(async () => (await linesOf(again)) === (await linesOf(back)))
  // The repeat of a removed event is in none of the lines.
  const repeated = async () => (await again.get<{ seen_count: number }>('/api/events/note:2')).seen_count === 2
  await until(async () => (await repeated()) && (await followed(again)).state === 'in_step')
  t.match(await linesOf(again), /note:3[\s\S]*erased[\s\S]*note:4[\s\S]*ledger:erased[\s\S]*note:5/)
  for (const key of ['note:1', 'note:2', 'note:3']) {
    const found = await again.get(`/api/events/${key}`)
    t.same(found, await back.get(`/api/events/${key}`), `${key} is the same tombstone`)
    t.notMatch(JSON.stringify(found), /walrus|zebra|again/)
  }
  t.match(await again.get('/api/events/note:2'), { seen_count: 2 }, 'a repeat of a removed event counts')
  const gone = await again.call('GET', '/api/events?since=1970-01-01T00:00:00Z')
  t.match([gone.status, await gone.json()], [410, { code: 'pruned', next_since: through }])
  const earliest = (await back.get<Page>(`/api/events?since=${through}`)).earliest
  t.match(await again.get(`/api/events?since=${through}`), { earliest })
  const { head_digest } = await back.get('/api/health')
  t.match(await again.get('/api/health'), { head_digest, follows: { state: 'in_step', lag_events: 0 } })
  t.same((await verifyLedger(settingsOf(copy), {})).problems, [])
  for (const server of [again, back]) await server.close()
  t.notMatch(readFileSync(copy, 'latin1'), /walrus|zebra/, 'no byte of the contents is left in the file')
}

t.test('a follower erases and removes the events that its leader erased and removed during an outage', async t => {
  const folder = ownFolder(t)
  await removedWhileDown(t, folder, join(folder, 'leader.db'), pruneFile)
})

const programs = findPostgres()
t.test(
  'a follower erases and removes the events that a leader in PostgreSQL erased and removed during an outage',
  { skip: programs === undefined && 'there is no PostgreSQL server' },
  async t => {
    const cluster = await TestCluster.shared(t, programs as string)
    await removedWhileDown(t, ownFolder(t), shownAddress(cluster.newAddress()), prunePostgres)
  },
)

t.test('a follower tries every few seconds during an hour without its leader, and then catches up', async t => {
  const folder = ownFolder(t)
  const db = join(folder, 'leader.db')
  const port = String(await freePort())
  const leader = await startServer(t, folder, 'leader', { db, port })
  await leader.call('POST', '/api/events', [note('1'), note('2', 'zebra')])
  const store = await openSqliteStore({
    path: join(folder, 'copy.db'),
    clock: wallClock,
    onFailure: error => t.fail(`${error}`),
  })
  t.teardown(() => store.close())
  const ledger = await Ledger.open({ store, clock: wallClock, newSubscriptionId: () => 'sub_1' })
  const logged: { level: number; msg: string }[] = []
  let elapsed = 0
  const pauses: number[] = []
  const follower = await Follower.begin({
    ledger,
    store,
    now: wallClock,
    onPromoted: () => {},
    settings: { leader: leader.url, credential: { kind: 'admin', secret: ADMIN_TOKEN } },
    logger: pino({ base: null }, { write: line => void logged.push(JSON.parse(line)) }),
    elapsed: () => elapsed,
    // Time passes only here.
    pause: async ms => {
      elapsed += ms
      pauses.push(ms)
      await nextTurn()
    },
  })
  if (!follower) throw new Error('It follows nothing.')
  t.teardown(() => follower.stop())
  follower.start()
  await until(async () => follower.status()?.state === 'in_step')

  await leader.close()
  const left = elapsed
  pauses.length = 0
  await until(async () => elapsed - left > HOUR_MS)
  const away = follower.status()
  t.match(away, { leader: leader.url, state: 'unreachable', problem: /No server answers|reach/ })
  t.ok((away?.lag_seconds ?? 0) >= 3_600, 'it shows for how long it has been behind')
  t.equal(Math.max(...pauses), 5_000)
  t.equal(logged.filter(({ level }) => level >= 40).length, 1, 'it reports the outage once')

  const back = await startServer(t, folder, 'leader', { db, port })
  await back.call(
    'POST',
    '/api/events',
    Array.from({ length: 1_200 }, (_, at) => note(`later ${at}`)),
  )
  await back.call('POST', '/api/erasures', { dedupe_key: 'note:2', reason: 'the person asked for it' })
  const { head, head_digest } = await back.get<{ head: string; head_digest: string }>('/api/health')
  await until(async () => (await store.events.health()).head?.digest === head_digest)
  await until(async () => follower.status()?.state === 'in_step')
  // Changes may be on a page of their own, after the events.
  const erased = async () => JSON.parse(Buffer.from(await ledger.getEvent('note:2')).toString())
  await until(async () => 'erased' in (await erased()))
  t.match(follower.status(), { lag_events: 0, lag_seconds: 0 })
  t.match(logged.at(-1), { msg: 'the leader answers again' })
  t.equal((await store.events.stats()).event_count, 1_203)
  t.notMatch(JSON.stringify(await erased()), 'zebra')
  t.ok(head)
})

t.test('the status of a follower has its leader and its lag, also without a server', async t => {
  const folder = ownFolder(t)
  const leader = await startServer(t, folder, 'leader')
  await leader.call('POST', '/api/events', note('1'))
  const follower = await startServer(t, folder, 'copy', { follow: leader.url })
  const status = () => ledgerStatus(settingsOf(join(folder, 'copy.db')), { check: false })
  await until(async () => (await status()).event_count === 1 && (await followed(follower)).lag_events === 0)
  t.match(await status(), {
    server: { address: follower.url },
    follows: { leader: leader.url, state: /in_step|copying/, lag_events: 0, lag_seconds: 0, last_contact_at: /Z$/ },
  })
  t.match(await ledgerStatus(settingsOf(join(folder, 'leader.db')), { check: false }), { follows: null })
  await leader.close()
  await until(async () => Reflect.get((await status()).follows ?? {}, 'state') === 'unreachable')
  await follower.close()
  t.same((await status()).follows, { leader: leader.url })
})
