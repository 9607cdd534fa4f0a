import t from 'tap'
import { consume } from '../../src/client/consume/consume.js'
import { ledgerCalls } from '../../src/client/consume/ledger-calls.js'
import { LedgerClient } from '../../src/client/ledger-client.js'
import type { ConsumerCalls } from '../../src/client/library/consumer-reader.js'
import { consumerCalls } from '../../src/client/library/fetch-calls.js'
import { type ConsumeOptions, Daybook, LedgerError, type LedgerEvent, NotNow } from '../../src/client/library/index.js'
import { runConsumer } from '../../src/client/library/run-consumer.js'
import { message, type Served } from '../server/serve.js'
import { problem, standIn } from './stand-in.js'
import { openServed, restoredCopy, switchableLedger } from './switchable-ledger.js'

const QUIET = { report: () => {} }
const pages = (items: { subject_id: string }[]) => items.map(({ subject_id }) => subject_id)

t.test('a consumer receives each event once, in order, and continues after its checkpoint', async t => {
  const { url, record } = await openServed(t)
  await record(1, 2, 3)
  const daybook = new Daybook({ url: `${url}/` })
  const got: string[] = []
  const handle = ({ subject_id }: { subject_id: string }) => got.push(subject_id)
  await daybook.consume('mail', { handle, from: 'beginning', once: true })
  await record(4, 5)
  await daybook.consume('mail', { handle, once: true })
  t.same(got, ['1', '2', '3', '4', '5'])
  const sizes: number[] = []
  const handleBatch = (events: readonly unknown[]) => sizes.push(events.length)
  await daybook.consume('sum', { handleBatch, batchSize: 3, from: 'beginning', once: true })
  t.same(sizes, [3, 2])
  const filters = { subject_id: '4' }
  await daybook.consume('four', { handle, filters, from: 'beginning', once: true })
  t.same(got.slice(5), ['4'])
})

t.test(
  'a failing event becomes a dead letter or ends the consumer, and a failure outside the event does neither',
  async t => {
    const { url, record, request } = await openServed(t)
    await record(1, 2, 3)
    const daybook = new Daybook({ url })
    const got: string[] = []
    let isAway = true
    const handle = ({ subject_id }: { subject_id: string }) => {
      if (subject_id === '1' && isAway) {
        isAway = false
        throw new NotNow('the database is away', 1)
      }
      if (subject_id === '2') throw new Error(`${'x'.repeat(9_000)} no such user`)
      got.push(subject_id)
    }
    const options = { handle, retries: 0, once: true, from: 'beginning', ...QUIET }
    await t.rejects(daybook.consume('strict', { ...options, key: 'all' }), { message: /no such user$/ })
    t.same(got, ['1'])
    t.match((await request('/api/consumers/strict')).body, {
      last_error: /no such user$/,
      leased_until: null,
      lag: { events: 2 },
    })
    await daybook.consume('strict', { ...options, onFailure: 'dead-letter' })
    t.same(got, ['1', '3'])
    t.match((await request('/api/consumers/strict/dead-letters')).body, {
      items: [{ dedupe_key: /2$/, attempts: 1, error: /no such user$/ }],
    })
  },
)

/** Both transports of the one loop. */
const TRANSPORTS: Record<string, (url: string) => ConsumerCalls> = {
  fetch: url => consumerCalls({ url }, 'work'),
  command: url => ledgerCalls(new LedgerClient({ apiUrl: url }), 'work'),
}

