import t from 'tap'
import { AppError } from '../../../src/model/app-error.js'
import { AccountsRig, PASSWORD } from '../../accounts/accounts-rig.js'
import { until } from '../../support/until.js'
import { message, serve } from '../serve.js'

t.test('errors are counted by the code of the answer', async t => {
  const { ledger, request, post } = await serve(t)
  await post('/api/events', '{')
  await post('/api/events', { kind: 1 })
  await request('/nothing')
  await request('/api/events', { method: 'PUT' })
  await request('/api/events/none')
  ledger.failure = new AppError('unavailable', 'store_full', 'The disk is full.')
  await request('/api/events')
  ledger.failure = new Error('a defect')
  await request('/api/events')
  ledger.failure = undefined
  const { text } = await request('/metrics')
  t.same(valuesOf(text, 'daybook_http_errors_total'), {
    invalid_json: 1,
    invalid_field: 1,
    not_found: 2,
    method_not_allowed: 1,
    store_full: 1,
    internal: 1,
  })
})

t.test('a sender that leaves before its answer is not an error', async t => {
  const { url, request, log } = await serve(t)
  const left = new AbortController()
  const poll = fetch(`${url}/api/events?since=2031-05-04T09:00:00Z&wait=55`, { signal: left.signal })
  const isHeld = async () => valuesOf((await request('/metrics')).text, 'daybook_held_answers').poll === 1
  while (!(await isHeld())) {}
  left.abort()
  await t.rejects(poll)
  await until(() => log.some(({ status }) => status === 499))
  const { text } = await request('/metrics')
  t.same(valuesOf(text, 'daybook_http_errors_total'), {})
  t.same(valuesOf(text, 'daybook_held_answers'), {
    stream: 0,
    poll: 0,
    export: 0,
    run_log: 0,
    backend_stream: 0,
    consumer: 0,
  })
})

t.test('logins are counted by outcome, and every outcome is listed from the start', async t => {
  const rig = await AccountsRig.open(t)
  const accounts = await rig.start({ throttleLogins: true, adminToken: 'the-admin-token-of-the-tests' })
  await accounts.createUser({ username: 'ada', password: PASSWORD, role: 'admin' })
  const { request, post } = await serve(t, { accounts })
  const headers = { 'x-event-admin-token': 'the-admin-token-of-the-tests' }
  const logins = async () => valuesOf((await request('/metrics', { headers })).text, 'daybook_logins_total')
  t.same(await logins(), { succeeded: 0, failed: 0, throttled: 0, refused: 0 })
  const logIn = async (password: string) => (await post('/api/login', { username: 'ada', password })).status
  t.equal(await logIn(PASSWORD), 200)
  t.equal((await post('/api/login', '{')).status, 400)
  let failed = 0
  while ((await logIn('a wrong password')) === 401) failed += 1
  t.same(await logins(), { succeeded: 1, failed, throttled: 1, refused: 1 })
})

t.test('open streams and exports are counted by kind', async t => {
  const { url, request } = await serve(t)
  const left = new AbortController()
  const { status } = await fetch(`${url}/api/stream`, { signal: left.signal })
  t.equal(status, 200)
  t.match(valuesOf((await request('/metrics')).text, 'daybook_held_answers'), { stream: 1, poll: 0 })
  left.abort()
})

t.test('the metrics have figures of the ledger, its disk, captures and backups', async t => {
  const totals = { outcomes: { captured: 3, disabled: 0, expired: 1, failed: 2 }, created: 40, duplicates: 5 }
  const { request } = await serve(t, {
    captures: { run: async () => ({ captures: [], left: 0 }), totals: () => totals },
    storageSizes: async () => ({ database: 8_192, wal: 32, disk: { size: 1_000, free: 400 } }),
    lastBackup: () => Date.UTC(2031, 4, 4, 8),
  })
  const { text } = await request('/metrics')
  t.same(valuesOf(text, 'daybook_captures_total'), totals.outcomes)
  t.same(valuesOf(text, 'daybook_captured_messages_total'), { created: 40, duplicate: 5 })
  for (const line of [
    ...['daybook_database_bytes 8192', 'daybook_wal_bytes 32', 'daybook_disk_size_bytes 1000'],
    ...['daybook_disk_free_bytes 400', 'daybook_last_backup_timestamp_seconds 1935648000', 'daybook_ready 1'],
    ...['daybook_store_damaged 0', 'daybook_head_timestamp_seconds 1935651600', 'daybook_unindexed_events 0'],
    'daybook_build_info{version="1.2.3"} 1',
  ]) {
    t.match(text, `\n${line}\n`, line)
  }
})

