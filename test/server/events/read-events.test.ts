import { connect } from 'node:net'
import t from 'tap'
import { AppError } from '../../../src/model/app-error.js'
import type { FacetQuery } from '../../../src/model/events/event-facets.js'
import type { HistogramQuery } from '../../../src/model/events/event-histogram.js'
import type { EventQuery } from '../../../src/model/events/event-query.js'
import { until } from '../../support/until.js'
import { MemoryLedger, START } from '../memory-ledger.js'
import { message, serve } from '../serve.js'

const at = (microsecond: number) => `2031-05-04T09:00:00.${String(microsecond).padStart(6, '0')}Z`

t.test('a page contains the stored events, its checkpoint and the state of the ledger', async t => {
  const { post, request, ledger } = await serve(t)
  await post('/api/events', [message('1'), message('é 漢 😀'), message('3')])
  const { status, headers, body, text } = await request('/api/events', { headers: { 'Accept-Encoding': 'identity' } })
  t.equal(status, 200)
  t.equal(headers.get('content-type'), 'application/json')
  t.equal(headers.get('content-length'), String(Buffer.byteLength(text)))
  t.same(Object.keys(body), [
    'items',
    'count',
    'latest_captured_at',
    'next_since',
    'has_more',
    'head',
    'earliest',
    'epoch',
  ])
  t.same(body.items, [...ledger.events].reverse(), 'newest first without since')
  t.match(body, {
    count: 3,
    latest_captured_at: at(3),
    next_since: at(3),
    has_more: false,
    head: at(3),
    epoch: 'epoch-1',
  })
})

t.test('a page is compressed for readers that accept it, unless it is small', async t => {
  const { post, request } = await serve(t)
  const read = async (limit: number, accepted: string) => {
    const { headers, body } = await request(`/api/events?limit=${limit}`, { headers: { 'Accept-Encoding': accepted } })
    return { encoding: headers.get('content-encoding'), bytes: Number(headers.get('content-length')), body }
  }
  for (let batch = 0; batch < 2; batch++) {
    const messages = Array.from({ length: 250 }, (_, i) => ({
      ...message(`${batch}-${i}`),
      payload: { text: 'long '.repeat(100) },
    }))
    await post('/api/events', messages)
  }
  const plain = await read(50, 'identity')
  const short = await read(50, 'br, gzip')
  t.match(plain, { encoding: null })
  t.match(short, { encoding: 'br' })
  t.ok(short.bytes < plain.bytes / 5, `${short.bytes} of ${plain.bytes} bytes`)
  t.same(short.body, plain.body)
  const byGzip = await read(50, 'gzip')
  t.match(byGzip, { encoding: 'gzip', body: plain.body })
  t.ok(byGzip.bytes < plain.bytes / 5, `${byGzip.bytes} of ${plain.bytes} bytes`)
  t.match(await read(50, 'gzip;q=0'), { encoding: null })
  t.match(await read(1, 'gzip'), { encoding: 'gzip' })
  const { headers } = await request('/api/stats', { headers: { 'Accept-Encoding': 'gzip' } })
  t.equal(headers.get('content-encoding'), null, 'fits one packet')
})

t.test('an event has an ETag, which gives 304 until a repeat changes it', async t => {
  const { post, request } = await serve(t)
  const { body } = await post('/api/events', message(1, { payload: { text: 'long '.repeat(500) } }))
  const key = String(body.dedupe_key)
  const read = (headers: Record<string, string> = {}, method = 'GET') =>
    request(`/api/events/${encodeURIComponent(key)}`, { method, headers })
  const first = await read()
  const tag = first.headers.get('etag') ?? ''
  t.match(tag, /^W\/"[\w-]{22}"$/)
  t.match(await read({ 'Accept-Encoding': 'gzip' }), { status: 200 })
  t.equal((await read({ 'Accept-Encoding': 'identity' })).headers.get('etag'), tag, 'in every encoding')
  for (const known of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
    for (const method of ['GET', 'HEAD']) {
      const answer = await read({ 'If-None-Match': known }, method)
      t.same([answer.status, answer.text, answer.headers.get('etag')], [304, '', tag], `${method} ${known}`)
    }
  }
  for (const other of ['"other"', '', 'x', '"*"']) t.equal((await read({ 'If-None-Match': other })).status, 200, other)
  await post('/api/events', message(1, { payload: { text: 'long '.repeat(500) } }))
  const again = await read({ 'If-None-Match': tag })
  t.match(again, { status: 200, body: { seen_count: 2 } })
  t.not(again.headers.get('etag'), tag)
})