for (const [transport, callsOf] of Object.entries(TRANSPORTS)) {
  t.test(`a consumer waits through an outage of an hour, reports it once, and continues (${transport})`, async t => {
    const { url, show } = await switchableLedger(t)
    const { handler, record } = await openServed(t)
    show(handler)
    await record(1, 2, 3)
    const ending = new AbortController()
    const [got, said, waits]: [string[], string[], number[]] = [[], [], []]
    await runConsumer({
      calls: callsOf(url),
      create: { position: 'beginning' },
      limit: 2,
      leaseSeconds: 15,
      once: false,
      signal: ending.signal,
      concurrency: 1,
      unit: 1,
      retries: 0,
      onFailure: 'stop',
      keyOf: () => '',
      report: sentence => said.push(sentence),
      random: () => 1,
      sleep: async milliseconds => {
        waits.push(milliseconds)
        if (waits.reduce((sum, wait) => sum + wait) > 3_600_000) show(handler)
      },
      handle: async ([event]) => {
        got.push(event?.subject_id ?? '')
        if (got.length === 1) show(undefined)
        if (got.length === 3) ending.abort()
      },
    })
    t.same(got, ['1', '2', '3'])
    t.match(said, [/^(No server answers|The connection).*Waiting\.$/, 'Continuing.'])
    t.equal(said.length, 2)
    t.same(waits.slice(0, 7), [250, 500, 1_000, 2_000, 4_000, 8_000, 10_000])
  })

  t.test(`a consumer that is deleted while it runs is created again with its filters (${transport})`, async t => {
    const { url, record, post, request } = await openServed(t)
    const calls = callsOf(url)
    const ending = new AbortController()
    const filters = { kind: ['message.created'] }
    await calls.save({ filters, position: 'beginning' }, ending.signal)
    await record(1, 2)
    const got: string[] = []
    await runConsumer({
      calls,
      create: { position: 'now' },
      limit: 1,
      leaseSeconds: 15,
      once: false,
      ...QUIET,
      signal: ending.signal,
      concurrency: 1,
      unit: 1,
      retries: 0,
      onFailure: 'stop',
      keyOf: () => '',
      handle: async ([event]) => {
        got.push(event?.subject_id ?? '')
        if (got.length === 4) ending.abort()
        if (got.length !== 2) return
        await request('/api/consumers/work', { method: 'DELETE' })
        await post('/api/events', { ...message(3), kind: 'message.deleted' })
        await record(4)
      },
    })
    t.same(got, ['1', '2', '2', '4'])
    t.match((await request('/api/consumers/work')).body, { filters })
  })

  t.test(`a consumer waits as long as a busy server asks (${transport})`, async t => {
    const busy = { ...problem(503, 'busy'), headers: { 'retry-after': '30' } }
    const answers = [busy, problem(429, 'throttled'), problem(401, 'unauthenticated')]
    const { url } = await standIn(t, () => answers.shift() ?? {})
    const waits: number[] = []
    const running = runConsumer({
      calls: callsOf(url),
      create: {},
      limit: 2,
      leaseSeconds: 15,
      once: false,
      ...QUIET,
      signal: new AbortController().signal,
      concurrency: 1,
      unit: 1,
      retries: 0,
      onFailure: 'stop',
      keyOf: () => '',
      random: () => 1,
      sleep: async milliseconds => void waits.push(milliseconds),
      handle: async () => {},
    })
    await t.rejects(running, { code: 'unauthenticated' })
    t.same(waits, [30_000, 500])
  })
}

t.test('a consumer continues at the position of a restored ledger, or stops if it is configured to', async t => {
  const { url, show } = await switchableLedger(t)
  const before = await openServed(t)
  show(before.handler)
  await before.record(1, 2)
  const daybook = new Daybook({ url })
  const got: string[] = []
  const said: string[] = []
  let wake = () => {}
  const reached = async (count: number) => {
    while (got.length < count)
      await new Promise<void>(resolve => {
        wake = resolve
      })
  }
  const ending = new AbortController()
  const handle = ({ subject_id }: { subject_id: string }) => {
    got.push(subject_id)
    wake()
  }
  const options = {
    handle,
    from: 'beginning',
    signal: ending.signal,
    report: (sentence: string) => said.push(sentence),
  }
  const running = daybook.consume('work', options)
  await reached(2)
  // Both: a batch that takes longer than a second is acknowledged in parts.
  const lag = async () => (await before.request('/api/consumers/work')).body.lag as { events: number }
  while ((await lag()).events > 0) {}
  const copy = await restoredCopy(t, before.store)
  await before.record(3)
  await reached(3)
  const restored = await openServed(t, copy)
  await restored.record(4, 5)
  await t.rejects(new Daybook({ url: restored.url }).consume('work', { ...options, once: true, onRestore: 'stop' }), {
    code: 'epoch_changed',
  })
  const plan = {
    from: 'now',
    once: true,
    unit: 1,
    concurrency: 1,
    key: 'subject',
    retries: 0,
    onFailure: 'stop',
  } as const
  const command = consume(
    new LedgerClient({ apiUrl: restored.url }),
    { ...plan, name: 'work', onRestore: 'stop' },
    {
      work: { kind: 'print', print: async () => void t.fail('the position is not chosen') },
      signal: ending.signal,
      report: () => {},
    },
  )
  await t.rejects(command, { code: 'epoch_changed' })
  show(restored.handler)
  await reached(5)
  ending.abort()
  await running
  t.same(got, ['1', '2', '3', '4', '5'])
  const restores = said.filter(sentence => /restored or replaced\. Continuing at the checkpoint/.test(sentence))
  t.equal(restores.length, 1)
})