t.test('events are counted for the 50 largest sources, and for the others together', async t => {
  const { ledger, request } = await serve(t)
  const stats = await ledger.stats()
  const sources = Array.from({ length: 60 }, (_, at) => [`source-${at}`, at + 1] as const)
  const by_source = Object.fromEntries(
    sources.map(([source, events]) => [source, { events, duplicates: 0, latest_captured_at: null }]),
  )
  ledger.stats = async () => ({ ...stats, by_source })
  const events = valuesOf((await request('/metrics')).text, 'daybook_events')
  t.equal(Object.keys(events).length, 51)
  t.match(events, { 'source-59': 60, 'source-10': 11, other: 55 })
})

t.test('a store that cannot commit is not ready, and only its own figures are missing', async t => {
  const { ledger, request, log } = await serve(t)
  ledger.failure = new AppError('unavailable', 'store_full', 'The disk of /secret/place is full.')
  const ready = await request('/readyz')
  t.same([ready.status, ready.text, ready.headers.get('retry-after')], [503, '', '5'])
  t.match(log.at(-1), { level: 50, path: '/readyz', code: 'store_full', detail: /full/ })
  t.same(await statusAndText(request('/livez')), [200, ''])
  const { status, text } = await request('/metrics')
  t.equal(status, 200)
  t.match(text, '\ndaybook_ready 0\n')
  t.match(text, '\ndaybook_database_bytes 4096\n')
  t.notMatch(text, 'daybook_head_timestamp_seconds')
  ledger.failure = undefined
  t.same(await statusAndText(request('/readyz')), [200, ''])
})

t.test('a defect in the store makes readyz fail with 500, and does not affect livez', async t => {
  const { ledger, request } = await serve(t)
  ledger.failure = new Error('a defect')
  t.match(await request('/readyz'), { status: 500, body: { code: 'internal' } })
  t.equal((await request('/livez')).status, 200)
})

t.test('an access log has every request at info, with the ids of its sender and without secrets', async t => {
  const { request, post, log } = await serve(t, { accessLog: true })
  const headers = {
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    'x-request-id': 'deploy-7',
    authorization: `Bearer tok_${'s'.repeat(43)}`,
    cookie: 'event_session=secret',
  }
  const answer = await request('/api/events?q=secret', { headers })
  await post('/api/events', message(1, { payload: { word: 'secret' } }), { 'x-request-id': 'a b' })
  t.match(log, [
    {
      level: 30,
      msg: 'request',
      method: 'GET',
      path: '/api/events',
      status: 200,
      trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      parent_id: '00f067aa0ba902b7',
      client_request_id: 'deploy-7',
      request_id: answer.headers.get('x-request-id'),
    },
    { level: 30, method: 'POST', path: '/api/events', status: 201 },
  ])
  t.notOk(JSON.stringify(log).includes('secret'))
  t.notOk(JSON.stringify(log).includes('sss'))
  t.notOk('client_request_id' in (log[1] ?? {}), 'an id of another form')
  t.not(answer.headers.get('x-request-id'), 'deploy-7', 'the answer has an id of the server')
})

t.test('without an access log, successful requests are logged at debug', async t => {
  const { request, log } = await serve(t)
  await request('/api/events', { headers: { 'x-request-id': 'deploy-7' } })
  t.match(log, [{ level: 20, client_request_id: 'deploy-7' }])
})

/** The samples of a metric with one label, by the value of the label. */
function valuesOf(text: string, name: string): Record<string, number> {
  const samples = text.matchAll(new RegExp(`^${name}\\{\\w+="([^"]*)"\\} (\\S+)$`, 'gm'))
  return Object.fromEntries([...samples].map(([, label = '', value]) => [label, Number(value)]))
}

async function statusAndText(answer: Promise<{ status: number; text: string }>): Promise<[number, string]> {
  const { status, text } = await answer
  return [status, text]
}
