import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { AppError } from '../../../src/model/app-error.js'
import { until } from '../../support/until.js'
import { message, serve } from '../serve.js'

const NDJSON = { 'content-type': 'application/x-ndjson' }

t.test('a new event is created, a repeat is counted, and both return the stored event', async t => {
  const { post } = await serve(t)
  const first = await post('/api/events', message(1))
  t.equal(first.status, 201)
  t.same(Object.keys(first.body), ['created', 'dedupe_key', 'seen_count', 'captured_at', 'event'])
  t.match(first.body, {
    created: true,
    dedupe_key: 'api:message.created:message:1',
    seen_count: 1,
    captured_at: '2031-05-04T09:00:00.000001Z',
    event: { kind: 'message.created', source: 'api', provenance: { route: 'api', verified: 'none' } },
  })
  const second = await post('/api/events', message(1))
  t.equal(second.status, 200)
  t.match(second.body, { created: false, seen_count: 2, captured_at: '2031-05-04T09:00:00.000001Z' })
  t.match(second.body, { event: { seen_count: 2 } })
})

t.test('values for members of the ledger are ignored, and unknown members are kept', async t => {
  const { post, ledger } = await serve(t)
  await post('/api/events', { ...message(1), provenance: { route: 'webhook', verified: 'login' }, colour: 'red' })
  t.match(ledger.events[0], { provenance: { route: 'api', verified: 'none' }, colour: 'red' })
})

t.test('a JSON array and lines of JSON are batches', async t => {
  const { post, ledger } = await serve(t)
  const array = await post('/api/events', [message(1), message(2), message(1)])
  t.equal(array.status, 200)
  t.same(Object.keys(array.body), ['created', 'duplicates', 'results'])
  t.match(array.body, {
    created: 2,
    duplicates: 1,
    results: [
      { created: true, dedupe_key: 'api:message.created:message:1', seen_count: 1 },
      { created: true, dedupe_key: 'api:message.created:message:2' },
      { created: false, seen_count: 2, captured_at: '2031-05-04T09:00:00.000001Z' },
    ],
  })
  const lines = `${JSON.stringify(message(3))}\r\n\n  \n${JSON.stringify(message(1))}\n`
  t.match((await post('/api/events', lines, NDJSON)).body, { created: 1, duplicates: 1 })
  t.equal(ledger.events.length, 3)
})

t.test('an empty batch records nothing', async t => {
  const { post } = await serve(t)
  const nothing = { status: 200, body: { created: 0, duplicates: 0, results: [] } }
  t.match(await post('/api/events', ' [ ] '), nothing)
  t.match(await post('/api/events', '\n\n', NDJSON), nothing)
})

t.test('a batch with an invalid event is refused as a whole, and names every invalid event', async t => {
  const { post, ledger } = await serve(t)
  const lines = [JSON.stringify(message(1)), '{"kind":', '', JSON.stringify({ kind: 'a.b', subject_id: 7 })].join('\n')
  const { status, body } = await post('/api/events', lines, NDJSON)
  t.equal(status, 400)
  t.match(body, { code: 'invalid_field', detail: /^2 parts/ })
  const fields = (body.errors as { field: string }[]).map(error => error.field).sort()
  t.same(fields, ['/1', '/2/subject_id', '/2/subject_type'])
  t.match(body.errors, [{ field: '/1', detail: /line 1, column 9/ }])

  const array = await post('/api/events', [message(1), 'no event', message(2, { actor: 5 })])
  t.match(array, { status: 400, body: { errors: [{ field: '/1' }, { field: '/2/actor' }] } })
  t.match(await post('/api/events', '{]\n[]', NDJSON), {
    status: 400,
    body: { errors: [{ field: '/0' }, { field: '/1' }] },
  })
  t.equal(ledger.events.length, 0)
})

