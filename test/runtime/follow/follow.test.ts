import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { promoteLedger } from '../../../src/runtime/follow/promote-ledger.js'
import { exportLedger } from '../../../src/runtime/transfer/export-ledger.js'
import { manageUsers } from '../../../src/runtime/users/manage-users.js'
import { verifyLedger } from '../../../src/runtime/verify-ledger.js'
import { readLocalSettings, readUsersSettings } from '../../../src/settings/local-settings.js'
import { checkCopiedLedger, renewEpoch } from '../../../src/store/sqlite/copy/copied-ledger.js'
import { ownFolder } from '../../black-box/own-folder.js'
import { memorySources } from '../../settings/memory-sources.js'
import { freePort } from '../../support/free-port.js'
import { until } from '../../support/until.js'
import { note, sources, startServer, type TestServer } from './servers.js'

interface Health {
  status: string
  head: string | null
  head_digest: string | null
  epoch: string
  follows?: { state: string; leader: string; lag_seconds: number; problem?: string }
  warnings?: { code: string }[]
  continues?: object
}

const health = (server: TestServer) => server.get<Health>('/api/health')
const inState = (server: TestServer, state: string) =>
  until(async () => (await health(server)).follows?.state === state)
/** @returns the first answer that shows a follower without lag: a busy machine may copy seconds later */
async function healthInStep(server: TestServer): Promise<Health> {
  let shown = await health(server)
  await until(async () => {
    shown = await health(server)
    return shown.follows?.state === 'in_step' && shown.follows.lag_seconds === 0
  })
  return shown
}
const PLAIN = { keep_epoch: false, force: false }
const settingsOf = (folder: string, name: string) => readLocalSettings({ db: join(folder, `${name}.db`) }, sources)

/** Folder of a leader with data of every type, and the token of its admin. Made once: to hash a password takes long. */
const filled = ownFolder(t)
const token = await fill()

async function fill(): Promise<string> {
  const leader = await startServer(t, filled, 'leader')
  await leader.call('POST', '/api/users', { username: 'ada', password: 'correct horse', role: 'admin' })
  const [user] = (await leader.get<{ items: { id: string }[] }>('/api/users')).items
  const { token } = (await (await leader.call('POST', `/api/users/${user?.id}/token`)).json()) as { token: string }
  await leader.call('POST', '/api/subscriptions', { id: 'sub_1', source: 'api', event_kinds: ['note.*'] })
  await leader.call('POST', '/api/events', [note('1'), note('2', 'zebra'), note('3')])
  // Changes from before the first copy: leader and follower number the later ones otherwise.
  for (let repeat = 0; repeat < 4; repeat++) await leader.call('POST', '/api/events', note('3'))
  await leader.call('PUT', '/api/consumers/mail', { position: 'beginning' })
  const { ack } = await leader.get<{ ack: object }>('/api/consumers/mail/events?limit=2')
  await leader.call('POST', '/api/consumers/mail/ack', ack)
  await leader.close()
  return token
}

/** That leader, and its follower with the same data. */
async function startPair(t: Test) {
  const folder = ownFolder(t)
  copyFileSync(join(filled, 'leader.db'), join(folder, 'leader.db'))
  // Another server takes its port over in one of the tests.
  const leader = await startServer(t, folder, 'leader', { port: String(await freePort()) })
  const follower = await startServer(t, folder, 'copy', { follow: leader.url })
  await inState(follower, 'in_step')
  await until(async () => (await follower.get<{ count: number }>('/api/consumers')).count === 1)
  return { folder, leader, follower }
}

