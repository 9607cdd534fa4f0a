import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { LedgerClient } from '../../src/client/ledger-client.js'
import { standIn } from './stand-in.js'

t.test('a port without a listener is reported, with what to do', async t => {
  const server = await standIn(t, () => ({ body: {} }))
  await server.close()
  await t.rejects(new LedgerClient({ apiUrl: server.url }).health(), {
    category: 'unavailable',
    code: 'server_unreachable',
    message: `No server answers at ${server.url} (connection refused). Start one with "daybook serve", or give its address with --api-url or EVENT_API_URL.`,
  })
})

t.test('a host or a socket that does not exist is reported, with what to do', async t => {
  const unknown = new LedgerClient({ apiUrl: 'http://ledger.invalid' })
  await t.rejects(unknown.health(), {
    code: 'server_unreachable',
    message: /No server answers at http:\/\/ledger.invalid/,
  })
  const gone = new LedgerClient({ socketPath: '/nonexistent/ledger.sock' })
  await t.rejects(gone.health(), { code: 'server_unreachable', message: /no such socket/ })
})

t.test('requests to an owner use its socket', async t => {
  const path = join(await shortFolder(t), 'ledger.sock')
  const server = await standIn(t, () => ({ body: { database: '/events.db' } }), { path })
  const answer = await new LedgerClient({ socketPath: path }).health()
  t.same(answer.json(), { database: '/events.db' })
  t.match(server.arrived, [{ url: '/api/health' }])
})

t.test('a request to a silent server fails after the limit', async t => {
  const server = await standIn(t, () => () => undefined)
  await t.rejects(new LedgerClient({ apiUrl: server.url }, { idleSeconds: 0.1 }).stats(), { code: 'server_timeout' })
})

t.test('a long poll has its wait in addition to the limit', async t => {
  const server = await standIn(t, ({ url }) => res => {
    if (url.includes('wait=')) setTimeout(() => res.writeHead(200, JSON_TYPE).end('{}'), 300)
  })
  const client = new LedgerClient({ apiUrl: server.url }, { idleSeconds: 0.1 })
  // Longer than a busy machine needs for the answer.
  t.equal((await client.events({ since: 'x', wait: '50' })).text(), '{}')
  await t.rejects(client.events({ since: 'x' }), { code: 'server_timeout' })
})

t.test('a connection that breaks during the answer is an error', async t => {
  const begun = await standIn(t, () => res => {
    res.writeHead(200, { ...JSON_TYPE, 'content-length': '100' }).write('{"a":')
    setTimeout(() => res.destroy(), 20)
  })
  await t.rejects(new LedgerClient({ apiUrl: begun.url }).stats(), { category: 'unavailable', code: 'connection_lost' })
  const dropped = await standIn(t, () => res => res.destroy())
  await t.rejects(new LedgerClient({ apiUrl: dropped.url }).stats(), { code: 'connection_lost' })
})

t.test('a server of another protocol is reported', async t => {
  const port = await listenRaw(t, 'SSH-2.0-x\r\n')
  await t.rejects(new LedgerClient({ apiUrl: `http://127.0.0.1:${port}` }).health(), { code: 'not_a_ledger' })
  const secure = new LedgerClient({ apiUrl: `https://127.0.0.1:${port}` })
  await t.rejects(secure.health(), { code: 'server_unreachable' })
})

t.test('a request can be aborted before and during the exchange', async t => {
  const server = await standIn(t, () => () => undefined)
  const client = new LedgerClient({ apiUrl: server.url })
  const calledOff = new Error('called off')
  await t.rejects(client.stats({ signal: AbortSignal.abort(calledOff) }), calledOff)
  t.equal(server.arrived.length, 0)
  const controller = new AbortController()
  const asked = client.stats({ signal: controller.signal })
  setTimeout(() => controller.abort(calledOff), 30)
  await t.rejects(asked, calledOff)
})

t.test('a refusal that arrives while the body is sent is read', async t => {
  const body = Buffer.alloc(8 * 1024 * 1024, 'x')
  const server = await standIn(t, () => ({ status: 413, body: { code: 'body_too_large', detail: 'Too large.' } }))
  await t.rejects(new LedgerClient({ apiUrl: server.url }).record(body, 'application/json'), { code: 'body_too_large' })
})

const JSON_TYPE = { 'content-type': 'application/json' }

/** The path of a socket may not be longer than some hundred characters. */
async function shortFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Sends one text to every client that connects. */
async function listenRaw(t: Test, greeting: string): Promise<number> {
  const server = createServer(socket => {
    socket.on('error', () => socket.destroy())
    socket.end(greeting)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}