t.test('a batch with very many invalid events names each of them', async t => {
  const { post } = await serve(t)
  const wrong = { kind: 'a.b', subject_id: 7 }
  const { body } = await post('/api/events', [
    ...Array.from({ length: 600 }, () => wrong),
    message(600),
    ...Array.from({ length: 600 }, () => wrong),
  ])
  const errors = body.errors as { field: string; detail: string }[]
  const indexes = new Set(errors.map(({ field }) => Number(field.split('/')[1])))
  t.same(
    [...indexes],
    Array.from({ length: 1_201 }, (_, index) => index).filter(index => index !== 600),
  )
  t.equal(errors.filter(({ field }) => field === '/499/subject_type').length, 1)
  t.match(errors.at(-1), { field: '/1200', detail: 'This event is wrong too.' })
})

t.test('the refusal of a single event names every invalid field', async t => {
  const { post } = await serve(t)
  const { status, headers, body } = await post('/api/events', { kind: '', subject_id: '1', actor: [] })
  t.equal(status, 400)
  t.equal(headers.get('content-type'), 'application/problem+json')
  t.match(body, { type: 'about:blank', title: 'Bad Request', status: 400, code: 'invalid_field' })
  t.same((body.errors as { field: string }[]).map(error => error.field).sort(), ['/actor', '/kind', '/subject_type'])
})

t.test('a body that is not a JSON object is refused with the place of the error', async t => {
  const { post } = await serve(t)
  const cases = [
    { body: '', code: 'invalid_json', detail: /empty/ },
    { body: '{"kind":"a.b",}', code: 'invalid_json', detail: /line 1, column 15/ },
    { body: '[{"kind":"a.b"}', code: 'invalid_json', detail: /ends too early/ },
    { body: '{"a":1}{"b":2}', code: 'invalid_json', detail: /nothing may follow/ },
    { body: Buffer.from([0x7b, 0xc3, 0x28, 0x7d]), code: 'invalid_json', detail: /UTF-8/ },
    { body: '"text"', code: 'invalid_json', detail: /must be a JSON object/ },
    { body: 'null', code: 'invalid_json' },
    { body: '17', code: 'invalid_json' },
    { body: '[17]', code: 'invalid_json' },
  ]
  for (const { body, code, detail = /./ } of cases) {
    t.match(await post('/api/events', body), { status: 400, body: { code, detail } }, String(body))
  }
})

t.test('a body that is nested too deeply is refused, at any depth', async t => {
  const { post } = await serve(t)
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  const event = (levels: number) => `{"kind":"a.b","subject_type":"a","subject_id":"1","payload":${nested(levels)}}`
  t.match(await post('/api/events', event(63)), { status: 201 })
  t.match(await post('/api/events', event(64)), { status: 400, body: { code: 'invalid_field' } })
  t.match(await post('/api/events', '['.repeat(500_000)), { status: 400, body: { code: 'invalid_json' } })
  t.match(await post('/api/events', nested(90_000)), { status: 400 })
  t.match(await post('/api/events', message(2)), { status: 201 })
})

t.test('a number that cannot be stored exactly is refused by name', async t => {
  const { post } = await serve(t)
  const event = JSON.stringify(message(1, { payload: { id: 'ID' } })).replace('"ID"', '12345678901234567891')
  t.match(await post('/api/events', event), {
    status: 400,
    body: { code: 'invalid_field', errors: [{ field: '/payload/id', detail: /as a string/ }] },
  })
  t.match(await post('/api/events', `[${event}]`), { status: 400, body: { errors: [{ field: '/0/payload/id' }] } })
})

t.test('a body that is not JSON in UTF-8 is refused', async t => {
  const { request, post } = await serve(t)
  const refused = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json; charset=latin1',
  ]
  for (const type of refused) {
    const answer = await post('/api/events', message(1), { 'content-type': type })
    t.match(answer, { status: 415, body: { code: 'unsupported_media_type' } }, type)
  }
  const untyped = await request('/api/events', { method: 'POST', body: Buffer.from(JSON.stringify(message(1))) })
  t.match(untyped, { status: 415 })
  t.match(await post('/api/events', message(1), { 'content-encoding': 'deflate' }), { status: 415 })
  for (const type of ['Application/JSON', 'application/json;charset=UTF-8', 'application/json; charset="utf-8"; v=1']) {
    t.equal((await post('/api/events', message(type), { 'content-type': type })).status, 201, type)
  }
})