t.test('a consumer behind removed events reports the gap, and a new consumer has none', async t => {
  const { url, record, ledger, request } = await openServed(t)
  await record(1, 2, 3)
  const daybook = new Daybook({ url })
  const got: string[] = []
  const said: string[] = []
  const handle = ({ subject_id }: { subject_id: string }) => got.push(subject_id)
  const options = { handle, from: 'beginning', once: true, report: (sentence: string) => said.push(sentence) }
  await daybook.consume('first', { ...options, filters: { subject_id: '1' } })
  await request('/api/consumers/first/seek', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ since: await capturedAt(request, '1') }),
  })
  const through = await capturedAt(request, '2')
  await ledger.erasures.prune(toMicros(through), { reason: 'old', by: 'test', count: 2 })
  t.match(await request('/api/consumers/first/events'), { status: 410, body: { code: 'pruned', next_since: through } })
  await daybook.consume('first', { ...options, filters: { kind: 'message.created' } })
  t.same(got, ['1', '3'])
  t.match(said, [/^The ledger has removed events after the checkpoint .* Continuing after them\.$/])
  await daybook.consume('second', { ...options, filters: { kind: 'message.created' } })
  t.same([got.slice(2), said.length], [['3'], 1])
})

t.test('a retried dead letter whose event was removed is reported before it is deleted', async t => {
  const { url, record, ledger, request, post } = await openServed(t)
  await record(1, 2)
  const daybook = new Daybook({ url })
  const said: string[] = []
  const failing = () => {
    throw new Error('no such user')
  }
  const options = { retries: 0, once: true, report: (sentence: string) => said.push(sentence) }
  await daybook.consume('work', { ...options, handle: failing, from: 'beginning', onFailure: 'dead-letter' })
  const path = '/api/consumers/work/dead-letters'
  const letters = (await request(path)).body.items as { id: number }[]
  const through = toMicros(await capturedAt(request, '2'))
  await ledger.erasures.prune(through, { reason: 'old', by: 'test', count: 2 })
  await post(`${path}/retry`, '')
  await daybook.consume('work', { ...options, handle: () => {} })
  t.equal(letters.length, 2)
  t.same(
    said,
    letters.map(({ id }) => `The event of dead letter ${id} was removed.`),
  )
  t.match((await request(path)).body, { count: 0 })
})

t.test('a standby instance takes over, and only one works at a time', async t => {
  const { url, record } = await openServed(t)
  await record(1)
  const got: string[] = []
  const instance = (name: string) => {
    const ending = new AbortController()
    let begun = () => {}
    const first = new Promise<void>(resolve => {
      begun = resolve
    })
    const handle = ({ subject_id }: { subject_id: string }) => {
      got.push(`${name}${subject_id}`)
      begun()
    }
    const options = { handle, from: 'beginning', signal: ending.signal, report: () => {} }
    return { ending, first, ended: new Daybook({ url }).consume('work', options) }
  }
  const one = instance('a')
  await one.first
  const two = instance('b')
  await record(2)
  while (got.length < 2) await new Promise(resolve => setTimeout(resolve, 5))
  one.ending.abort()
  await one.ended
  await record(3)
  await two.first
  two.ending.abort()
  await two.ended
  t.same(got, ['a1', 'a2', 'b3'])
})

t.test('following works without a consumer name, and waits for the server', async t => {
  const { url, show } = await switchableLedger(t)
  const { handler, record, request } = await openServed(t)
  await record(1, 2)
  const since = await capturedAt(request, '1')
  show(handler)
  const got: string[] = []
  const said: string[] = []
  for await (const { items, nextSince } of new Daybook({ url }).follow(
    { source: 'api' },
    { since, report: sentence => said.push(sentence) },
  )) {
    got.push(...pages(items))
    t.equal(nextSince, items.at(-1)?.captured_at)
    if (got.length === 2) break
    show(undefined)
    await record(3)
    setTimeout(show, 100, handler)
  }
  t.same(got, ['2', '3'])
  t.match(said, [/Waiting\.$/, 'Continuing.'])
})

t.test('a function may change its events: each comes once, and is acknowledged', async t => {
  const { url, record, request } = await openServed(t)
  await record(1, 2, 3)
  const got: unknown[] = []
  const handle = (event: LedgerEvent) => {
    got.push(event.subject_id)
    for (const member of Object.keys(event)) Reflect.deleteProperty(event, member)
    if (got.length === 2) throw new Error('broken')
  }
  const options = { handle, from: 'beginning', once: true, key: () => 'one', retries: 0 } as const
  await new Daybook({ url }).consume('mail', { ...options, onFailure: 'dead-letter' })
  t.same(got, ['1', '2', '3'])
  t.match((await request('/api/consumers/mail/dead-letters')).body, { items: [{ dedupe_key: /2$/ }] })
})

