import { once } from 'node:events'
import { Agent, createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { exchange, type HttpCall, openAnswer } from '../../src/http/exchange.js'

const CALL: HttpCall = { method: 'GET', path: '/', headers: {}, idleSeconds: 5, maxAnswerBytes: 1024 * 1024 }

async function start(t: Test, answer: RequestListener) {
  const server = createServer(answer)
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { address: { baseUrl }, server, connections: () => connections }
}

function keptOpen(t: Test): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  return agent
}

t.test('requests with an agent share a connection, and others use their own', async t => {
  const { address, connections } = await start(t, (_, res) => res.end('x'.repeat(100_000)))
  const agent = keptOpen(t)
  for (let n = 0; n < 3; n++) t.equal((await exchange(address, { ...CALL, agent })).body.length, 100_000)
  t.equal(connections(), 1)
  for (let n = 0; n < 2; n++) await exchange(address, CALL)
  t.equal(connections(), 3)
})

t.test('a path is sent unchanged, below the path of the address', async t => {
  const { address } = await start(t, (req, res) => res.end(req.url))
  for (const path of ['/', '/events/..', '/events/.?a=/../b', '/events/%2e', '/events/x%20y']) {
    t.equal(String((await exchange(address, { ...CALL, path })).body), path)
    const below = { baseUrl: `${address.baseUrl}/ledger` }
    t.equal(String((await exchange(below, { ...CALL, path })).body), `/ledger${path}`)
  }
  t.equal(String((await exchange(address, { ...CALL, path: '/straße#1' })).body), '/stra%C3%9Fe')
})

t.test('a kept connection that the server has closed is replaced for requests that change nothing', async t => {
  let requests = 0
  const { address, connections } = await start(t, (req, res) => {
    requests += 1
    // The server closes the connection at its second request.
    if (requests === 2) req.socket.resetAndDestroy()
    else res.end('ok')
  })
  const agent = keptOpen(t)
  await exchange(address, { ...CALL, agent })
  t.equal((await exchange(address, { ...CALL, agent })).body.toString(), 'ok')
  t.equal(connections(), 2)
})

t.test('a first connection that breaks is not tried again', async t => {
  const { address, connections } = await start(t, req => req.socket.resetAndDestroy())
  await t.rejects(exchange(address, { ...CALL, agent: keptOpen(t) }), { message: /^lost: / })
  t.equal(connections(), 1)
})

t.test('an answer that switches protocols is a failure', async t => {
  const { address } = await start(t, ({ socket }) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')
  })
  await t.rejects(exchange(address, CALL), { message: 'not_http: status 101' })
  await t.rejects(exchange(address, { ...CALL, agent: keptOpen(t) }), { message: 'not_http: status 101' })
})

t.test('a dripping answer fails after the total limit', async t => {
  const { address } = await start(t, (_, res) => {
    const drip = setInterval(() => res.write('x'), 10)
    res.once('close', () => clearInterval(drip))
  })
  await t.rejects(exchange(address, { ...CALL, totalSeconds: 0.2 }), { message: 'silent: 0.2 seconds' })
})

t.test('an answer without a length that is cut off at the limit does not count as complete', async t => {
  const { address } = await start(t, ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const drip = setInterval(() => socket.write('x'), 10)
    socket.once('close', () => clearInterval(drip))
  })
  await t.rejects(exchange(address, { ...CALL, totalSeconds: 0.2 }), { message: 'silent: 0.2 seconds' })
  const stop = new AbortController()
  const answer = await openAnswer(address, { ...CALL, signal: stop.signal })
  t.teardown(answer.end)
  const chunks = answer.chunks()
  t.match(String((await chunks.next()).value), 'x')
  stop.abort(new Error('called off'))
  await t.rejects(
    async () => {
      for (;;) if ((await chunks.next()).done) return
    },
    { message: 'called off' },
  )
})

t.test('a request that waits for the connection of another one is not reported as failing to connect', async t => {
  const { address } = await start(t, (_, res) => setTimeout(() => res.end('ok'), 150))
  const agent = keptOpen(t)
  // All of them together take longer than one of them may.
  const calls = Array.from({ length: 10 }, () => exchange(address, { ...CALL, agent, totalSeconds: 1.2 }))
  for (const { status } of await Promise.all(calls)) t.equal(status, 200)
})

t.test('an answer above the size limit is not read to its end', async t => {
  const { address } = await start(t, (_, res) => res.end(Buffer.alloc(2 * 1024 * 1024)))
  await t.rejects(exchange(address, CALL), { message: 'too_large: 1 MiB' })
})

t.test('an answer can be read as it arrives, and aborted before its end', async t => {
  const { address } = await start(t, (_, res) => void res.write('first'))
  const stop = new AbortController()
  const answer = await openAnswer(address, { ...CALL, signal: stop.signal })
  t.teardown(answer.end)
  const chunks = answer.chunks()
  t.equal(String((await chunks.next()).value), 'first')
  setTimeout(() => stop.abort(new Error('called off')), 10)
  await t.rejects(chunks.next(), { message: 'called off' })
})