t.test('an event of one mebibyte is accepted, and one byte more is too large', async t => {
  const { post } = await serve(t)
  const sized = (bytes: number) => {
    const empty = JSON.stringify(message(1, { payload: { text: '' } }))
    return JSON.stringify(message(1, { payload: { text: 'x'.repeat(bytes - empty.length) } }))
  }
  const limit = 1024 * 1024
  t.match(await post('/api/events', sized(limit)), { status: 201 })
  t.match(await post('/api/events', sized(limit + 1)), {
    status: 413,
    body: { code: 'body_too_large', detail: /1 MiB/ },
  })
  t.match(await post('/api/events', `[${sized(limit)}]`), { status: 200 })
  t.match(await post('/api/events', `[${JSON.stringify(message(2))},${sized(limit + 1)}]`), {
    status: 400,
    body: { errors: [{ field: '/1', detail: /1 MiB/ }] },
  })
})

t.test('a batch of 5,000 events is accepted, and one more is too many', async t => {
  const { post, ledger } = await serve(t)
  const lines = (count: number) => Array.from({ length: count }, (_, i) => JSON.stringify(message(i))).join('\n')
  t.match(await post('/api/events', lines(5001), NDJSON), { status: 413, body: { detail: /5000 events/ } })
  t.equal(ledger.events.length, 0)
  t.match(await post('/api/events', lines(5000), NDJSON), { status: 200, body: { created: 5000 } })
})

t.test('a batch over 32 MiB is refused, announced or not, and the connection stays usable', async t => {
  const { raw, request } = await serve(t)
  const head = 'POST /api/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n'
  t.match(await raw(`${head}Content-Length: 33554433\r\nConnection: close\r\n\r\n`), /^HTTP\/1\.1 413 /)
  const piece = Buffer.alloc(1024 * 1024, ' ')
  const chunks = Array.from({ length: 33 }, () =>
    Buffer.concat([Buffer.from('100000\r\n'), piece, Buffer.from('\r\n')]),
  )
  const next = 'GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
  const whole = Buffer.concat([
    Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`),
    ...chunks,
    Buffer.from(`0\r\n\r\n${next}`),
  ])
  const answers = await raw(whole)
  t.match(answers, /^HTTP\/1\.1 413 /)
  t.match(answers, /HTTP\/1\.1 200 OK/, 'the request after it is answered')
  t.match(await request('/api/health'), { status: 200 })
})

t.test('a sender that expects 100 Continue is refused before it sends', async t => {
  const { raw } = await serve(t)
  const head = 'POST /api/events HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nConnection: close\r\n'
  const body = JSON.stringify(message(1))
  const json = `${head}Content-Type: application/json\r\n`
  t.match(
    await raw(`${json}Content-Length: ${body.length}\r\n\r\n${body}`),
    /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201/,
  )
  t.match(await raw(`${json}Content-Length: 99999999\r\n\r\n`), /^HTTP\/1\.1 413/)
  t.match(await raw(`${head}Content-Type: text/plain\r\nContent-Length: 5\r\n\r\n`), /^HTTP\/1\.1 415/)
})

t.test('a store that cannot commit is reported, with a time to retry', async t => {
  const { post, ledger } = await serve(t)
  ledger.failure = new AppError('unavailable', 'store_full', 'The disk is full.', { retryAfterSeconds: 30 })
  const { status, headers, body } = await post('/api/events', message(1))
  t.equal(status, 503)
  t.equal(headers.get('retry-after'), '30')
  t.match(body, { code: 'store_full', detail: 'The disk is full.', request_id: headers.get('x-request-id') })
})

t.test('a sender that disconnects in the middle of a body leaves nothing behind', async t => {
  const { port, post, ledger, log } = await serve(t)
  const socket = connect(port, '127.0.0.1')
  socket.write(
    'POST /api/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"kind"',
  )
  await once(socket, 'connect')
  setTimeout(() => socket.destroy(), 20)
  await until(() => log.length > 0)
  t.match(log, [{ level: 30, path: '/api/events', status: 499, code: 'bad_request' }])
  t.equal(ledger.events.length, 0)
  t.equal((await post('/api/events', message(1))).status, 201)
})
