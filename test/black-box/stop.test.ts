import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { StoredEvent } from '../../src/model/events/event.js'
import { type ServerHere, serveHere } from '../runtime/serve/serve-here.js'
import { BEGINNING, entry, type Page } from './entries.js'
import { HttpClient } from './http-client.js'
import { Load } from './load.js'
import { filesBeside, ownFolder } from './own-folder.js'
import { launchServer, startServer, startStatus } from './running-server.js'
import { SEED, seeded } from './seeded.js'
import { SentEvents } from './sent-events.js'
import { readStoredFile } from './stored-file.js'
import { testedStores } from './tested-stores.js'

t.setTimeout(600_000)

t.test('after SIGTERM under load, every acknowledged event is stored, and no other file is left', async t => {
  const folder = ownFolder(t)
  const database = join(folder, 'events.db')
  const sentEvents = new SentEvents()
  const server = await startServer(t, { database })
  t.equal(server.boardUrl, undefined, 'the ledger can be served alone')
  const load = new Load(t, { url: server.url, sentEvents, random: seeded(SEED), prefix: 'before' })
  while (sentEvents.acknowledged < 200) await sleep(20)
  const exit = await server.stop()
  await load.ended
  t.match(exit, { code: 0, signal: null })
  t.same(readdirSync(folder).sort(), ['events.db', 'home'])
  const { problems, bodies } = readStoredFile(database)
  t.same(problems, [])
  t.same(sentEvents.compareEvents(bodies.map(body => JSON.parse(body) as StoredEvent)), [])
})

for (const { name, newDatabase } of await testedStores(t)) {
  t.test(`long polls and streams end immediately, and each reader receives its checkpoint: ${name}`, async t => {
    const server = await serveOnly(t, await newDatabase(t))
    const http = new HttpClient(server.url)
    t.teardown(() => http.close())
    await http.post('/api/events', entry('the only one'))
    const { next_since: head } = (await http.get('/api/events')).json<Page>()
    const polls = [1, 2, 3].map(() => http.get(`/api/events?wait=55&since=${head}`))
    const streams = await Promise.all([1, 2].map(() => http.open(`/api/stream?since=${BEGINNING}`)))
    let sent = ['', '']
    const streamed = streams.map(async (stream, at) => {
      for await (const chunk of stream.setEncoding('utf8')) sent = sent.with(at, sent[at] + chunk)
      return sent[at]
    })
    while (!sent.every(text => text.includes('"the only one"'))) await sleep(5)
    await untilHeld(http, polls.length)
    await server.close()
    // A client without an answer is cut off after the grace period, and then there is none.
    for (const answer of await Promise.all(polls)) {
      t.equal(answer.status, 200)
      t.match(answer.json(), { items: { length: 0 }, next_since: head })
    }
    for (const stream of await Promise.all(streamed)) t.match(stream, /"the only one"/)
  })
}

t.test('a stopping server finishes a partly received request, and accepts no new one', async t => {
  const database = join(ownFolder(t), 'events.db')
  const server = await serveOnly(t, database)
  const body = JSON.stringify(entry('half way'))
  const socket = await beginRequest(server, body)
  let isClosed = false
  const closed = server.close().finally(() => {
    isClosed = true
  })
  await untilRefused(t, server)
  t.notOk(isClosed, 'it waits for the rest')
  socket.write(body.slice(20))
  t.match(await text(socket), /^HTTP\/1\.1 201 .*connection: close.*"dedupe_key":"half way"/is)
  await closed
  t.match(readStoredFile(database), { problems: { length: 0 }, bodies: [/"half way"/] })
})

t.test('a second signal ends the server, and the next start finds every event', async t => {
  const database = join(ownFolder(t), 'events.db')
  const server = await startServer(t, { database })
  await server.http.post('/api/events', entry('kept'))
  const socket = await beginRequest(server, JSON.stringify(entry('never finished')))
  server.signal('SIGTERM')
  await untilRefused(t, server)
  t.match(
    await server.stop('SIGTERM'),
    { code: 143 },
    'the second signal ends it without waiting, which its exit code shows',
  )
  socket.destroy()
  await (await serveOnly(t, database)).close()
  t.match(readStoredFile(database), { problems: { length: 0 }, bodies: { length: 1, 0: /"kept"/ } })
})

t.test('a server that receives the signal before it listens stops', async t => {
  const database = join(ownFolder(t), 'events.db')
  const child = launchServer(t, { database })
  while (filesBeside(database).length === 0) await sleep(2)
  child.signal('SIGTERM')
  t.match(await child.ended, { code: 0, signal: null })
  t.same(filesBeside(database), [])
})

t.test('short commands succeed during the start and the stop of a server', async t => {
  const database = join(ownFolder(t), 'events.db')
  await (await serveOnly(t, database)).close()
  const starting = launchServer(t, { database })
  // Never all together: on a busy machine they would delay the start for longer than each of them waits for it.
  const ask = (ms: number) => sleep(ms).then(() => startStatus(t, { database }).ended)
  const asked = [0, 150].map(ask)
  await starting.line(0)
  asked.push(ask(150))
  await sleep(300)
  starting.signal('SIGTERM')
  t.match(await starting.ended, { code: 0 })
  for (const { code, out } of await Promise.all(asked)) t.same([code, JSON.parse(out).database], [0, database], out)
  t.same(filesBeside(database), [])
})

/** A server in this process, whose end no signal has to cause. */
function serveOnly(t: Test, database: string): Promise<ServerHere> {
  return serveHere(t, { home: ownFolder(t), db: database, only: 'ledger' })
}

/** Sends a request without the end of its body; resolves once the server has begun to read it. */
async function beginRequest({ url }: { url: string }, body: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const head = ['POST /api/events HTTP/1.1', `Host: ${hostname}:${port}`, 'Content-Type: application/json']
  socket.write(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`)
  await once(socket, 'data')
  socket.write(body.slice(0, 20))
  return socket
}

/** Resolves once this number of long polls waits for an event. */
async function untilHeld(http: HttpClient, polls: number): Promise<void> {
  const held = `daybook_held_answers{kind="poll"} ${polls}\n`
  while (!(await http.get('/metrics')).text.includes(held)) await sleep(5)
}

/** Resolves once no new connection is accepted. */
async function untilRefused(t: Test, { url }: { url: string }): Promise<void> {
  const { hostname, port } = new URL(url)
  for (;;) {
    const socket = connect(Number(port), hostname)
    const refused = await new Promise(resolve => {
      socket.once('connect', () => resolve(false))
      socket.once('error', error => resolve((error as NodeJS.ErrnoException).code === 'ECONNREFUSED'))
    })
    socket.destroy()
    if (refused) break
    await sleep(5)
  }
  t.pass('no new connection')
}