t.test('an empty ledger returns an empty page', async t => {
  const { request } = await serve(t)
  t.same((await request('/api/events')).body, {
    items: [],
    count: 0,
    latest_captured_at: null,
    next_since: null,
    has_more: false,
    head: null,
    earliest: null,
    epoch: 'epoch-1',
  })
  const since = '2031-05-04T00:00:00.000000Z'
  t.match((await request(`/api/events?since=${since}`)).body, { items: { length: 0 }, next_since: since })
})

t.test('a consumer that saves next_since reads every event once, in order, at any page size', async t => {
  const { post, request } = await serve(t)
  await post(
    '/api/events',
    Array.from({ length: 25 }, (_, i) => message(i)),
  )
  for (const limit of [1, 2, 7, 100]) {
    const seen: unknown[] = []
    let since = '2031-05-04T09:00:00Z'
    for (let more: unknown = true; more; ) {
      const { body } = await request(`/api/events?since=${since}&limit=${limit}`)
      for (const item of body.items as { subject_id: string }[]) seen.push(item.subject_id)
      since = String(body.next_since)
      more = body.has_more
    }
    t.same(
      seen,
      Array.from({ length: 25 }, (_, i) => String(i)),
      `limit ${limit}`,
    )
  }
})

t.test('every filter reaches the ledger', async t => {
  const { request, ledger } = await serve(t)
  await request(
    '/api/events?source=chat&kind=message.*&kind=push&subscription_id=s&subject_id=1&actor=Ada&target=stream:4',
  )
  await request('/api/events?verified=token&q=a+b&from=2031-05-04T09:00Z&to=2031-05-04T10:00Z&limit=7&order=asc')
  t.match(ledger.queries, [
    {
      sources: ['chat'],
      kinds: ['message.*', 'push'],
      subscriptionIds: ['s'],
      subjectId: '1',
      actors: ['Ada'],
      target: 'stream:4',
    },
    { verified: ['token'], search: ['a', 'b'], limit: 7, order: 'asc', from: Number, to: Number },
  ])
})

t.test('a refused query names the parameter', async t => {
  const { request } = await serve(t)
  const cases = [
    { search: 'limit=0', code: 'invalid_field', field: 'limit' },
    { search: 'limit=501', code: 'invalid_field', field: 'limit' },
    { search: 'since=2031-05-04T09:00:00', code: 'invalid_timestamp', field: 'since' },
    { search: 'to=2031-02-30T00:00:00Z', code: 'invalid_timestamp', field: 'to' },
    { search: 'since=2031-05-04T09:00:00+02:00', code: 'invalid_timestamp', field: 'since' },
    { search: 'colour=red', code: 'invalid_field', field: 'colour' },
  ]
  for (const { search, code, field } of cases) {
    t.match(await request(`/api/events?${search}`), { status: 400, body: { code, errors: [{ field }] } }, search)
  }
})

t.test('a histogram is returned in columns, with instants of six digits', async t => {
  const { request, ledger } = await serve(t)
  t.same((await request('/api/histogram')).body, {
    from: null,
    to: null,
    starts: [],
    counts: [],
    count: 0,
    by_source: {},
    complete: true,
    counted_from: null,
    head: null,
    epoch: 'epoch-1',
  })
  ledger.counted = {
    from: START,
    to: START + 5,
    starts: [START, START + 2, START + 4],
    counts: [null, 3, 0],
    count: 4,
    bySource: [
      { source: 'forum', count: 3, counts: [null, 2, 0] },
      { source: 'chat', count: 1, counts: [null, 1, 0] },
    ],
    countedFrom: START + 1,
    head: START + 3,
    epoch: 'epoch-1',
  }
  const { status, body } = await request('/api/histogram?buckets=3')
  t.equal(status, 200)
  t.same(body, {
    from: at(0),
    to: at(5),
    starts: [at(0), at(2), at(4)],
    counts: [null, 3, 0],
    count: 4,
    by_source: { forum: { count: 3, counts: [null, 2, 0] }, chat: { count: 1, counts: [null, 1, 0] } },
    complete: false,
    counted_from: at(1),
    head: at(3),
    epoch: 'epoch-1',
  })
})

