import { connect, type Socket } from 'node:net'
import type { Test } from 'tap'
import t from 'tap'
import type { Accounts } from '../../../src/accounts/accounts.js'
import type { Identity } from '../../../src/accounts/identity.js'
import { AppError } from '../../../src/model/app-error.js'
import { until } from '../../support/until.js'
import { START } from '../memory-ledger.js'
import { OPEN_ACCOUNTS } from '../open-accounts.js'
import { message, record, type Served, serve } from '../serve.js'

const at = (microsecond: number) => `2031-05-04T09:00:00.${String(microsecond).padStart(6, '0')}Z`

interface Message {
  event: string
  id: string
  data: Record<string, unknown>
}

interface Reader {
  response: Response
  messages: Message[]
  /** How many comment lines came. */
  comments(): number
  /** Whether the server has ended the stream. */
  ended(): boolean
  leave(): void
}

/** Reads a stream as a browser would, and leaves when the test ends. */
async function follow(t: Test, served: Served, search = '', headers: Record<string, string> = {}): Promise<Reader> {
  const left = new AbortController()
  t.teardown(() => left.abort())
  const response = await fetch(`${served.url}/api/stream${search}`, { headers, signal: left.signal })
  const messages: Message[] = []
  let comments = 0
  let ended = false
  const read = async () => {
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        if (block.startsWith(':')) comments += 1
        else messages.push(toMessage(block))
      }
    }
    ended = true
  }
  read().catch(() => left.signal.aborted)
  return { response, messages, comments: () => comments, ended: () => ended, leave: () => left.abort() }
}

