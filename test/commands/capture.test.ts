import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { Ledger } from '../../src/ledger/ledger.js'
import type { StoredEvent } from '../../src/model/events/event.js'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import { ownFolder } from '../black-box/own-folder.js'
import { allEvents, DEPLOYS, WATCH } from '../runtime/capture/capture-rig.js'
import { serveHere } from '../runtime/serve/serve-here.js'
import { type ChatServer, type ChatServerOptions, chatServer } from '../support/chat-server/chat-server.js'
import { type Fault, rateLimited, respondWith } from '../support/chat-server/fault.js'
import { type Run, type RunOptions, runDaybook } from './run-daybook.js'

const CAPTURE = ['capture', 'subscription-once']

interface Place {
  chat: ChatServer
  database: string
  env: Record<string, string>
  run(argv: readonly string[], options?: RunOptions): Promise<Run>
}

/** A chat server, and a ledger of its own with a watch in it. */
async function start(t: Test, options: ChatServerOptions = {}): Promise<Place> {
  const chat = await chatServer(t, options)
  const database = join(ownFolder(t), 'events.db')
  await withLedger(t, database, ledger => ledger.saveSubscription(WATCH))
  const env = {
    EVENT_CHAT_URL: chat.url,
    EVENT_CHAT_EMAIL: chat.email,
    EVENT_CHAT_API_KEY: chat.apiKey,
    EVENT_DB: database,
    NO_COLOR: '1',
  }
  return { chat, database, env, run: (argv, more) => runDaybook(t, argv, { env, ...more }) }
}

/** While no process has it open. */
async function withLedger<Result>(t: Test, path: string, work: (ledger: Ledger) => Promise<Result>): Promise<Result> {
  const clock = () => Date.now() * 1000
  const store = await openSqliteStore({ path, clock, onFailure: error => t.fail(String(error)) })
  try {
    return await work(await Ledger.open({ store, clock, newSubscriptionId: () => 'sub' }))
  } finally {
    await store.close()
  }
}

/** What does not depend on when and where it was captured. */
function comparable(events: readonly StoredEvent[]): unknown[] {
  return events.map(({ captured_at: _, last_seen_at: __, ...event }) => event)
}

t.test('a capture has the same result and report with and without a server', async t => {
  const place = await start(t)
  const ids = place.chat.book.say(DEPLOYS, 60)
  const alone = await place.run([...CAPTURE, 'deploys', '--backfill', '55'])
  t.match(alone, { code: 0, err: '' })
  t.same(JSON.parse(alone.out), {
    subscription_id: 'deploys',
    outcome: 'captured',
    messages: 55,
    created: 55,
    duplicates: 0,
    last_cursor: String(ids.at(-1)),
  })

  const beside = join(ownFolder(t), 'events.db')
  const server = await serveHere(t, { home: dirname(beside), db: beside, rootPath: '/books' })
  const watch = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(WATCH) }
  t.match(await fetch(`${server.url}/api/subscriptions`, watch), { status: 201 })
  const env = { ...place.env, EVENT_DB: beside }
  const through = await place.run([...CAPTURE, 'deploys', '--backfill', '55'], { env })
  t.same(through, alone)
  await server.close()

  const [left, right] = [await withLedger(t, place.database, allEvents), await withLedger(t, beside, allEvents)]
  t.equal(left.length, 55)
  t.same(comparable(right), comparable(left))
})

t.test('a capture at a terminal prints its result in a sentence', async t => {
  const { chat, run } = await start(t)
  chat.book.say(DEPLOYS, 1)
  const first = await run([...CAPTURE, 'deploys'], { atTerminal: true })
  t.equal(first.out, 'Captured deploys: 1 message, 1 new. Newest: 1.\n')
  t.match(first.err, 'deploys: 1 messages recorded …')
  t.match(await run([...CAPTURE, 'deploys'], { atTerminal: true }), { out: 'Captured deploys: nothing new.\n' })
  t.match(await run([...CAPTURE, '--due'], { atTerminal: true }), { code: 0, out: 'No watch is due.\n' })
  const { out } = await run([...CAPTURE, '--due', '--json'], { atTerminal: true })
  t.same(JSON.parse(out), { captures: [], left: 0 })
})

t.test('an expired watch is reported, and is not a failure', async t => {
  const { database, run } = await start(t)
  await withLedger(t, database, ledger => ledger.saveSubscription({ id: 'deploys', enabled: false }))
  t.match(await run([...CAPTURE, 'deploys'], { atTerminal: true }), { code: 0, out: /^Disabled: deploys/ })
  const expired = { id: 'deploys', enabled: true, metadata: { expires_at: '2020-01-01T00:00:00Z' } }
  await withLedger(t, database, ledger => ledger.saveSubscription(expired))
  t.match(await run([...CAPTURE, 'deploys'], { atTerminal: true }), { code: 0, out: /^Expired: deploys/ })
  t.match(JSON.parse((await run([...CAPTURE, 'deploys'])).out), { outcome: 'expired', messages: 0 })
})

t.test('--due captures every due watch, and a failing one decides the exit code', async t => {
  const { chat, database, run } = await start(t)
  chat.book.say(DEPLOYS, 3)
  const unknown = { ...WATCH, id: 'unknown', target: 'stream:nowhere/topic:x' }
  await withLedger(t, database, ledger => ledger.saveSubscription(unknown))
  const { code, out } = await run([...CAPTURE, '--due'])
  t.equal(code, 2)
  t.match(JSON.parse(out), {
    captures: [
      { subscription_id: 'deploys', created: 3 },
      { subscription_id: 'unknown', outcome: 'failed', error: { code: 'chat_narrow_refused' } },
    ],
    left: 0,
  })
})