t.test('a histogram accepts the filters and the range of a page, and the number of parts', async t => {
  const { request, ledger } = await serve(t)
  await request('/api/histogram')
  await request('/api/histogram?source=chat&source=forum&kind=message.*&actor=17&q=red&verified=none&buckets=200')
  await request('/api/histogram?since=2031-05-04T09:00:00Z&days=1&to=2031-05-04T10:00:00Z&buckets=1')
  t.same(ledger.histograms, [
    { buckets: 100 },
    {
      sources: ['chat', 'forum'],
      kinds: ['message.*'],
      actors: ['17'],
      search: ['red'],
      verified: ['none'],
      buckets: 200,
    },
    { since: START, from: START - 86_400_000_000, to: START + 3_600_000_000, buckets: 1 },
  ])
  for (const name of ['buckets=0', 'buckets=201', 'buckets=', 'limit=5', 'order=asc', 'wait=5', 'colour=red']) {
    const field = name.split('=')[0]
    t.match(await request(`/api/histogram?${name}`), { status: 400, body: { errors: [{ field }] } }, name)
  }
  t.match(await request('/api/histogram?from=2031-05-04T09:00'), {
    status: 400,
    body: { code: 'invalid_timestamp' },
  })
})

t.test('facets are lists of values, for the filters and the range of a histogram', async t => {
  const { request, ledger } = await serve(t)
  ledger.values = {
    from: START,
    to: START + 5,
    count: 3,
    countedFrom: START + 1,
    head: START + 3,
    epoch: 'epoch-1',
    values: { ...ledger.values.values, actor: [{ value: '17', count: 2 }], outcome: [{ value: 'failed', count: 1 }] },
  }
  t.same(
    await request('/api/facets?outcome=failed&exclude_kind=push&to=2031-05-04T10:00:00Z').then(({ body }) => body),
    {
      from: at(0),
      to: at(5),
      count: 3,
      complete: false,
      counted_from: at(1),
      head: at(3),
      epoch: 'epoch-1',
      facets: {
        source: [],
        kind: [],
        outcome: [{ value: 'failed', count: 1 }],
        actor: [{ value: '17', count: 2 }],
        verified: [],
        subscription_id: [],
      },
    },
  )
  t.same(ledger.facetQueries, [{ outcomes: ['failed'], excluded: { kinds: ['push'] }, to: START + 3_600_000_000 }])
  t.match(await request('/api/facets?buckets=3'), { status: 400, body: { errors: [{ field: 'buckets' }] } })
})

t.test('an event is read by its key, which may contain any character', async t => {
  const { post, request } = await serve(t)
  const keys = [
    'chat:chat.example.org:message:8812:created',
    'a/b//c',
    'a%2Fb',
    '100%',
    '😀'.repeat(512),
    'é ?&#+;=',
    'stream',
    'histogram',
    'x'.repeat(512),
    '__proto__',
  ]
  for (const key of keys) {
    t.equal((await post('/api/events', message(1, { dedupe_key: key }))).status, 201, key.slice(0, 40))
    // The keys that a fixed segment hides are reached by writing them with an escape.
    const isHidden = key === 'stream' || key === 'histogram'
    const segment = isHidden ? `%${key.charCodeAt(0).toString(16)}${key.slice(1)}` : encodeURIComponent(key)
    const { status, body } = await request(`/api/events/${segment}`)
    t.match({ status, key: body.dedupe_key }, { status: 200, key }, key.slice(0, 40))
  }
  t.match(await post('/api/events', message(1, { dedupe_key: 'x'.repeat(513) })), {
    status: 400,
    body: { errors: [{ field: '/dedupe_key' }] },
  })
})

