import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import pino from 'pino'
import t, { type Test } from 'tap'
import { type ConnectionLimits, connectionLimits } from '../../../src/server/http/connection-limits.js'
import type { HttpRequest } from '../../../src/server/http/route.js'
import { ShedReport } from '../../../src/server/http/shed-report.js'
import { StreamLimits } from '../../../src/server/http/stream-limits.js'
import { until } from '../../support/until.js'
import { message, type Served, type ServeOptions, serve } from '../serve.js'

const LIMITS: ConnectionLimits = { connections: 100, held: 100, heldByCaller: 100, heldByAddress: 100 }

function serveFew(t: Test, limits: Partial<ConnectionLimits>, options: ServeOptions = {}): Promise<Served> {
  return serve(t, { ...options, limits: { ...LIMITS, ...limits } })
}

interface Client {
  socket: Socket
  received: () => string
  isClosed: () => boolean
}

/** Opens a connection and sends what is given, if anything. */
async function open(t: Test, { port }: Served, ...lines: string[]): Promise<Client> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  let isClosed = false
  socket.on('data', chunk => {
    text += chunk
  })
  // One that is closed by the server may break while it sends.
  socket.on('error', () => socket.destroy())
  socket.once('close', () => {
    isClosed = true
  })
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  if (lines.length > 0) socket.write(lines.join('\r\n'))
  return { socket, received: () => text, isClosed: () => isClosed }
}

const STREAM = ['GET /api/stream HTTP/1.1', 'Host: localhost', '', '']
const POLL = ['GET /api/events?wait=30&since=1970-01-01T00:00:00Z HTTP/1.1', 'Host: localhost', '', '']
const HEALTH = ['GET /api/health HTTP/1.1', 'Host: localhost', '', '']
const HALF_A_BODY = [
  ...['POST /api/events HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', 'Content-Length: 100'],
  ...['Expect: 100-continue', '', '{'],
]

async function openStream(t: Test, served: Served): Promise<Client> {
  const stream = await open(t, served, ...STREAM)
  await until(() => stream.received().includes('event: checkpoint'))
  return stream
}

/** Number of connections with a use, or closed for a reason. */
async function metric(served: Served, name: string): Promise<number> {
  const { text } = await served.request('/metrics', { headers: { connection: 'close' } })
  const line = text.split('\n').find(line => line.startsWith(name))
  return Number(line?.slice(name.length) ?? 0)
}

const shed = (served: Served, reason: string) => metric(served, `daybook_connections_shed_total{reason="${reason}"}`)
const used = (served: Served, use: string) => metric(served, `daybook_connections{use="${use}"}`)

t.test(
  'a stream or a long poll beyond the limit is 503 and its connection closes, until a place is free again',
  async t => {
    const served = await serveFew(t, { held: 2 })
    const stream = await openStream(t, served)
    const poll = await open(t, served, ...POLL)
    await until(async () => (await used(served, 'held')) === 2)
    for (const request of [STREAM, POLL]) {
      const answer = await served.raw(request.join('\r\n'))
      t.match(answer, /^HTTP\/1\.1 503 /)
      t.match(answer, /\r\nRetry-After: 5\r\n/)
      t.match(answer, /\r\nConnection: close\r\n/i)
      t.match(answer, /"code":"busy"/)
    }
    t.equal(await shed(served, 'held_limit'), 2)
    const lines = served.log.filter(line => Number(line.level) > 20)
    t.match(lines, [{ level: 40, shed: { held_limit: 1 } }], 'refusals are logged together')
    t.equal(lines.length, 1)

    t.match(await served.post('/api/events', message(1)), { status: 201 })
    await until(() => poll.received().includes('"count":1'))
    stream.socket.destroy()
    await until(async () => (await used(served, 'held')) === 0)
    await openStream(t, served)
  },
)

t.test('a stream whose reader leaves before it begins frees its place', async t => {
  const served = await serveFew(t, { held: 1 })
  let release = () => {}
  const asked = new Promise<void>(resolve => {
    served.ledger.query = async () => {
      resolve()
      await new Promise<void>(go => {
        release = go
      })
      throw new Error('Nothing is asked after the reader left.')
    }
  })
  const stream = await open(t, served, ...STREAM)
  await asked
  stream.socket.destroy()
  await until(async () => (await used(served, 'held')) === 0)
  release()
  // The class has the method that was replaced.
  Reflect.deleteProperty(served.ledger, 'query')
  await openStream(t, served)
})

