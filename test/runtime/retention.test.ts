import { EventEmitter, once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import pino from 'pino'
import t, { type Test } from 'tap'
import { Ledger } from '../../src/ledger/ledger.js'
import type { StoredEvent } from '../../src/model/events/event.js'
import { eventsOf } from '../../src/model/events/event-query.js'
import { toTimestamp } from '../../src/model/timestamp.js'
import { RetentionSchedule } from '../../src/runtime/retention/retention-schedule.js'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import { serve } from '../server/serve.js'
import { prune } from '../store/erasure-conformance.js'
import { messageCreated } from '../support/events.js'
import { testFolder } from '../support/test-folder.js'

const NOON = 1_800_000_000_000_000
const DAY = 86_400_000_000

/** Three events of the first day, and one of the tenth. */
async function start(t: Test, archive?: (folder: string) => string) {
  const folder = testFolder(t)
  let now = NOON
  const store = await openSqliteStore({
    path: join(folder, 'events.db'),
    clock: () => now,
    onFailure: error => t.fail(`${error}`),
  })
  t.teardown(() => store.close())
  const ledger = await Ledger.open({ store, clock: () => now, newSubscriptionId: () => 'sub_1' })
  await store.events.record(['a', 'b', 'c'].map(key => messageCreated(key)))
  now += 9 * DAY
  await store.events.record([messageCreated('d')])
  const lines: { msg: string }[] = []
  const logged = new EventEmitter()
  const write = (line: string) => {
    lines.push(JSON.parse(line))
    logged.emit('line')
  }
  const archives = archive?.(folder)
  const schedule = new RetentionSchedule({
    settings: { days: 5, ...(archives === undefined ? {} : { archive: archives }) },
    ledger,
    logger: pino({ base: null }, { write }),
    now: () => now,
  })
  if (lines.length === 0) await once(logged, 'line')
  await schedule.stop()
  return { ledger, store, lines, archives: archives ?? '' }
}

t.test('old events are archived, read back and removed, and the ledger records it', async t => {
  const { ledger, store, lines, archives } = await start(t, folder => join(folder, 'archives', 'events'))
  const name = 'events-20270115T080000.000000Z-20270115T080000.000002Z.jsonl.gz'
  t.same(readdirSync(archives), [name])
  const text = gunzipSync(readFileSync(join(archives, name))).toString()
  const archived = text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as StoredEvent)
  t.match(archived, [{ dedupe_key: 'a', actor: { display: 'Ada' } }, { dedupe_key: 'b' }, { dedupe_key: 'c' }])
  const page = await ledger.query({ order: 'asc', limit: 10 })
  t.match(eventsOf(page), [
    { dedupe_key: 'd' },
    {
      kind: 'ledger.erased',
      actor: { id: 'retention' },
      payload: { reason: 'older than 5 days', count: 3, through: toTimestamp(NOON + 2), archive: name },
    },
  ])
  t.match(lines, [{ events: 3, archive: name, msg: 'removed old events' }])
  t.same((await store.events.verify({ since: null, limit: 100 })).problems, [])
})

t.test('without a folder for archives they are removed as well', async t => {
  const { ledger } = await start(t)
  t.match(eventsOf(await ledger.query({ order: 'asc', limit: 10 })), [{ dedupe_key: 'd' }, { payload: { count: 3 } }])
})

t.test('nothing is removed if the archive cannot be written', async t => {
  for (const folderOf of [(folder: string) => join(folder, 'events.db', 'archives'), () => '/proc/nowhere/archives']) {
    const { ledger, lines } = await start(t, folderOf)
    const detail = /Nothing was removed\. .*EVENT_ARCHIVE_DIR/
    t.match(lines, [{ code: 'archive_failed', detail, msg: 'retention failed' }])
    t.match(await ledger.query({ order: 'asc', limit: 10 }), { count: 4, prunedThrough: null })
  }
})

t.test(
  'a read from a checkpoint before removed events is refused once, and the refusal names the next checkpoint',
  async t => {
    const { ledger } = await start(t)
    const next = toTimestamp(NOON + 2)
    const refused = { category: 'gone', code: 'pruned', nextSince: next }
    for (const since of [0, NOON, NOON + 1]) {
      const query = { order: 'asc', limit: 10, since } as const
      await t.rejects(ledger.query(query), refused)
      await t.rejects(ledger.waitFor(query, 0.05), refused)
      await t.rejects(ledger.follow(query, new AbortController().signal).next(), refused)
    }
    t.match(await ledger.query({ order: 'asc', limit: 10, since: NOON + 2 }), { count: 2 })
  },
)

t.test('pages, long polls, streams and exports answer 410 with the checkpoint to continue with', async t => {
  const { ledger } = await start(t)
  const { request } = await serve(t, { ledger })
  const next = toTimestamp(NOON + 2)
  const since = toTimestamp(NOON)
  const asked: [string, Record<string, string>?][] = [
    [`/api/events?since=${since}`],
    [`/api/events?since=${since}&wait=30`],
    [`/api/export?since=${since}`],
    [`/api/stream?since=${since}`],
    ['/api/stream', { 'Last-Event-ID': since }],
  ]
  for (const [path, headers = {}] of asked) {
    const { status, body } = await request(path, { headers })
    t.match({ status, ...body }, { status: 410, code: 'pruned', next_since: next }, path)
  }
  t.match(await request(`/api/events?since=${next}`), {
    status: 200,
    body: { count: 2, earliest: toTimestamp(NOON + 9 * DAY) },
  })
})

t.test('a stream that removed events overtake receives `pruned`, and continues after them', async t => {
  const { ledger, store } = await start(t)
  /** Between two pages, as if its reader were slow. */
  const overtake = async () => {
    const [removed] = await ledger.record([messageCreated('e'), messageCreated('f')])
    await prune(store, '9', removed?.capturedAt ?? 0)
    return removed?.capturedAt ?? 0
  }
  let through = 0
  const follow: Ledger['follow'] = async function* (...asked) {
    for await (const page of ledger.follow(...asked)) {
      yield page
      through ||= await overtake()
    }
  }
  const overtaken = new Proxy(ledger, {
    get: (target, name) => {
      const member = name === 'follow' ? follow : Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  const { url } = await serve(t, { ledger: overtaken })
  const left = new AbortController()
  const { body } = await fetch(`${url}/api/stream?since=${toTimestamp(NOON + 2)}`, { signal: left.signal })
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('"dedupe_key":"ledger:erased:9"')) break
  }
  left.abort()
  const next = toTimestamp(through)
  t.match(text, `id: ${next}\nevent: pruned\ndata: {"next_since":"${next}"}\n\n`)
  t.same(
    [...text.matchAll(/^event: (\w+)|"dedupe_key":"(\w+)"/gm)].map(([, event, key]) => event ?? key),
    ['checkpoint', 'd', 'pruned', 'f'],
  )
})