t.test('a follower', async t => {
  const { folder, leader, follower } = await startPair(t)
  const sameEvents = () => until(async () => (await follower.lines()) === (await leader.lines()))

  t.test('a follower has the events of its leader, with the same epoch and digest', async t => {
    t.equal(await follower.lines(), await leader.lines())
    const [mine, other] = [await healthInStep(follower), await health(leader)]
    t.match(mine, { status: 'ok', head_digest: other.head_digest, epoch: other.epoch })
    t.match(mine.follows, {
      leader: leader.url,
      state: 'in_step',
      lag_events: 0,
      lag_seconds: 0,
      last_contact_at: /Z$/,
    })
    for (const path of ['/api/subscriptions', '/api/users']) {
      t.same(await follower.get(path), await leader.get(path), path)
    }
    const { refused_deliveries: _, ...stats } = await leader.get('/api/stats')
    t.match(await follower.get('/api/stats'), stats)
    const [consumer] = (await follower.get<{ items: object[] }>('/api/consumers')).items
    t.match(consumer, { name: 'mail', epoch_changed: false, lag: { events: 1 }, checkpoint: /Z$/ })
    const login = { username: 'ada', password: 'correct horse' }
    t.equal((await follower.call('POST', '/api/login', login, {})).status, 200)
    const asAda = { authorization: `Bearer ${token}` }
    t.equal((await follower.call('GET', '/api/events', undefined, asAda)).status, 200)
    t.equal((await follower.call('GET', '/api/events', undefined, {})).status, 401, 'it was never open')
  })

  t.test(
    'a follower of a closed leader requires a login from its first request, even without its own admin token',
    async t => {
      const env = { EVENT_LOG_LEVEL: 'silent', EVENT_FOLLOW_TOKEN: token }
      const other = await startServer(t, folder, 'other', { follow: leader.url }, memorySources({ env }))
      const asNobody = { authorization: 'Bearer wrong' }
      for (const headers of [{}, asNobody]) {
        t.equal((await other.call('GET', '/api/events', undefined, headers)).status, 401)
      }
      await other.close()
    },
  )

  t.test('a follower receives new events, repeats and erasures, and wakes waiting readers', async t => {
    const { next_since } = await follower.get<{ next_since: string }>('/api/events?limit=1')
    const waiting = follower.get(`/api/events?since=${next_since}&wait=55`)
    await leader.call('POST', '/api/events', [note('1'), note('4')])
    t.match(await waiting, { items: [{ dedupe_key: 'note:4' }] })
    await leader.call('POST', '/api/erasures', { dedupe_key: 'note:2', reason: 'posted by mistake' })
    await sameEvents()
    t.notMatch(await follower.lines(), /zebra/)
    t.match(await follower.get('/api/events/note:1'), { seen_count: 2 })
  })

  t.test('a follower refuses changes, and names its leader', async t => {
    const changes: [string, string, unknown?][] = [
      ['POST', '/api/events', note('5')],
      ['POST', '/webhooks/code_a', {}],
      ['POST', '/api/subscriptions', { source: 'api' }],
      ['DELETE', '/api/subscriptions/sub_1'],
      ['PUT', '/api/consumers/other', {}],
      ['GET', '/api/consumers/mail/events'],
      ['POST', '/api/users', { username: 'bob', password: 'correct horse' }],
      ['POST', '/api/erasures', { dedupe_key: 'note:1', reason: 'r' }],
    ]
    for (const [method, path, body] of changes) {
      const answer = await follower.call(method, path, body)
      t.match(
        [answer.status, answer.headers.get('retry-after'), await answer.json()],
        [503, '30', { code: 'ledger_follows', detail: new RegExp(`follows ${leader.url}`) }],
        `${method} ${path}`,
      )
    }
    t.equal((await follower.call('POST', '/api/subscriptions/preview', { source: 'api' })).status, 200)
  })

  t.test('copying needs the token of an admin, and no browser session is accepted', async t => {
    const login = await leader.call('POST', '/api/login', { username: 'ada', password: 'correct horse' }, {})
    const { csrf_token } = (await login.json()) as { csrf_token: string }
    const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    for (const path of ['/api/copy', '/api/copy/state']) {
      const asSession = { cookie, 'x-csrf-token': csrf_token }
      const answer = await leader.call('POST', path, undefined, asSession)
      t.match([answer.status, await answer.json()], [403, { code: 'token_required' }], path)
      t.equal((await leader.call('POST', path, undefined, {})).status, 401)
      t.equal((await leader.call('POST', path, undefined, { authorization: `Bearer ${token}` })).status, 200)
    }
  })

  t.test('a follower serves reads during an outage of its leader, and can be promoted only then', async t => {
    const settings = settingsOf(folder, 'copy')
    await t.rejects(promoteLedger(settings, PLAIN), { category: 'conflict', code: 'leader_answers' })
    const { epoch: before, head, head_digest: digest } = await health(leader)
    await leader.close()
    await inState(follower, 'unreachable')
    t.match(await follower.get('/api/events/note:4'), { dedupe_key: 'note:4' })

    const promoted = await promoteLedger(settings, PLAIN)
    t.match(promoted, { leader: leader.url, head, head_digest: digest, consumers: 1 })
    t.not(promoted.epoch, before)
    const after = await health(follower)
    t.match(after, { epoch: promoted.epoch, continues: { epoch: before, through: head, digest } })
    t.equal(after.follows, undefined)
    t.equal((await follower.call('POST', '/api/events', note('6'))).status, 201)
    t.match(await follower.get('/api/events/note:6'), { subscription_ids: ['sub_1'] })
    const { items } = await follower.get<{ items: object[] }>('/api/consumers/mail/events')
    t.match(items, [
      { dedupe_key: 'note:3' },
      { dedupe_key: 'note:4' },
      { kind: 'ledger.erased' },
      { dedupe_key: 'note:6' },
    ])
    await t.rejects(promoteLedger(settings, PLAIN), { category: 'conflict', code: 'not_following' })
    t.same((await verifyLedger(settings, {})).problems, [])
  })

  t.test('a promoted follower stays promoted, regardless of its settings', async t => {
    await follower.close()
    const again = await startServer(t, folder, 'copy', { follow: leader.url })
    t.equal((await again.call('POST', '/api/events', note('7'))).status, 201)
    t.match(await health(again), { continues: { through: /Z$/ } })
    await again.close()
  })
})