t.test('callers and addresses have their own limits', async t => {
  let refused = 0
  const places = new StreamLimits({
    limits: { held: 5, heldByCaller: 2, heldByAddress: 3 },
    addressOf: req => String(req.headers.from),
    userOf: req => req.headers.user?.toString(),
    refused: () => refused++,
  })
  const take = (from: string, user?: string) => places.take({ headers: { from, user } } as unknown as HttpRequest)
  const BUSY = { category: 'unavailable', code: 'busy', retryAfterSeconds: 5 }
  const first = take('a', 'mia')
  take('b', 'mia')
  t.throws(() => take('c', 'mia'), BUSY, 'one user, at any address')
  take('a', 'ada')
  take('a', 'bob')
  t.throws(() => take('a', 'cid'), BUSY, 'one address, for all users')
  take('d')
  t.throws(() => take('e'), BUSY, 'all together')
  first()
  take('d')
  t.throws(() => take('d'), BUSY)
  t.equal(refused, 4)
})

t.test('the oldest idle connection is closed for a new one', async t => {
  const served = await serveFew(t, { connections: 3 })
  const fresh = await open(t, served)
  const kept = await open(t, served, ...HEALTH)
  await until(() => kept.received().includes('"status"'))
  const slow = await open(t, served, 'POST /api/events HTTP/1.1', 'X-Slow: ')
  t.match(await served.post('/api/events', message(1), { connection: 'close' }), { status: 201 })
  await until(fresh.isClosed)
  t.notOk(kept.isClosed())
  t.notOk(slow.isClosed())
  await open(t, served)
  await open(t, served)
  await until(kept.isClosed)
  t.ok((await shed(served, 'waiting')) >= 2)
  const lines = served.log.filter(line => line.level === 40)
  t.match(lines, [{ msg: /closed or refused to keep room/, shed: { waiting: 1 } }])
  t.equal(lines.length, 1, 'what follows within a minute has no line')
})

t.test(
  'an incomplete request is closed before a stream to make room, and a request that is being recorded never is',
  async t => {
    const served = await serveFew(t, { connections: 3 })
    let release = () => {}
    served.ledger.held = new Promise(resolve => {
      release = resolve
    })
    const stream = await openStream(t, served)
    const half = await open(t, served, ...HALF_A_BODY)
    await until(() => half.received().includes('100 Continue'))
    const first = served.post('/api/events', message(1), { connection: 'close' })
    await until(() => served.ledger.asked === 1)
    const second = served.post('/api/events', message(2), { connection: 'close' })
    await until(() => served.ledger.asked === 2)
    // Its sender notices that a moment after the server has closed it.
    await until(half.isClosed)
    t.notOk(stream.isClosed())
    const third = served.post('/api/events', message(3), { connection: 'close' })
    await until(() => served.ledger.asked === 3)
    await until(stream.isClosed)
    await t.rejects(served.request('/api/health'), 'no other may be closed for it')
    release()
    for (const answer of await Promise.all([first, second, third])) t.equal(answer.status, 201)
    t.equal(await shed(served, 'transferring'), 1)
    t.equal(await shed(served, 'held'), 1)
    t.equal(await shed(served, 'no_room'), 1)
  },
)

t.test('deliveries are accepted while the maximum number of streams is open and every connection is idle', async t => {
  const served = await serveFew(t, { connections: 8, held: 3 })
  for (let nth = 0; nth < 3; nth++) await openStream(t, served)
  for (let nth = 0; nth < 20; nth++) {
    await open(t, served)
    await open(t, served, ...STREAM)
    t.match(await served.post('/api/events', message(nth), { connection: 'close' }), { status: 201 })
  }
})

t.test('limits fit the descriptors that the process may have', async t => {
  t.same(connectionLimits(20_000), { connections: 4_096, held: 256, heldByCaller: 128, heldByAddress: 192 })
  t.same(connectionLimits(Number.POSITIVE_INFINITY), connectionLimits(20_000))
  t.same(connectionLimits(1_024), { connections: 256, held: 128, heldByCaller: 64, heldByAddress: 96 })
})

t.test('the first closed connection is logged immediately, and later ones in a summary', async t => {
  const lines: Record<string, unknown>[] = []
  const report = new ShedReport(pino({}, { write: line => lines.push(JSON.parse(line)) }), undefined, 1)
  report.count('waiting')
  report.count('waiting')
  report.count('no_room')
  t.equal(lines.length, 1)
  // The report keeps no process alive, so something else has to.
  await until(() => lines.length === 2)
  t.match(lines, [{ shed: { waiting: 1 } }, { level: 40, shed: { waiting: 1, no_room: 1 } }])
})
