import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import t, { type Test } from 'tap'
import type { HttpApp } from '../../../src/server/http/http-app.js'
import { createLedgerServer } from '../../../src/server/ledger/ledger-server.js'
import { until } from '../../support/until.js'
import { MemoryLedger } from '../memory-ledger.js'
import { message, SERVER_PARTS, serve } from '../serve.js'

function createServer(): HttpApp {
  return createLedgerServer({
    ...SERVER_PARTS,
    ledger: new MemoryLedger(),
    logger: pino({ level: 'silent' }),
    requestIds: () => 'id',
  })
}

/** A socket's path has room for little, and a test's own folder has a long name. */
function shortFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  return folder
}

t.test('an address that is in use, and one of another machine, are reported', async t => {
  const { port } = await serve(t)
  const other = createServer()
  t.teardown(() => other.close())
  const taken = { category: 'configuration', code: 'address_in_use', message: new RegExp(`port ${port} is in use`) }
  await t.rejects(other.listen('127.0.0.1', port), taken)
  await t.rejects(other.listen('192.0.2.1', 0), { category: 'configuration', code: 'address_unusable' })
})

t.test('the socket is accessible to its owner only, and accepts any Host and Origin', async t => {
  const path = join(shortFolder(t), 'ledger.sock')
  const server = createServer()
  await server.listenSocket(path)
  t.equal(statSync(path).mode & 0o777, 0o600)
  const headers = { host: 'a@b', origin: 'http://elsewhere.example', connection: 'close' }
  const request = httpRequest({ socketPath: path, path: '/api/stats', headers }).end()
  const [response] = await once(request, 'response')
  t.equal(response.statusCode, 200)
  response.resume()
  await once(response, 'end')
  await server.close()
  t.throws(() => statSync(path), { code: 'ENOENT' })
})

t.test('a socket path that is in use is reported', async t => {
  const path = join(shortFolder(t), 'ledger.sock')
  const server = createServer()
  t.teardown(() => server.close())
  await server.listenSocket(path)
  const other = createServer()
  t.teardown(() => other.close())
  await t.rejects(other.listenSocket(path), { code: 'address_in_use', message: /ledger\.sock is in use/ })
})

t.test('a socket path that would be cut off is refused', async t => {
  const server = createServer()
  const path = join(shortFolder(t), 'x'.repeat(100))
  await t.rejects(server.listenSocket(path), { category: 'configuration', code: 'address_unusable' })
})

t.test('a stop finishes accepted requests and closes idle connections', async t => {
  const served = await serve(t)
  const silent = connect(served.port, '127.0.0.1').resume()
  await once(silent, 'connect')
  await served.request('/api/health') // leaves a connection that is kept alive

  let release = () => {}
  served.ledger.held = new Promise(resolve => {
    release = resolve
  })
  const answer = served.post('/api/events', message(1))
  await until(() => served.ledger.asked === 1)

  const started = performance.now()
  let closed = false
  const closing = served.close().then(() => {
    closed = true
  })
  await once(silent, 'close')
  t.notOk(closed, 'it waits for the request')
  await t.rejects(served.request('/api/health'), 'nothing new is accepted')
  release()
  t.match(await answer, { status: 201 })
  t.equal((await answer).headers.get('connection'), 'close')
  await closing
  t.ok(performance.now() - started < 4_500, 'no connection outlives it')
})

t.test(
  'a sender that closes the connection after its request receives a refusal that comes before its end',
  async t => {
    const served = await serve(t)
    const body = Buffer.alloc(32 * 1024 * 1024, ' ')
    const head = ['POST /api/login HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', 'Connection: close']
    const answer = served.raw(
      Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n`), body]),
    )
    t.match(await answer, /^HTTP\/1\.1 413 .*\r\nConnection: close\r\n.*"code":"body_too_large".*\}$/is)
  },
)

for (const further of ['', 'DELETE /api/subscriptions/sub_1 HTTP/1.1\r\nHost: localhost\r\n\r\n']) {
  const name = `a connection closes once its refused request has arrived${further && ', and executes no further one'}`
  t.test(name, { timeout: 8_000 }, async t => {
    const served = await serve(t)
    await served.post('/api/subscriptions', { source: 'chat' })
    const socket = connect({ port: served.port, host: '127.0.0.1', allowHalfOpen: true }).resume()
    socket.on('error', () => {})
    const head = ['POST /api/login HTTP/1.1', 'Host: localhost', 'Content-Type: application/json']
    socket.write(`${head.join('\r\n')}\r\nExpect: 100-continue\r\nContent-Length: 5000\r\n\r\n`)
    await once(socket, 'end')
    socket.write(' '.repeat(5_000) + further)
    await until(() => {
      socket.write('\r\n') // Ignored if the connection is still open.
      return socket.destroyed
    })
    t.match(served.log, [{ path: '/api/subscriptions' }, { path: '/api/login' }])
    t.equal(served.log.length, 2)
    t.equal(served.ledger.subscriptions.size, 1)
  })
}

t.test('a stop does not wait for the rest of a refused request', { timeout: 8_000 }, async t => {
  const served = await serve(t)
  const socket = connect({ port: served.port, host: '127.0.0.1', allowHalfOpen: true }).resume()
  socket.on('error', () => {})
  const head = ['POST /api/login HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', 'Connection: close']
  socket.write(`${head.join('\r\n')}\r\nContent-Length: 5000\r\n\r\n`)
  await once(socket, 'end')
  await served.close()
})

t.test('a listener can be stopped twice, or before it listens', async t => {
  const idle = createServer()
  await idle.close()
  const { close } = await serve(t)
  await Promise.all([close(), close()])
  await close()
})

t.test('the answer to the thousandth request announces that the connection closes', async t => {
  const { port } = await serve(t)
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', chunk => {
    text += chunk
  })
  const one = 'GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n'
  socket.write(one.repeat(1000))
  await until(() => text.split('HTTP/1.1 404').length === 1001)
  socket.destroy()
  const closing = [...text.matchAll(/\r\nConnection: close\r\n/gi)].map(({ index }) => index)
  t.equal(closing.length, 1)
  t.ok(Number(closing[0]) > text.lastIndexOf('HTTP/1.1 404'), 'the last answer closes the connection')
})

t.test('each request is logged once, at a level that depends on its status', async t => {
  const { request, post, log } = await serve(t)
  await request('/api/health?token=hunter2')
  await post('/api/events', '{')
  await request('/%0a%1b[31m')
  await until(() => log.length === 3)
  t.match(log, [
    {
      level: 20,
      request_id: 'request-1',
      method: 'GET',
      path: '/api/health',
      status: 200,
      ms: Number,
      address: '127.0.0.1',
    },
    { level: 30, request_id: 'request-2', method: 'POST', path: '/api/events', status: 400, code: 'invalid_json' },
    { level: 30, path: '/%0a%1b[31m', status: 404 },
  ])
  t.notMatch(JSON.stringify(log), /hunter2/)
})
