import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ownFolder } from '../../black-box/own-folder.js'
import { until } from '../../support/until.js'
import { message, type Served, serve } from '../serve.js'

const INTERIM = 'HTTP/1.1 102 Processing\r\n\r\n'

/** All answers that the server sends until it closes, to a sender that closes its own side after the request. */
async function sendAndClose(socket: Socket, text: string): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', chunk => chunks.push(chunk))
  socket.end(text)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString().replaceAll(INTERIM, '')
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
}

function post(event: object): string {
  const body = JSON.stringify(event)
  const headers = `Host: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`
  return `POST /api/events HTTP/1.1\r\n${headers}\r\n\r\n${body}`
}

/** The same over both listeners. */
async function overEach(t: Test, work: (t: Test, server: Served, open: () => Socket) => Promise<void>): Promise<void> {
  await t.test('over TCP', async t => {
    const server = await serve(t)
    await work(t, server, () => connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true }))
  })
  await t.test("over the owner's socket", async t => {
    const socketPath = join(ownFolder(t), 's.sock')
    const server = await serve(t, { socketPath })
    await work(t, server, () => connect({ path: socketPath, allowHalfOpen: true }))
  })
}

t.test('a sender that closes its side after the request receives the answer, and then the end', t =>
  overEach(t, async (t, { ledger }, open) => {
    t.match(await sendAndClose(open(), get('/api/health')), /^HTTP\/1\.1 200 OK\r\n.*"status":"ok"/s)
    t.match(await sendAndClose(open(), post(message(1))), /^HTTP\/1\.1 201 Created\r\n.*"created":true/s)
    t.equal(ledger.events.length, 1)
    const two = await sendAndClose(open(), get('/api/stats') + get('/api/health'))
    t.match(two, /^HTTP\/1\.1 200 OK\r\n.*"event_count":1.*HTTP\/1\.1 200 OK\r\n.*"status":"ok"/s)
  }),
)

t.test('a half-closed sender receives a slow answer', t =>
  overEach(t, async (t, { ledger }, open) => {
    let release = () => {}
    ledger.held = new Promise(resolve => {
      release = resolve
    })
    const answer = sendAndClose(open(), post(message(1)))
    await until(() => ledger.asked === 1)
    release()
    t.match(await answer, /^HTTP\/1\.1 201 Created\r\n/)
  }),
)

t.test('a long poll is answered when something matches', t =>
  overEach(t, async (t, { ledger, post }, open) => {
    const answer = sendAndClose(open(), get('/api/events?since=2031-05-04T09:00:00Z&wait=55'))
    await until(() => ledger.queries.length > 0)
    await post('/api/events', message(1))
    t.match(await answer, /^HTTP\/1\.1 200 OK\r\n.*"count":1/s)
  }),
)

t.test('an event stream to a half-closed sender begins, and ends soon', t =>
  overEach(t, async (t, _server, open) => {
    t.match(await sendAndClose(open(), get('/api/stream')), /^HTTP\/1\.1 200 OK\r\n.*event: checkpoint/s)
  }),
)

t.test('a request that ends within its body is refused', t =>
  overEach(t, async (t, { ledger }, open) => {
    t.match(await sendAndClose(open(), post(message(1)).slice(0, -5)), /^HTTP\/1\.1 400 Bad Request\r\n/)
    t.equal(ledger.events.length, 0)
  }),
)