t.test('a key function that fails ends the consumer, which shows why, and another instance need not wait', async t => {
  const { url, record, request } = await openServed(t)
  await record(1)
  const daybook = new Daybook({ url })
  const key = (event: LedgerEvent) => String(Reflect.get(event.missing as object, 'id'))
  const options = { handle: () => {}, from: 'beginning', once: true, ...QUIET } as const
  await t.rejects(daybook.consume('mail', { ...options, key }), { name: 'TypeError' })
  t.match((await request('/api/consumers/mail')).body, { last_error: /called on non-object$/, leased_until: null })
  const got: unknown[] = []
  await daybook.consume('mail', { ...options, handle: event => got.push(event) })
  t.equal(got.length, 1)
})

t.test('a server that is not a ledger, or refuses, causes an error with a code', async t => {
  const { url } = await standIn(t, () => ({ body: { items: 1 } }))
  const ending = new AbortController()
  const report = (sentence: string) => {
    t.equal(sentence, 'The answer is not a batch of events. Check the address. Waiting.')
    ending.abort()
  }
  await new Daybook({ url }).consume('x', { handle: () => {}, report, signal: ending.signal })
  const refusing = await standIn(t, ({ headers }) =>
    problem(headers.authorization === 'Bearer tok_1' ? 403 : 401, 'no'),
  )
  const consume = (token?: string) =>
    new Daybook({ url: refusing.url, token }).consume('x', { handle: () => {}, ...QUIET })
  await t.rejects(consume('tok_1'), new LedgerError('no', 'Because of no.', { status: 403 }))
  await t.rejects(consume(), new LedgerError('no', 'Because of no.', { status: 401 }))
})

t.test('a deleted consumer with unknown filters is not created again', async t => {
  const answers = [{ body: {} }, problem(404, 'not_found')]
  const { url } = await standIn(t, () => answers.shift() ?? problem(403, 'created_again'))
  await t.rejects(new Daybook({ url }).consume('x', { handle: () => {}, ...QUIET }), { code: 'not_found' })
})

t.test('an invalid option is reported before any request', async t => {
  const { url, arrived } = await standIn(t, () => problem(403, 'asked'))
  const handle = () => {}
  const cases: [string, object][] = [
    ['handle', { handle: undefined }],
    ['handleBatch', { handleBatch: handle }],
    ['batchSize', { batchSize: 0 }],
    ['batchSize', { batchSize: 2.5 }],
    ['concurrency', { concurrency: 0 }],
    ['retries', { retries: Number.NaN }],
    ['key', { key: 'toString' }],
    ['onFailure', { onFailure: 'continue' }],
    ['onRestore', { onRestore: 'dead-letter' }],
  ]
  for (const [name, options] of cases) {
    const running = new Daybook({ url }).consume('x', { handle, ...options, ...QUIET } as ConsumeOptions)
    await t.rejects(running, { name: 'TypeError', message: new RegExp(`\\b${name}\\b`) })
  }
  t.same(arrived, [])
})

t.test('an address or a token that no request can have is refused, and the token is not shown', async t => {
  const url = 'http://127.0.0.1:8765'
  for (const wrong of [
    '',
    'localhost:8765',
    '127.0.0.1:8765',
    'ftp://host',
    'http://me@host',
    `${url}/?a=1`,
    `${url}#a`,
  ]) {
    t.throws(() => new Daybook({ url: wrong }), { name: 'TypeError', message: /^url must / }, wrong)
  }
  for (const token of ['tok_…', 'tok_1\ntok_2', 'tok_1 2']) {
    t.throws(() => new Daybook({ url, token }), { name: 'TypeError', message: /^token must [^_]+$/ }, token)
  }
})

t.test('the line break after a token in a file, and a slash after an address, are not sent', async t => {
  const { url, arrived } = await standIn(t, () => problem(403, 'asked'))
  const daybook = new Daybook({ url: `${url}/ledger/`, token: 'tok_1\n' })
  await t.rejects(daybook.consume('x', { handle: () => {}, ...QUIET }), { code: 'asked' })
  t.match(arrived, [{ url: '/ledger/api/consumers/x', headers: { authorization: 'Bearer tok_1' } }])
})

function toMicros(instant: string): number {
  return Date.parse(instant) * 1000 + Number(instant.slice(23, 26))
}

async function capturedAt(request: Served['request'], subject: string): Promise<string> {
  const { body } = await request(`/api/events?subject_id=${subject}`)
  return (body.items as { captured_at: string }[])[0]?.captured_at ?? ''
}