t.test('a follower stops when its leader is another ledger, and keeps its events', async t => {
  const { folder, leader, follower } = await startPair(t)
  const before = await follower.lines()
  await leader.close()
  const other = await startServer(t, folder, 'other', { port: String(leader.port) })
  await other.call('POST', '/api/events', note('9'))
  await inState(follower, 'stopped')
  const { status, follows, warnings } = await health(follower)
  t.match({ status, follows }, { status: 'ok', follows: { problem: /not the ledger that this one follows/ } })
  t.match(warnings, [{ code: 'follow_stopped' }])
  t.equal(await follower.lines(), before)
  const forced = [1, 2].map(() => follower.call('POST', '/api/promotion', { force: true }))
  t.same((await Promise.all(forced)).map(({ status }) => status).sort(), [200, 409], 'once')
  t.equal((await follower.call('POST', '/api/events', note('10'))).status, 201)
  const wrong = await follower.call('POST', '/api/promotion', { epoch: 'mine' })
  t.match([wrong.status, await wrong.json()], [400, { code: 'invalid_field' }])
})

t.test('other programs can only read the file of a follower until it is promoted without a server', async t => {
  const { folder, leader, follower } = await startPair(t)
  const { epoch } = await health(leader)
  for (const server of [follower, leader]) await server.close()
  copyFileSync(join(folder, 'copy.db'), join(folder, 'restored.db'))
  const settings = settingsOf(folder, 'copy')
  const refused = { category: 'configuration', code: 'follows_another' }
  await t.rejects(startServer(t, folder, 'copy'), refused)
  await t.rejects(
    manageUsers(readUsersSettings({ db: settings.database.path }, sources), users => users.delete('ada')),
    refused,
  )
  t.match(await verifyLedger(settings, {}), { events: 3, problems: { length: 0 } })
  t.match(await exportLedger(settings, join(folder, 'copy.jsonl'), { accounts: true }), {
    events: 3,
    users: 1,
    tokens: 1,
  })
  t.match(await promoteLedger(settings, { ...PLAIN, keep_epoch: true }), { epoch, consumers: 1 })
  const alone = await startServer(t, folder, 'copy')
  t.match(await alone.get('/api/consumers/mail'), { epoch_changed: false, lag: { events: 1 } })

  checkCopiedLedger(join(folder, 'restored.db'))
  renewEpoch(join(folder, 'restored.db'), Date.now())
  const restored = await startServer(t, folder, 'restored')
  t.equal((await health(restored)).follows, undefined, 'a restored backup of a follower follows nothing')
})

t.test('a ledger refuses to follow a ledger that it cannot copy', async t => {
  const folder = ownFolder(t)
  const leader = await startServer(t, folder, 'leader')
  const used = await startServer(t, folder, 'used')
  await used.call('POST', '/api/events', note('1'))
  await used.close()
  const follow = leader.url
  await t.rejects(startServer(t, folder, 'used', { follow }), { category: 'conflict', code: 'ledger_not_empty' })
  const unknown = await startServer(t, folder, 'gone')
  await unknown.close()
  await t.rejects(startServer(t, folder, 'new', { follow: unknown.url }), { code: 'server_unreachable' })
})

t.test('a follower can switch to another copy of the same ledger, and misses no repeat', async t => {
  const { folder, leader, follower } = await startPair(t)
  const second = await startServer(t, folder, 'second', { follow: leader.url })
  await inState(second, 'in_step')
  await second.close()
  await leader.call('POST', '/api/events', [note('1'), note('2', 'zebra')])
  await until(async () => (await follower.lines()) === (await leader.lines()))
  const changed = await startServer(t, folder, 'second', { follow: follower.url })
  await until(async () => (await changed.lines()) === (await leader.lines()))
  t.match(await changed.get('/api/events/note:1'), { seen_count: 2 })
})