function toMessage(block: string): Message {
  const fields = new Map(
    block.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
  return {
    event: fields.get('event') ?? 'message',
    id: fields.get('id') ?? '',
    data: JSON.parse(fields.get('data') ?? 'null'),
  }
}

t.test('without a start, a stream begins now, and reports its start', async t => {
  const served = await serve(t)
  await served.post('/api/events', [message(1), message(2)])
  const reader = await follow(t, served)
  t.equal(reader.response.headers.get('content-type'), 'text/event-stream')
  t.equal(reader.response.headers.get('cache-control'), 'no-store')
  await until(() => reader.messages.length === 1)
  t.same(reader.messages[0], { event: 'checkpoint', id: at(2), data: { next_since: at(2) } })
  await served.post('/api/events', message(3, { payload: { text: 'line\nbreak \u2028 é 漢' } }))
  await until(() => reader.messages.length === 2)
  t.same(reader.messages[1], { event: 'message', id: at(3), data: served.ledger.events[2] })
})

t.test('a stream of an empty ledger begins with its first event', async t => {
  const served = await serve(t)
  const reader = await follow(t, served)
  await served.post('/api/events', message(1))
  await until(() => reader.messages.length === 2)
  t.match(reader.messages, [{ event: 'checkpoint', id: '1970-01-01T00:00:00.000000Z' }, { id: at(1) }])
})

t.test('a reader resumes after its last id, which takes precedence over since', async t => {
  const served = await serve(t)
  await served.post('/api/events', [message(1), message(2), message(3)])
  const since = await follow(t, served, `?since=${at(1)}`)
  await until(() => since.messages.length === 3)
  t.same(
    since.messages.map(({ id }) => id),
    [at(1), at(2), at(3)],
  )
  const resumed = await follow(t, served, `?since=${at(1)}`, { 'last-event-id': at(2) })
  await until(() => resumed.messages.length === 2)
  t.same(
    resumed.messages.map(({ id }) => id),
    [at(2), at(3)],
  )
})

t.test('a stream may begin at a time after the newest event', async t => {
  const twoDays = 2 * 86_400_000_000
  const served = await serve(t, { now: () => START + twoDays })
  await served.post('/api/events', message(1))
  const reader = await follow(t, served, '?days=1')
  t.equal(reader.response.status, 200)
  await until(() => reader.messages.length === 1)
  t.match(reader.messages, [{ event: 'checkpoint', id: at(1) }])
  const early = await follow(t, served, `?from=${at(2)}`)
  const late = await follow(t, served, `?from=${at(3)}`)
  await until(() => early.messages.length === 1 && late.messages.length === 1)
  await served.post('/api/events', [message(2), message(3)])
  await until(() => early.messages.length === 3 && late.messages.length === 2)
  t.match(early.messages, [{ event: 'checkpoint' }, { id: at(2) }, { id: at(3) }])
  t.match(late.messages, [{ event: 'checkpoint' }, { id: at(3) }])
})

t.test('a reader that reconnects repeatedly receives every event once and in order', async t => {
  const served = await serve(t)
  const seen: string[] = []
  let lastId = '2031-05-04T09:00:00Z'
  const write = async () => {
    for (let i = 0; i < 60; i++) await served.post('/api/events', message(i))
  }
  const written = write()
  while (seen.length < 60) {
    const reader = await follow(t, served, '', { 'last-event-id': lastId })
    await until(() => reader.messages.length > 3 || seen.length + reader.messages.length > 60)
    reader.leave()
    for (const { event, id, data } of reader.messages) {
      lastId = id
      if (event === 'message') seen.push(String(data.subject_id))
    }
  }
  await written
  t.same(
    seen,
    Array.from({ length: 60 }, (_, i) => String(i)),
  )
})

t.test('a stream delivers more than a page completely', async t => {
  const served = await serve(t)
  await served.post(
    '/api/events',
    Array.from({ length: 450 }, (_, i) => message(i, { payload: { text: 'x'.repeat(900) } })),
  )
  const reader = await follow(t, served, '?days=1')
  await until(() => reader.messages.length === 451)
  t.same(
    reader.messages.slice(1).map(({ data }) => data.subject_id),
    Array.from({ length: 450 }, (_, i) => String(i)),
  )
})

t.test('filters apply, and the checkpoint advances over events that do not match', async t => {
  const served = await serve(t, { streamTimes: { heartbeatMs: 30, drainMs: 5_000 } })
  const reader = await follow(t, served, '?kind=reply.*')
  await until(() => reader.comments() > 1)
  await served.post('/api/events', { ...message(1), kind: 'reply.created' })
  await served.post('/api/events', message(2))
  await until(() => reader.messages.length === 3)
  t.match(reader.messages.slice(1), [
    { event: 'message', id: at(1) },
    { event: 'checkpoint', id: at(2), data: { next_since: at(2) } },
  ])
})

t.test('an invalid stream request is refused before it begins', async t => {
  const { request } = await serve(t)
  t.match(await request('/api/stream?limit=5'), { status: 400, body: { errors: [{ field: 'limit' }] } })
  t.match(await request('/api/stream?since=now'), { status: 400, body: { code: 'invalid_timestamp' } })
  t.match(await request('/api/stream', { headers: { 'last-event-id': '7' } }), {
    status: 400,
    body: { errors: [{ field: 'Last-Event-ID' }] },
  })
})

t.test('HEAD of a stream returns only its headers', async t => {
  const { request } = await serve(t)
  const { status, headers, text } = await request('/api/stream', { method: 'HEAD' })
  t.match({ status, type: headers.get('content-type'), text }, { status: 200, type: 'text/event-stream', text: '' })
})

t.test('a stream ends when the server stops', async t => {
  const served = await serve(t)
  const reader = await follow(t, served)
  await until(() => reader.messages.length === 1)
  await served.close()
  await until(() => reader.ended())
})

t.test(
  'a stream ends soon after its reader loses the right to read, but not while the accounts cannot be read',
  async t => {
    let identify: Accounts['identify'] = async () => ({ kind: 'open' })
    let asked = 0
    const accounts: Accounts = {
      ...OPEN_ACCOUNTS,
      identify: shown => {
        asked += 1
        return identify(shown)
      },
    }
    const served = await serve(t, { accounts, streamTimes: { heartbeatMs: 10, drainMs: 5_000 } })
    const reader = await follow(t, served)
    identify = () => Promise.reject(new AppError('unavailable', 'store_locked', 'Locked.'))
    const from = asked
    await until(() => asked >= from + 3)
    t.notOk(reader.ended())
    identify = async () => ({ kind: 'anonymous' })
    await until(() => reader.ended())
    t.equal((await served.request('/api/stream')).status, 401)
  },
)

t.test('a reader whose login has ended receives no more events, by stream or by long poll', async t => {
  let identity: Identity = { kind: 'open' }
  const accounts: Accounts = { ...OPEN_ACCOUNTS, identify: async () => identity }
  const served = await serve(t, { accounts, streamTimes: { heartbeatMs: 60_000, drainMs: 5_000 } })
  const reader = await follow(t, served)
  await until(() => reader.messages.length === 1)
  const waiting = served.request(`/api/events?since=${reader.messages[0]?.id}&wait=20`)
  const asked = served.ledger.queries.length
  await until(() => served.ledger.queries.length > asked)
  identity = { kind: 'anonymous' }
  await served.post('/api/events', message(1))
  t.match(await waiting, { status: 401, body: { code: 'unauthenticated' } })
  await until(() => reader.ended())
  t.equal(reader.messages.length, 1)
})

t.test('a failure of the store ends the stream, and a reader can reconnect', async t => {
  const served = await serve(t)
  const reader = await follow(t, served)
  await until(() => reader.messages.length === 1)
  await served.post('/api/events', message(1))
  await until(() => reader.messages.length === 2)
  served.ledger.failure = new Error('broken')
  served.ledger.announce()
  await until(() => reader.ended() && served.log.length > 1)
  t.match(served.log.at(-1), { level: 50, err: { message: 'broken' } })
})

t.test('a reader that reads nothing is disconnected without buffering, and its checkpoint stays valid', async t => {
  const served = await serve(t, { streamTimes: { heartbeatMs: 20, drainMs: 200 } })
  const socket = await connectPaused(served.port, '/api/stream')
  t.teardown(() => socket.destroy())
  const big = 'x'.repeat(500_000)
  for (let i = 0; i < 60; i++) {
    await record(served.ledger, [message(i, { payload: { text: big } })])
    await new Promise(setImmediate) // the stream sends it
  }
  const pages = () => served.ledger.queries.length
  await until(() => served.log.some(line => line.path === '/api/stream'))

  const text = await readAll(socket)
  const ids = [...text.matchAll(/^id: (\S+)\ndata: /gm)].map(([, id]) => id)
  t.same(
    ids,
    ids.map((_, i) => at(i + 1)),
    'what it was sent is in order and without gaps',
  )
  t.ok(ids.length < 60, 'it was not sent everything')
  t.ok(pages() < ids.length + 5, 'nothing was read for it that it did not take')
})

t.test('a slow reader that resumes in time receives its checkpoint before the stream ends', async t => {
  // The same time again is left for the farewell: only a test that does not run at all misses it.
  const served = await serve(t, { streamTimes: { heartbeatMs: 60_000, drainMs: 3_000 } })
  const letGo = untilFollowEnds(served)
  const socket = await connectPaused(served.port, '/api/stream')
  t.teardown(() => socket.destroy())
  const payload = { text: 'x'.repeat(500_000) }
  await record(
    served.ledger,
    Array.from({ length: 60 }, (_, i) => message(i, { payload })),
  )
  await letGo
  const text = await readAll(socket)
  const ids = [...text.matchAll(/^id: (\S+)\ndata: /gm)].map(([, id]) => id)
  const dropped = /id: (\S+)\nevent: dropped\ndata: \{"next_since":"(\S+)"\}\n\n/.exec(text)
  t.ok(ids.length > 0 && ids.length < 60)
  t.same([dropped?.[1], dropped?.[2]], [ids.at(-1), ids.at(-1)], 'the checkpoint is the last event it was sent')
})

/** Resolves once the next stream no longer follows the ledger. */
function untilFollowEnds({ ledger }: Served): Promise<unknown> {
  const follow = ledger.follow.bind(ledger)
  return new Promise(resolve => {
    ledger.follow = (query, signal) => {
      signal.addEventListener('abort', resolve)
      return follow(query, signal)
    }
  })
}

/** Records an event beyond what the API takes, as a webhook brings it. */
function recordLarge({ ledger }: Served, subjectId: string, characters: number) {
  const provenance = { route: 'webhook', verified: 'none' } as const
  return record(ledger, [message(subjectId, { payload: { text: 'x'.repeat(characters) } })], provenance)
}

t.test('a large event arrives complete, between others', async t => {
  const served = await serve(t, { streamTimes: { heartbeatMs: 1, drainMs: 5_000 } })
  const reader = await follow(t, served)
  await served.post('/api/events', message(1))
  await recordLarge(served, '2', 3_000_000)
  await served.post('/api/events', message(3))
  const events = () => reader.messages.filter(({ event }) => event === 'message')
  await until(() => events().length === 3)
  t.match(events(), [
    { id: at(1), data: { subject_id: '1' } },
    { id: at(2), data: { subject_id: '2', payload: { text: /^x{1000}/ } } },
    { id: at(3), data: { subject_id: '3' } },
  ])
})

t.test('a reader that stops within a large event is disconnected, and its checkpoint stays valid', async t => {
  const served = await serve(t, { streamTimes: { heartbeatMs: 1_000, drainMs: 100 } })
  const socket = await connectPaused(served.port, '/api/stream')
  t.teardown(() => socket.destroy())
  await served.post('/api/events', message(1))
  await recordLarge(served, '2', 20_000_000)
  await until(() => served.log.some(line => line.path === '/api/stream'))
  const text = await readAll(socket)
  const whole = text.split('\n\n').slice(0, -1)
  t.match(whole.at(-1), new RegExp(`^(?:[0-9a-f]+\r\n)?id: ${at(1)}\\ndata: `), 'the small one is whole')
  t.notMatch(text, /event: dropped/)
})

/** A reader that does not read until it is resumed. */
async function connectPaused(port: number, path: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  await new Promise(resolve => socket.once('data', resolve))
  socket.pause()
  return socket
}

async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', chunk => chunks.push(chunk))
  socket.on('error', () => socket.destroy())
  socket.resume()
  await new Promise(resolve => socket.once('close', resolve))
  return Buffer.concat(chunks).toString()
}