t.test('an unknown key is 404, a key that is not percent-encoded text is 400', async t => {
  const { request, raw } = await serve(t)
  t.match(await request('/api/events/chat%3A9'), {
    status: 404,
    body: { code: 'not_found', detail: 'No event has this dedupe key.' },
  })
  t.match(await request(`/api/events/${'x'.repeat(513)}`), { status: 404 })
  for (const key of ['%zz', '%', '%ff', 'a%2']) {
    const answer = await raw(`GET /api/events/${key} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    t.match(answer, /^HTTP\/1\.1 400 [\s\S]*"invalid_path"/, key)
  }
})

t.test('a long poll is answered as soon as an event matches', async t => {
  const { post, request } = await serve(t)
  const held = request('/api/events?since=2031-05-04T09:00:00Z&wait=30&kind=message.*')
  await post('/api/events', { ...message(1), kind: 'push' })
  await post('/api/events', message(2))
  t.match(await held, { status: 200, body: { count: 1, items: [{ subject_id: '2' }] } })
})

t.test('a long poll without events is answered empty, with a checkpoint', async t => {
  const { request } = await serve(t)
  const { status, body } = await request('/api/events?since=2031-05-04T09:00:00Z&wait=1')
  t.match({ status, body }, { status: 200, body: { count: 0, next_since: '2031-05-04T09:00:00.000000Z' } })
})

t.test('a long poll is aborted when its reader leaves', async t => {
  const { url, log, ledger } = await serve(t)
  const leave = new AbortController()
  const held = fetch(`${url}/api/events?since=2031-05-04T09:00:00Z&wait=30`, { signal: leave.signal })
  await until(() => ledger.queries.length > 0)
  leave.abort()
  await t.rejects(held)
  await until(() => log.length > 0)
  t.match(log, [{ level: 30, status: 499 }])
})

const SLICED = [
  '/api/events?source=chat',
  '/api/events?q=needle',
  '/api/histogram?source=chat',
  '/api/facets?source=chat',
  '/api/events?since=2031-05-04T09:00:00Z&wait=55',
]

/** A ledger whose queries never end, unless they are cancelled. */
class EndlessLedger extends MemoryLedger {
  givenUp = 0

  override query(query: EventQuery, signal?: AbortSignal): Promise<never> {
    this.queries.push(query)
    return this.#endless(signal)
  }

  override histogram(query: Omit<HistogramQuery, 'now'>, signal?: AbortSignal): Promise<never> {
    this.histograms.push(query)
    return this.#endless(signal)
  }

  override facets(query: Omit<FacetQuery, 'now'>, signal?: AbortSignal): Promise<never> {
    this.facetQueries.push(query)
    return this.#endless(signal)
  }

  get inProgress(): number {
    return this.queries.length + this.histograms.length + this.facetQueries.length
  }

  #endless(signal: AbortSignal | undefined): Promise<never> {
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => {
        this.givenUp++
        reject(signal.reason)
      })
    })
  }
}

t.test('a query is aborted soon after the connection of its reader is closed', async t => {
  const abandoned = SLICED.map(async path => {
    const ledger = new EndlessLedger()
    const { port } = await serve(t, { ledger })
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await until(() => ledger.inProgress === 1)
    socket.destroy()
    const left = performance.now()
    await until(() => ledger.givenUp === 1)
    t.ok(performance.now() - left < 20_000, path)
  })
  await Promise.all(abandoned)
})

t.test('queries that wait on a connection are aborted when it is closed', async t => {
  const ledger = new EndlessLedger()
  const { port } = await serve(t, { ledger })
  const socket = connect(port, '127.0.0.1')
  const searches = 20
  socket.write('GET /api/events?q=needle HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(searches))
  await until(() => ledger.inProgress === searches)
  socket.destroy()
  await until(() => ledger.givenUp === searches)
  t.pass()
})

t.test('a stopping server answers a long poll with the available events', async t => {
  const { request, ledger, close } = await serve(t)
  const held = request('/api/events?since=2031-05-04T09:00:00Z&wait=30')
  await until(() => ledger.queries.length > 0)
  await close()
  t.match(await held, { status: 200, body: { count: 0 } })
})

t.test('a failure of the store is 503, and a defect is 500 and contains only its request id', async t => {
  const { request, ledger, log } = await serve(t)
  ledger.failure = new AppError('unavailable', 'store_failed', 'The database does not answer.')
  t.match(await request('/api/events'), { status: 503, body: { code: 'store_failed' } })
  ledger.failure = new TypeError('cannot read "secret" of undefined')
  const { status, text, body, headers } = await request('/api/events?q=hunter2')
  t.equal(status, 500)
  t.match(body, { code: 'internal', request_id: headers.get('x-request-id') })
  t.notMatch(text, /secret|TypeError|at /)
  await until(() => log.length > 1)
  t.match(log[1], { level: 50, request_id: body.request_id, path: '/api/events', err: { stack: /TypeError/ } })
  t.notMatch(JSON.stringify(log), /hunter2/, 'no query string in the log')
})

t.test('the story of an event is read by its percent-encoded key; an unknown key answers 404', async t => {
  const { request, post } = await serve(t)
  await post('/api/events', message(1, { dedupe_key: 'a/b:c' }))
  t.match(await request('/api/events/a%2Fb%3Ac/story'), {
    status: 200,
    body: { items: [{ event: { dedupe_key: 'a/b:c' }, facts: { length: 0 } }], count: 1, complete: true },
  })
  t.match(await request('/api/events/none/story'), { status: 404, body: { code: 'not_found' } })
})
