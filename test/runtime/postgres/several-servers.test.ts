import t from 'tap'
import { keysOf } from '../../../src/login/login-throttle.js'
import { shownAddress } from '../../../src/model/postgres-address.js'
import type { Subscription } from '../../../src/model/subscriptions/subscription.js'
import { manageUsers } from '../../../src/runtime/users/manage-users.js'
import { readUsersSettings } from '../../../src/settings/local-settings.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { ownFolder } from '../../black-box/own-folder.js'
import { memorySources } from '../../settings/memory-sources.js'
import { messageCreated } from '../../support/events.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'
import { until } from '../../support/until.js'
import { note, startServer } from '../follow/servers.js'
import { ask, eventOf, type Page, readAll, startServers } from './three-servers.js'

/** Of a long poll: much longer than a slow machine needs to wake it. */
const WAIT_SECONDS = 50
const DAY_MS = 86_400_000

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  const cluster = await TestCluster.shared(t, programs)

  t.test('consumers that switch servers receive each event of several writers once, in order', async t => {
    const { urls } = await startServers(t, cluster)
    let turn = 0
    const next = () => {
      turn = (turn * 7 + 3) % 101
      return urls[turn % urls.length] as string
    }
    let writing = true
    const sources = ['notes', 'lamps']
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let at = 0; at < 12; at++) {
        // Every third event arrives twice, at two servers, at the same time.
        const event = eventOf(`${writer}/${at}`, { source: sources[at % 2] })
        const sent = Array.from({ length: at % 3 === 0 ? 2 : 1 }, () => next())
        const answers = await Promise.all(sent.map(url => ask(`${url}/api/events`, { method: 'POST', body: event })))
        t.ok(answers.every(({ status }) => status === 200 || status === 201))
      }
    })
    const consume = async (query: string) => {
      const seen: string[] = []
      for (let since = '1970-01-01T00:00:00Z', last = false; ; ) {
        const { body } = await ask<Page>(`${next()}/api/events?order=asc&limit=7&since=${since}${query}`)
        seen.push(...body.items.map(event => event.dedupe_key))
        since = body.next_since
        if (last && !body.has_more) return seen
        last = !writing && !body.has_more
      }
    }
    const consumers = ['', '&source=lamps', '&q=lam&kind=note.*'].map(consume)
    const written = Promise.all(writers).then(() => {
      writing = false
    })
    // Together: the first failure is reported, and those that follow it end nothing else.
    const [seen] = await Promise.all([Promise.all(consumers), written])
    const [all, second] = await Promise.all([readAll(urls[0] as string), readAll(urls[1] as string)])
    t.same(second, all, 'every server shows the same ledger')
    const keys = all.map(event => event.dedupe_key)
    const lamps = all.filter(event => event.source === 'lamps').map(event => event.dedupe_key)
    t.equal(keys.length, 96)
    t.same(seen, [keys, lamps, []])
    t.equal(new Set(all.map(event => event.captured_at)).size, 96)
    const seenTwice = all.filter(event => event.seen_count === 2)
    t.equal(seenTwice.length, 8 * 4)
    const { body: stats } = await ask(`${urls[2]}/api/stats`)
    t.match(stats, { event_count: 96, duplicate_count: 32, by_source: { lamps: { events: lamps.length } } })
  })

  t.test('three servers of one ledger', async t => {
    const { urls, database } = await startServers(t, cluster)

    t.test('health names the database without a password, and the newest event', async t => {
      t.match((await ask(`${urls[0]}/api/health`)).body, { database, engine: 'postgres', head: null })
      await ask(`${urls[0]}/api/events`, { method: 'POST', body: eventOf('a', { source: 'boards' }) })
      const { body } = await ask(`${urls[0]}/api/health`)
      t.match(body, { status: 'ok', head: /Z$/, head_digest: /^[0-9a-f]{64}$/ })
    })

    t.test('changes of a consumer reach a read that waits at another server', async t => {
      const [one, two] = urls as [string, string]
      const path = '/api/consumers/mail'
      await ask(`${one}${path}`, { method: 'PUT', body: { position: 'now' } })
      await ask(`${one}/api/events`, { method: 'POST', body: eventOf('failed') })
      const next = (query: string) => {
        return ask<Page & { ack: { fence: number; retried?: number } }>(`${one}${path}/events?lease_seconds=5${query}`)
      }
      const { items, ack } = (await next('')).body
      const letters = items.map(({ dedupe_key, captured_at }) => {
        return { dedupe_key, captured_at, error: 'It failed.', attempts: 1 }
      })
      await ask(`${one}${path}/ack`, { method: 'POST', body: { ...ack, lease_seconds: 5, dead_letters: letters } })
      const reading = next(`&fence=${ack.fence}&wait=${WAIT_SECONDS}`)
      await waitsAt(two, path)
      t.match(await ask(`${two}${path}/dead-letters/retry`, { method: 'POST' }), { status: 200, body: { retrying: 1 } })
      t.match((await reading).body, { items: [{ dedupe_key: 'failed' }], ack: { retried: Number } })

      const filters = { method: 'PUT', body: { filters: { source: 'notes' } } }
      const changes = [
        { name: 'filters', to: '', request: filters, answer: { body: { items: [{ dedupe_key: 'failed' }] } } },
        {
          name: 'position',
          to: '/seek',
          request: { method: 'POST', body: { position: 'now' } },
          answer: { status: 409 },
        },
        { name: 'deletion', to: '', request: { method: 'DELETE' }, answer: { status: 404 } },
      ]
      for (const { name, to, request, answer } of changes) {
        const path = `/api/consumers/${name}`
        const body = { filters: { source: 'lamps' }, position: 'beginning' }
        t.match(await ask(`${one}${path}`, { method: 'PUT', body }), { status: 201 })
        const started = performance.now()
        const reading = ask(`${one}${path}/events?lease_seconds=5&wait=${WAIT_SECONDS}`)
        await waitsAt(two, path)
        t.ok((await ask(`${two}${path}${to}`, request)).status < 300, name)
        t.match(await reading, answer, name)
        // Without the notification, the read notices the change at its end.
        t.ok(performance.now() - started < WAIT_SECONDS * 1_000, name)
      }
    })

    t.test('a subscription applies on every server as soon as one of them has answered', async t => {
      const [one, two, three] = urls as [string, string, string]
      const idsOf = async (url: string, key: string) => {
        const { body } = await ask<{ event: { subscription_ids: string[] } }>(`${url}/api/events`, {
          method: 'POST',
          body: eventOf(key),
        })
        return body.event.subscription_ids
      }
      for (let round = 0; round < 4; round++) {
        const [saver, other] = round % 2 ? [one, two] : [three, one]
        const body = { id: 'watch', source: 'notes', target: '', event_kinds: ['note.*'] }
        t.equal((await ask(`${saver}/api/subscriptions`, { method: 'POST', body })).status, 201)
        const ids = await Promise.all([idsOf(other, `on ${round}`), idsOf(saver, `also on ${round}`)])
        t.same(ids, [['watch'], ['watch']])
        t.equal((await ask(`${other}/api/subscriptions/watch`, { method: 'DELETE' })).status, 204)
        t.same(await idsOf(saver, `off ${round}`), [])
      }
      const { body } = await ask<{ items: Subscription[] }>(`${two}/api/subscriptions`)
      t.same(body.items, [])
    })

    t.test('changes of one subscription at several servers are all kept, and none makes it anew', async t => {
      const change = (url: string, body: object) =>
        ask<{ subscription: Subscription }>(`${url}/api/subscriptions`, {
          method: 'POST',
          body: { id: 'shared', ...body },
        })
      const [one, two, three] = urls as [string, string, string]
      for (let round = 0; round < 5; round++) {
        await change(one, { source: 'notes', target: '', event_kinds: ['a.*'], metadata: {}, enabled: true })
        const answers = await Promise.all([
          change(one, { enabled: false }),
          change(two, { event_kinds: ['b.*'] }),
          change(three, { metadata: { round } }),
        ])
        t.same(
          answers.map(({ status }) => status),
          [200, 200, 200],
        )
        const { body } = await ask<Subscription>(`${two}/api/subscriptions/shared`)
        t.match(body, { enabled: false, event_kinds: ['b.*'], metadata: { round } })
        const [deleted, changed] = await Promise.all([
          ask(`${one}/api/subscriptions/shared`, { method: 'DELETE' }),
          change(two, { metadata: { round: -1 } }),
        ])
        t.equal(deleted.status, 204)
        t.ok([200, 400].includes(changed.status), `${changed.status}`)
        t.equal((await ask(`${three}/api/subscriptions/shared`)).status, 404)
      }
    })

    t.test('a long poll wakes for a matching event of another server, and for no other', async t => {
      await ask(`${urls[0]}/api/events`, { method: 'POST', body: eventOf('before') })
      const { body } = await ask<Page>(`${urls[1]}/api/events`)
      const started = performance.now()
      const poll = ask<Page>(`${urls[1]}/api/events?since=${body.next_since}&source=lamps&wait=${WAIT_SECONDS}`)
      await new Promise(resolve => setTimeout(resolve, 200))
      await ask(`${urls[0]}/api/events`, { method: 'POST', body: eventOf('other') })
      await ask(`${urls[2]}/api/events`, { method: 'POST', body: eventOf('wanted', { source: 'lamps' }) })
      t.same(
        (await poll).body.items.map(event => event.dedupe_key),
        ['wanted'],
      )
      t.ok(performance.now() - started < (WAIT_SECONDS * 1_000) / 2)
    })

    t.test('changed filters of a consumer apply to a read that waits at another server', async t => {
      const [one, two] = urls as [string, string]
      const path = '/api/consumers/filtered'
      const save = (url: string, kind: string) =>
        ask(`${url}${path}`, { method: 'PUT', body: { filters: { kind }, position: 'now' } })
      await save(one, 'lamp.*')
      const next = (query: string) => ask<Page & { ack: { fence: number } }>(`${one}${path}/events?${query}`)
      const reading = next('wait=3')
      const isReading = async () => (await ask(`${two}${path}`)).body.leased_until !== null
      await until(isReading)
      await save(two, 'note.*')
      await ask(`${two}/api/events`, { method: 'POST', body: eventOf('note') })
      const first = (await reading).body
      await ask(`${one}${path}/ack`, { method: 'POST', body: first.ack })
      // A slow machine may record the event after the wait.
      const second = (await next(`fence=${first.ack.fence}`)).body
      t.same(
        [...first.items, ...second.items].map(event => event.dedupe_key),
        ['note'],
      )
    })
  })

  t.test('users, tokens and sessions are the same on all servers at every moment', async t => {
    const { urls, database } = await startServers(t, cluster)
    const [one, two] = urls as [string, string]
    const me = (url: string, headers: Record<string, string>) => ask(`${url}/api/session`, { headers })
    t.equal((await ask(`${two}/api/events`)).status, 200, 'an open ledger')
    const settings = readUsersSettings({}, memorySources({ env: { EVENT_DB: database } }))
    const password = 'correct horse battery'
    await manageUsers(settings, users => users.create({ username: 'ada', password, role: 'admin' }))
    t.equal((await ask(`${two}/api/events`)).status, 401, 'a command has closed it on every server')
    const login = await ask(`${one}/api/login`, { method: 'POST', body: { username: 'ada', password } })
    t.equal(login.status, 200)
    const cookie = login.headers
      .getSetCookie()
      .map(line => line.split(';')[0])
      .join('; ')
    t.match((await me(two, { cookie })).body, { user: { username: 'ada' } })
    const { token } = await manageUsers(settings, users => users.issueToken('ada'))
    const bearer = { authorization: `Bearer ${token.token}` }
    t.equal((await ask(`${two}/api/events`, { headers: bearer })).status, 200)
    t.equal((await manageUsers(settings, users => users.listSessions('ada'))).length, 1)
    await manageUsers(settings, users => users.endSessions('ada'))
    t.equal((await ask(`${two}/api/events`, { headers: { cookie } })).status, 401)
    await manageUsers(settings, users => users.revokeTokens('ada'))
    for (const url of urls) t.equal((await ask(`${url}/api/events`, { headers: bearer })).status, 401)
  })

  t.test('a changed role, account or token applies to the next request to any server', async t => {
    const headers = { 'x-event-admin-token': 'long-enough-secret-word' }
    const { urls } = await startServers(t, cluster, { env: { EVENT_ADMIN_TOKEN: headers['x-event-admin-token'] } })
    const [one, two, three] = urls as [string, string, string]
    const post = <Body>(url: string, body: unknown, method = 'POST') => ask<Body>(url, { method, body, headers })
    const ada = { username: 'ada', password: 'correct horse battery', role: 'admin' }
    const { id } = (await post<{ id: string }>(`${one}/api/users`, ada)).body
    const issued = await post<{ token: string }>(`${two}/api/users/${id}/token`, {})
    const bearer = { authorization: `Bearer ${issued.body.token}` }
    const statuses = (path: string) =>
      Promise.all(urls.map(async url => (await ask(`${url}${path}`, { headers: bearer })).status))
    t.same(await statuses('/api/users'), [200, 200, 200])
    await post(`${three}/api/users/${id}`, { role: 'member' }, 'PATCH')
    t.same(await statuses('/api/users'), [403, 403, 403])
    t.same(await statuses('/api/events'), [200, 200, 200])
    await post(`${two}/api/users/${id}`, { enabled: false }, 'PATCH')
    t.same(await statuses('/api/events'), [401, 401, 401])
    await post(`${one}/api/users/${id}`, { enabled: true }, 'PATCH')
    t.same(await statuses('/api/events'), [200, 200, 200])
    await post(`${three}/api/users/${id}/token`, undefined, 'DELETE')
    t.same(await statuses('/api/events'), [401, 401, 401])
  })

  t.test('failed logins on all servers are counted together', async t => {
    const { urls, address } = await startServers(t, cluster)
    const login = (url: string) =>
      ask(`${url}/api/login`, { method: 'POST', body: { username: 'ada', password: 'guess' } })
    t.equal((await login(urls[0] as string)).status, 401)
    const store = await openPostgresStore({ address })
    t.teardown(() => store.close())
    // As if other servers had refused nine more.
    const { pair } = keysOf('127.0.0.1', 'ada')
    for (let n = 0; n < 9; n++) await store.multiServer.loginFailures.add([{ key: pair, windowMs: 60_000 }])
    for (const url of urls) {
      const { status, headers } = await login(url)
      t.equal(status, 429)
      t.ok(Number(headers.get('retry-after')) > 30)
    }
    await store.multiServer.loginFailures.clear(pair)
    t.equal((await login(urls[1] as string)).status, 401, 'a login elsewhere succeeded')
  })

  t.test('servers whose clocks are wrong lease and remove events by the clock of the database', async t => {
    const { now } = Date
    t.teardown(() => {
      Date.now = now
    })
    Date.now = () => now() + 50 * DAY_MS
    const address = await cluster.emptyLedger(t)
    let daysAgo = 30
    const store = await openPostgresStore({ address, clock: () => (now() - daysAgo * DAY_MS) * 1_000 })
    await store.events.record([messageCreated('old')])
    daysAgo = 1
    await store.events.record([messageCreated('young')])
    await store.close()

    const { urls } = await startServers(t, cluster, { address, env: { EVENT_RETENTION_DAYS: '10' } })
    const oldest = async () => (await ask<Page>(`${urls[0]}/api/events?order=asc&limit=9`)).body.items[0]
    await until(async () => (await oldest())?.dedupe_key !== 'old')
    t.match(await oldest(), { dedupe_key: 'young' })

    await ask(`${urls[0]}/api/consumers/c`, { method: 'PUT', body: { position: 'beginning' } })
    const { body } = await ask<{ leased_until: string }>(`${urls[1]}/api/consumers/c/events?lease_seconds=60`)
    t.ok(Math.abs(Date.parse(body.leased_until) - now() - 60_000) < DAY_MS, body.leased_until)
  })

  t.test('a ledger in a file follows several servers, with later repeats, and can be promoted', async t => {
    const folder = ownFolder(t)
    const address = shownAddress(await cluster.emptyLedger(t))
    const leader = await startServer(t, folder, 'leader', { db: address })
    await leader.call('POST', '/api/events', [note('1'), note('2')])
    await leader.call('POST', '/api/events', note('1'))
    const follower = await startServer(t, folder, 'copy', { follow: leader.url })
    const isSame = async () => (await follower.lines()) === (await leader.lines())
    await until(isSame)
    await leader.call('POST', '/api/events', [note('2'), note('3')])
    await until(isSame)
    const { head_digest } = await leader.get('/api/health')
    t.match(await follower.get('/api/health'), { head_digest, follows: { state: 'in_step' } })
    t.equal((await follower.call('POST', '/api/promotion', { force: true })).status, 200)
    t.equal((await follower.call('POST', '/api/events', note('4'))).status, 201)
  })
}

/** Waits until a read of the consumer waits: before that, it extends its lease by the time that it may wait. */
function waitsAt(server: string, consumer: string): Promise<void> {
  return until(async () => {
    const { leased_until } = (await ask<{ leased_until: string | null }>(`${server}${consumer}`)).body
    return Date.parse(leased_until ?? '') > Date.now() + 10_000
  })
}
