import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { toTimestamp } from '../../../src/model/timestamp.js'
import { until } from '../../support/until.js'
import { serveClosed } from '../closed-ledger.js'
import { message, serve } from '../serve.js'
import { openLedger, serveConsumers } from './serve-consumers.js'

interface BatchBody {
  items: { dedupe_key: string; subject_id: string }[]
  ack: { fence: number; checkpoint?: string; retried?: number }
}

const batchOf = (body: unknown) => body as BatchBody
const subjectsOf = (body: unknown) => batchOf(body).items.map(({ subject_id }) => subject_id)

t.test('a consumer over a ledger with events', async t => {
  const { put, record, next, ack, request, post, time, port } = await serveConsumers(t)
  await record('1', '2', '3')

  t.test('a consumer is created, shown with its lag, changed and deleted', async t => {
    const created = await put('mail', { position: 'beginning' })
    t.match(created, {
      status: 201,
      body: { created: true, consumer: { name: 'mail', lag: { events: 3, seconds: 0, exact: true } } },
    })
    t.same(Object(created.body.consumer).filters, {})
    const filters = { kind: ['issue.*'], q: 'Login' }
    const changed = await put('mail', { filters: { kind: 'issue.*', q: 'Login' }, position: 'now' })
    const lag = { events: 0, seconds: 0, exact: true }
    t.match(changed, { status: 200, body: { created: false, consumer: { filters, lag } } })
    t.match(await request('/api/consumers/mail'), {
      status: 200,
      body: { checkpoint: '1970-01-01T00:00:00.000000Z', epoch_changed: false, acknowledged_at: null },
    })
    t.match(await request('/api/consumers'), { body: { count: 1, items: [{ name: 'mail', filters }] } })
    t.match(await request('/api/consumers/mail', { method: 'DELETE' }), { status: 204, text: '' })
    for (const path of ['/api/consumers/mail', '/api/consumers/mail/events', '/api/consumers/mail/dead-letters']) {
      t.match(await request(path), { status: 404, body: { code: 'not_found' } }, path)
    }
    t.match(await ack('mail', { fence: 1 }), { status: 404 })
  })

  t.test('invalid input names its field', async t => {
    const long = Array.from({ length: 50 }, (_, at) => `x${at}.${'y'.repeat(120)}`)
    const cases = [
      { body: { filters: { kind: '*.created' } }, errors: [{ field: 'kind' }] },
      { body: { filters: { since: '2031-05-04T09:00:00Z' } }, errors: [{ field: '/filters/since' }] },
      { body: { filters: { kind: [7] } }, errors: [{ field: '/filters/kind' }] },
      { body: { filters: { outcome: 'lost' } }, errors: [{ field: 'outcome' }] },
      { body: { filters: { kind: long, actor: long, q: 'q'.repeat(4_000) } }, errors: [{ field: '/filters' }] },
      {
        body: { position: 'end' },
        errors: [{ field: '/position', detail: '/position must be one of: beginning, now, same.' }],
      },
      { body: { position: 'now', since: '2031-05-04T09:00:00Z' }, errors: [{ field: '' }] },
      { body: { fliters: {} }, errors: [{ field: '/fliters' }] },
      { body: [], errors: [{ field: '' }] },
    ]
    for (const { body, errors } of cases) {
      t.match(await put('x', body), { status: 400, body: { errors } }, JSON.stringify(body))
    }
    t.match(await put('x', { since: 'yesterday' }), { status: 400, body: { code: 'invalid_timestamp' } })
    for (const name of ['.hidden', 'a%2Fb', 'ä', 'x'.repeat(65)]) t.match(await put(name), { status: 400 }, name)
    await put('x')
    t.match(await post('/api/consumers/x/seek', {}), { status: 400 })
    t.match(await ack('x', { checkpoint: '2031-05-04T09:00:00Z' }), {
      status: 400,
      body: { errors: [{ field: '/fence' }] },
    })
    const captured_at = '2031-05-04T09:00:00Z'
    t.match(await ack('x', { fence: 1, dead_letters: [{ dedupe_key: 'a\0', captured_at, error: '', attempts: 1 }] }), {
      status: 400,
      body: { errors: [{ field: '/dead_letters/0/dedupe_key', detail: /NUL/ }] },
    })
    t.match(await next('x', '?fence=one'), { status: 400 })
    t.match(await next('x', '?lease_seconds=1'), { status: 400 })
    t.match(await next('x', '?wait=0'), { status: 400 })
  })

  t.test('events come in order until they are acknowledged, by one instance at a time', async t => {
    await put('order', { position: 'beginning' })
    const first = await next('order', '?limit=2')
    t.match(first, { status: 200, body: { count: 2, has_more: true } })
    t.same(subjectsOf(first.body), ['1', '2'])
    const held = await next('order')
    t.match(held, { status: 409, body: { code: 'lease_held' } })
    const { fence } = batchOf(first.body).ack
    t.same(subjectsOf((await next('order', `?fence=${fence}&limit=2`)).body), ['1', '2'], 'nothing was acknowledged')
    t.match(await ack('order', batchOf(first.body).ack), { status: 200, body: { acknowledged: true } })
    const second = await next('order', `?fence=${fence}`)
    t.same(subjectsOf(second.body), ['3'])
    const back = { fence, checkpoint: '1970-01-01T00:00:00Z' }
    t.match(await ack('order', back), { status: 409, body: { code: 'checkpoint_out_of_range' } })
    const beyond = { fence, checkpoint: '2032-01-01T00:00:00Z' }
    t.match(await ack('order', beyond), { status: 409, body: { code: 'checkpoint_out_of_range' } })
    t.match(await ack('order', { fence: fence - 1 }), { status: 409, body: { code: 'lease_lost' } })
    await ack('order', { ...batchOf(second.body).ack, release: true })
    t.match(await next('order', '?wait=1'), { body: { count: 0, has_more: false } })
  })

  t.test('a batch is compressed for readers that accept it', async t => {
    await put('packed', { position: 'beginning' })
    const encodingOf = async (accepted: string) => {
      const { headers, body } = await next('packed', '', { 'accept-encoding': accepted })
      const { ack } = batchOf(body)
      t.same(subjectsOf(body), ['1', '2', '3'])
      await post('/api/consumers/packed/ack', { fence: ack.fence, release: true })
      return headers.get('content-encoding')
    }
    t.same([await encodingOf('gzip'), await encodingOf('br'), await encodingOf('identity')], ['gzip', 'br', null])
  })

  t.test('lists are compressed once', async t => {
    const error = randomBytes(1_500).toString('base64')
    await put('listed', { position: 'beginning' })
    const { ack: acknowledgement, items } = batchOf((await next('listed')).body)
    const { dedupe_key, captured_at } = items[0] as unknown as { dedupe_key: string; captured_at: string }
    const dead_letters = [{ dedupe_key, captured_at, error, attempts: 1 }]
    await ack('listed', { fence: acknowledgement.fence, error, dead_letters })
    for (const path of ['/api/consumers', '/api/consumers/listed/dead-letters']) {
      const { headers, body } = await request(path, { headers: { 'accept-encoding': 'gzip' } })
      t.equal(headers.get('content-encoding'), 'gzip', path)
      t.match(JSON.stringify(body), error, path)
    }
  })

  t.test('setting the position ends the lease of the reading instance', async t => {
    await put('moved', { position: 'beginning' })
    const { body } = await next('moved', '?limit=2')
    const sought = await post('/api/consumers/moved/seek', { position: 'now' })
    t.match(sought, { status: 200, body: { lag: { events: 0 }, leased_until: null } })
    t.match(await ack('moved', batchOf(body).ack), { status: 409, body: { code: 'lease_lost' } })
    t.match(await next('moved', `?fence=${batchOf(body).ack.fence}`), { status: 409, body: { code: 'lease_lost' } })
    const { items } = (await request('/api/events?order=asc')).body as { items: { captured_at: string }[] }
    const { captured_at: second } = items[1] ?? { captured_at: '' }
    await post('/api/consumers/moved/seek', { from: second })
    t.same(subjectsOf((await next('moved')).body), ['2', '3'])
    await post('/api/consumers/moved/seek', { since: second })
    t.same(subjectsOf((await next('moved')).body), ['3'])
    t.match((await post('/api/consumers/moved/seek', { since: '2041-05-04T09:00:00Z' })).body, { lag: { events: 0 } })
    t.match(await next('moved'), { status: 200, body: { count: 0 } }, 'a time to come is now')
    await post('/api/consumers/moved/seek', { position: 'beginning' })
    t.same(subjectsOf((await next('moved')).body), ['1', '2', '3'])
  })

  t.test('a standby instance takes over when the other one releases its lease', async t => {
    await put('standby', { position: 'beginning' })
    const first = batchOf((await next('standby', '?limit=1')).body)
    const waiting = next('standby', '?wait=20&limit=1')
    await ack('standby', { ...first.ack, release: true })
    const second = batchOf((await waiting).body)
    t.same(subjectsOf(second), ['2'])
    t.ok(second.ack.fence > first.ack.fence)
    t.match(await ack('standby', first.ack), { status: 409, body: { code: 'lease_lost' } })
  })

  t.test('a dead letter keeps the end of its error, and is delivered again before new events', async t => {
    await put('letters', { position: 'beginning' })
    const batch = batchOf((await next('letters')).body)
    const { dedupe_key, captured_at } = batch.items[1] as unknown as { dedupe_key: string; captured_at: string }
    const error = `${'x'.repeat(5_000)}ä: the end`
    const letter = { dedupe_key, captured_at, error, attempts: 5 }
    const acknowledged = await ack('letters', { ...batch.ack, dead_letters: [letter], error })
    t.match(acknowledged, { status: 200, body: { dead_letters: 1 } })
    const listed = await request('/api/consumers/letters/dead-letters')
    t.match(listed.body, { count: 1, next: null, items: [{ dedupe_key, captured_at, attempts: 5, retrying: false }] })
    const [kept] = (listed.body as { items: { id: number; error: string }[] }).items
    t.equal(kept?.error.endsWith('ä: the end'), true)
    t.ok(Buffer.byteLength(kept?.error ?? '') <= 4_096)
    t.match(await request('/api/consumers/letters'), { body: { dead_letters: 1, failures: 1, last_error: /the end$/ } })
    const { fence } = batch.ack
    t.same(subjectsOf((await next('letters', `?fence=${fence}`)).body), [])
    t.match(await post('/api/consumers/letters/dead-letters/retry', ''), { status: 200, body: { retrying: 1 } })
    const again = batchOf((await next('letters', `?fence=${fence}`)).body)
    t.same(
      again.items.map(({ dedupe_key }) => dedupe_key),
      [dedupe_key],
    )
    t.same(again.ack, { fence, retried: kept?.id })
    await ack('letters', again.ack)
    t.match(await request('/api/consumers/letters'), { body: { dead_letters: 0 } })
    t.match(await post(`/api/consumers/letters/dead-letters/${kept?.id}/retry`, ''), { status: 404 })
    t.match(await request('/api/consumers/letters/dead-letters/x', { method: 'DELETE' }), { status: 404 })
  })

  t.test('a waiting consumer wakes for matching events, and its lag counts only these', async t => {
    await put('bells', { filters: { subject_id: 'bell' } })
    const waiting = next('bells', '?wait=30')
    time.now += 10_000_000
    await record('noise')
    const readLag = async () => (await request('/api/consumers/bells')).body.lag as { exact: boolean }
    /** A machine that is busy may not count in time. */
    const exactLag = async () => {
      for (;;) {
        const lag = await readLag()
        if (lag.exact) return lag
      }
    }
    t.match(await exactLag(), { events: 0 })
    await record('bell')
    const { body } = await waiting
    t.same(subjectsOf(body), ['bell'])
    time.now += 2_000_000
    t.same(await exactLag(), { events: 1, seconds: 2, exact: true })
    const isExact = /^daybook_consumer_lag_seconds\{consumer="bells"\} 2$/m
    let { text } = await request('/metrics')
    while (!isExact.test(text)) text = (await request('/metrics')).text
    t.match(text, /^daybook_consumer_lag_events\{consumer="bells"\} 1$/m)
    await ack('bells', batchOf(body).ack)
    t.match((await request('/api/consumers/bells')).body, { lag: { events: 0, seconds: 0 } })
  })

  t.test('an instance that leaves while it waits makes room for the next one', async t => {
    await put('left')
    const leaving = connect(port, '127.0.0.1')
    leaving.write('GET /api/consumers/left/events?wait=50&lease_seconds=600 HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await untilLease('left', lease => lease !== null)
    leaving.resetAndDestroy()
    await untilLease('left', lease => lease === null)
    await record('after')
    t.same(subjectsOf((await next('left')).body), ['after'])
  })

  t.test('a half-closed connection receives events, but keeps no lease', async t => {
    await put('half')
    const leaving = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    leaving.end('GET /api/consumers/half/events?wait=50&lease_seconds=600 HTTP/1.1\r\nHost: localhost\r\n\r\n')
    let received = ''
    leaving.on('data', data => {
      received += data
    })
    await until(() => received.includes('102 Processing'))
    await untilLease('half', lease => lease !== null)
    await record('half-closed')
    await until(() => received.includes('half-closed'))
    t.same(subjectsOf((await next('half')).body), ['half-closed'])
    leaving.destroy()
  })

  t.test('neither HEAD nor a page of another origin takes a lease', async t => {
    await put('safe')
    t.equal((await request('/api/consumers/safe/events', { method: 'HEAD' })).status, 200)
    const foreign = { headers: { 'sec-fetch-site': 'cross-site' } }
    t.match(await request('/api/consumers/safe/events', foreign), { status: 403, body: { code: 'origin_not_allowed' } })
    t.match((await request('/api/consumers/safe')).body, { leased_until: null })
  })

  t.test('health warns of stalled consumers, without their names', async t => {
    await put('still', { position: 'beginning' })
    time.now += 301_000_000
    const { status, body } = await request('/api/health')
    t.match({ status, body }, { status: 200, body: { status: 'ok', warnings: [{ code: 'consumers_stalled' }] } })
    t.notMatch(JSON.stringify(body), 'still"')
  })

  async function untilLease(name: string, isSo: (leasedUntil: unknown) => boolean): Promise<void> {
    for (;;) {
      const { body } = await request(`/api/consumers/${name}`)
      if (isSo(body.leased_until)) return
      await setTimeout(5)
    }
  }
})

t.test('a member manages its own consumers, an admin all, and a read-only token can only read', async t => {
  const { ledger, now } = await openLedger(t)
  const { send, byToken, mia, otto, ada, accounts } = await serveClosed(t, { ledger, now })
  const [mias, ottos, adas] = [await byToken(mia), await byToken(otto), await byToken(ada)]
  const path = '/api/consumers/mail'
  t.match(await send(path, { method: 'PUT', headers: mias, body: {} }), {
    status: 201,
    body: { consumer: { owner_user_id: mia.id } },
  })
  t.match(await send(path, { method: 'PUT', headers: ottos, body: {} }), {
    status: 409,
    body: { code: 'consumer_taken' },
  })
  const others = [
    { path },
    { path, method: 'DELETE' },
    { path: `${path}/events` },
    { path: `${path}/ack`, method: 'POST', body: { fence: 1 } },
    { path: `${path}/seek`, method: 'POST', body: { position: 'now' } },
    { path: `${path}/dead-letters` },
    { path: `${path}/dead-letters`, method: 'DELETE' },
    { path: `${path}/dead-letters/retry`, method: 'POST' },
    { path: `${path}/dead-letters/1/retry`, method: 'POST' },
  ]
  for (const { path, ...request } of others) {
    const answer = await send(path, { ...request, headers: ottos })
    t.match(answer, { status: 404, body: { code: 'not_found' } }, path)
    t.equal((await send(path, { ...request, headers: {} })).status, 401, path)
  }
  t.match(await send('/api/consumers', { headers: ottos }), { body: { count: 0 } })
  t.match(await send('/api/consumers', { headers: adas }), { body: { count: 1 } })
  t.notMatch((await send('/metrics', { headers: ottos })).text, 'daybook_consumer_lag')
  t.match((await send('/metrics', { headers: mias })).text, 'daybook_consumer_lag_events{consumer="mail"} 0')
  const { token } = await accounts.tokens.issue(mia.id, undefined, { may: 'read' })
  const reader = { Authorization: `Bearer ${token}` }
  t.match(await send(path, { headers: reader }), { status: 200 })
  t.match(await send(`${path}/events`, { headers: reader }), { status: 403 })
  t.match(await send(path, { method: 'DELETE', headers: adas }), { status: 204 })
})

t.test('consumers that wake for one event each receive it, even after others were answered', async t => {
  const { ledger, store, now } = await openLedger(t)
  const { request, post } = await serve(t, { ledger, now })
  let othersAnswered: Promise<unknown> | undefined
  const lease = store.consumers.lease.bind(store.consumers)
  store.consumers.lease = async (key, asked) => {
    if (key.name === 'last' && asked.readTo !== undefined) await othersAnswered
    return lease(key, asked)
  }
  const names = ['one', 'two', 'last']
  const headers = { 'content-type': 'application/json' }
  for (const name of names) await request(`/api/consumers/${name}`, { method: 'PUT', headers, body: '{}' })
  const waiting = names.map(name => request(`/api/consumers/${name}/events?wait=30`))
  // The lease of a reader that waits for events outlasts its wait.
  const waits = toTimestamp(now() + 31_000_000)
  const leases = async () => (await request('/api/consumers')).body.items as { leased_until: string | null }[]
  await until(async () => (await leases()).every(({ leased_until }) => leased_until !== null && leased_until > waits))
  othersAnswered = Promise.all(waiting.slice(0, 2)).then(leases)
  await post('/api/events', message('large', { payload: { text: 'x'.repeat(40 * 1024) } }))
  for (const { status, body } of await Promise.all(waiting)) {
    t.equal(status, 200)
    t.same(subjectsOf(body), ['large'])
  }
})

t.test('an instance whose token is revoked while it waits receives no events, and leaves no lease', async t => {
  const { ledger, now } = await openLedger(t)
  const { send, byToken, mia, accounts } = await serveClosed(t, { ledger, now })
  const headers = await byToken(mia)
  const { id, token } = await accounts.tokens.issue(mia.id)
  const path = '/api/consumers/mail'
  const leasedUntil = async () => (await send(path, { headers })).body.leased_until
  await send(path, { method: 'PUT', headers, body: {} })
  const waiting = send(`${path}/events?wait=30`, { headers: { Authorization: `Bearer ${token}` } })
  await until(async () => (await leasedUntil()) !== null)
  await accounts.tokens.revoke(mia.id, id)
  await send('/api/events', { method: 'POST', headers, body: message(1) })
  t.match(await waiting, { status: 401, body: { code: 'unauthenticated' } })
  t.equal(await leasedUntil(), null)
})

t.test('an admin that becomes a member while it waits for the consumer of another user receives no events', async t => {
  const { ledger, now } = await openLedger(t)
  const { send, byToken, ada, mia, accounts } = await serveClosed(t, { ledger, now })
  const [mine, admin] = [await byToken(mia), await byToken(ada)]
  const path = '/api/consumers/mail'
  const leasedUntil = async () => (await send(path, { headers: mine })).body.leased_until
  await send(path, { method: 'PUT', headers: mine, body: {} })
  const waiting = send(`${path}/events?wait=30`, { headers: admin })
  await until(async () => (await leasedUntil()) !== null)
  await accounts.updateUser(ada.id, { role: 'member' })
  await send('/api/events', { method: 'POST', headers: mine, body: message(1) })
  t.match(await waiting, { status: 404, body: { code: 'not_found' } })
  t.equal(await leasedUntil(), null)
})