t.test('a failure with --due has the same form as in every other command', async t => {
  const { run } = await start(t, { fault: () => rateLimited(90.5) })
  const { code, out } = await run([...CAPTURE, '--due', '--json'])
  t.equal(code, 75)
  const [failed] = JSON.parse(out).captures
  t.same(Object.keys(failed.error), ['code', 'detail', 'errors'])
  t.match(failed.error, { code: 'chat_rate_limited', detail: /limits the rate of requests/, errors: { length: 0 } })
  t.match(await run([...CAPTURE, '--due', '--json']), { code: 0, out: '{"captures":[],"left":0}\n' }, 'until then')
})

t.test(
  'a watch that can never be captured is skipped, and reports the reason when it is requested by name',
  async t => {
    const { database, run } = await start(t)
    const all = { ...WATCH, id: 'all', target: null }
    const forum = { ...WATCH, id: 'forum', source: 'forum', target: 'topic:7' }
    const own = { ...WATCH, id: 'own', source: 'builds', target: '' }
    await withLedger(t, database, async ledger => {
      for (const watch of [all, forum, own]) await ledger.saveSubscription(watch)
      await ledger.deleteSubscription('deploys')
    })
    t.match(await run([...CAPTURE, '--due']), { code: 0, out: '{"captures":[],"left":0}\n' })
    t.match(await run([...CAPTURE, 'all']), { code: 2, err: /watches all of the chat platform\. Only a chat topic/ })
    t.match(await run([...CAPTURE, 'own']), { code: 2, err: /watches "builds"\. Only a chat topic or stream/ })
    t.match(await run([...CAPTURE, 'forum']), { code: 78, err: /no account of it is configured/ })
  },
)

t.test('a watch that was read on another server is reported as started again', async t => {
  const { chat, run } = await start(t)
  chat.book.say(DEPLOYS, 2)
  await run([...CAPTURE, 'deploys'])
  const other = await chatServer(t)
  other.book.say(DEPLOYS, 1)
  const { out } = await run([...CAPTURE, 'deploys', '--chat-url', other.url], { atTerminal: true })
  const { host } = new URL(chat.url)
  t.equal(
    out,
    `Captured deploys: 1 message, 1 new. Newest: 1. Started again from the beginning: it was read on ${host} before.\n`,
  )
})

const failures = [
  { what: 'no such watch', argv: ['nobody'], code: 3, err: /^There is no such subscription/ },
  { what: 'neither a watch nor --due', argv: [], code: 2, err: /^Name one subscription, or use --due/ },
  { what: 'a watch and --due', argv: ['deploys', '--due'], code: 2, err: /^Name one subscription/ },
  { what: 'a backfill below nothing', argv: ['deploys', '--backfill', '-1'], code: 2, err: /backfill/i },
  { what: 'an address that is none', argv: ['deploys', '--chat-url', 'x y'], code: 78, err: /--chat-url "x y"/ },
  { what: 'a wrong key', env: { EVENT_CHAT_API_KEY: 'hunter2' }, code: 4, err: /does not accept the account/ },
  { what: 'no account', env: { EVENT_CHAT_API_KEY: '' }, code: 78, err: /EVENT_CHAT_API_KEY is empty/ },
  { what: 'no server there', env: { EVENT_CHAT_URL: 'http://127.0.0.1:1' }, code: 75, err: /No chat server answers/ },
  { what: 'no ledger', env: { EVENT_DB: '/nonexistent/events.db' }, code: 3, err: /There is no ledger at/ },
  { what: 'a limit of more than a minute', fault: rateLimited(90.5), code: 75, err: /limits the rate of requests/ },
  { what: 'a server that fails', fault: respondWith(500, {}), code: 75, err: /status 500/ },
]

t.test('reasons that prevent a capture', async t => {
  let fault: Fault | undefined
  const place = await start(t, { fault: () => fault })
  for (const failure of failures) {
    const { what, argv = ['deploys'], env = {}, code, err } = failure
    t.test(`a capture with ${what} exits with ${code}`, async t => {
      fault = failure.fault
      const run = await runDaybook(t, [...CAPTURE, ...argv], { env: { ...place.env, ...env } })
      t.match(run, { code, out: '', err })
      t.notMatch(run.err, /hunter2/)
    })
  }
})

t.test('a capture beside a server has the same exit codes', async t => {
  const place = await start(t, { fault: () => rateLimited(90.5) })
  await serveHere(t, { home: dirname(place.database), db: place.database })
  const { code, out } = await place.run([...CAPTURE, 'deploys', '--json'])
  t.equal(code, 75)
  t.match(JSON.parse(out), { error: { code: 'chat_rate_limited', detail: /limits the rate of requests/ } })
  t.match(await place.run([...CAPTURE, 'nobody']), { code: 3, err: /There is no such subscription/ })
})

t.test('a server with scheduled capture captures each watch whenever it is due', async t => {
  const place = await start(t)
  const [first] = place.chat.book.say(DEPLOYS, 1)
  const watch = { ...WATCH, metadata: { interval_seconds: 1 } }
  await withLedger(t, place.database, ledger => ledger.saveSubscription(watch))
  const home = dirname(place.database)
  const { url, close } = await serveHere(t, { home, env: place.env, only: 'ledger', capture: true })
  const cursor = async () =>
    (await (await fetch(`${url}/api/subscriptions/deploys`)).json()) as { last_cursor: unknown }
  const until = async (id: number | undefined) => {
    while ((await cursor()).last_cursor !== String(id)) await new Promise(resolve => setTimeout(resolve, 50))
  }
  await until(first)
  const [second] = place.chat.book.say(DEPLOYS, 1)
  await until(second)
  await close()
  t.equal((await withLedger(t, place.database, allEvents)).length, 2)
})
