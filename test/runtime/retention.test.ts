import { EventEmitter, once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import pino from 'pino'
import t, { type Test } from 'tap'
import { Ledger } from '../../src/ledger/ledger.js'
import type { StoredEvent } from '../../src/model/events/event.js'
import { type EventQuery, eventsOf } from '../../src/model/events/event-query.js'
import { toTimestamp } from '../../src/model/timestamp.js'
import { RetentionSchedule } from '../../src/runtime/retention/retention-schedule.js'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import { serve } from '../server/serve.js'
import { prune } from '../store/erasure-conformance.js'
import { messageCreated } from '../support/events.js'
import { testFolder } from '../support/test-folder.js'

const NOON = 1_800_000_000_000_000
const DAY = 86_400_000_000

/** Name of the archive of the first three events. */
const ARCHIVE = 'events-20270115T080000.000000Z-20270115T080000.000002Z.jsonl.gz'

/**
 * Three events of the first day, and one of the tenth.
 *
 * @param reading called after each page that the schedule reads
 */
async function start(
  t: Test,
  archive?: (folder: string) => string,
  reading: (query: EventQuery, ledger: Ledger) => Promise<void> = async () => {},
) {
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
    ledger: {
      query: async (query, signal) => {
        const page = await ledger.query(query, signal)
        await reading(query, ledger)
        return page
      },
      histogram: (query, signal) => ledger.histogram(query, signal),
      stats: () => ledger.stats(),
      erasures: ledger.erasures,
    },
    logger: pino({ base: null }, { write }),
    now: () => now,
  })
  while (!lines.some(({ msg }) => msg === 'removed old events' || msg === 'retention failed'))
    await once(logged, 'line')
  await schedule.stop()
  return { ledger, store, lines, archives: archives ?? '' }
}

t.test('old events are archived, verified in the archive and removed, and the ledger records it', async t => {
  const { ledger, store, lines, archives } = await start(t, folder => join(folder, 'archives', 'events'))
  t.same(readdirSync(archives), [ARCHIVE])
  t.match(readArchive(archives), [
    { dedupe_key: 'a', actor: { display: 'Ada' } },
    { dedupe_key: 'b' },
    { dedupe_key: 'c' },
  ])
  const page = await ledger.query({ order: 'asc', limit: 10 })
  t.match(eventsOf(page), [
    { dedupe_key: 'd' },
    {
      kind: 'ledger.erased',
      actor: { id: 'retention' },
      payload: { reason: 'older than 5 days', count: 3, through: toTimestamp(NOON + 2), archive: ARCHIVE },
    },
  ])
  t.match(lines, [{ events: 3, archive: ARCHIVE, msg: 'removed old events' }])
  t.same((await store.events.verify({ since: null, limit: 100 })).problems, [])
})

t.test('an archive does not contain an event that is erased while it is written', async t => {
  let isErased = false
  const eraseOnce = async ({ order, to }: EventQuery, ledger: Ledger) => {
    if (order !== 'asc' || to === undefined || isErased) return
    isErased = true
    await ledger.erasures.erase({ dedupe_key: 'b', reason: 'asked for' }, 'root')
  }
  const { store, lines, archives } = await start(t, folder => join(folder, 'archives'), eraseOnce)
  t.same(readdirSync(archives), [ARCHIVE])
  const archived = readArchive(archives)
  t.match(archived, [
    { dedupe_key: 'a', erased: undefined },
    { dedupe_key: 'b', erased: { by: 'root' }, actor: { display: '' } },
    { dedupe_key: 'c', erased: undefined },
  ])
  t.same(archived[1]?.payload, {})
  t.match(lines, [
    { code: 'erased_meanwhile', archive: ARCHIVE },
    { events: 3, archive: ARCHIVE },
  ])
  t.same((await store.events.verify({ since: null, limit: 100 })).problems, [])
})

t.test('events that could not be removed are archived again under the same name', async t => {
  const earlier = (folder: string) => {
    const archives = join(folder, 'archives')
    mkdirSync(archives)
    const first = 'events-20270115T080000.000000Z'
    for (const last of ['20270115T080000.000001Z', '20990115T080000.000001Z'])
      writeFileSync(join(archives, `${first}-${last}.jsonl.gz`), '')
    return archives
  }
  const { lines, archives } = await start(t, earlier)
  const [first = '', other = ''] = readdirSync(archives)
  t.match(lines, [{ events: 2, archive: first }])
  t.match(readArchive(archives, first), [{ dedupe_key: 'a' }, { dedupe_key: 'b' }])
  t.equal(readFileSync(join(archives, other)).length, 0, 'an archive of later events stays')
})

t.test('without a folder for archives, old events are removed', async t => {
  const { ledger } = await start(t)
  t.match(eventsOf(await ledger.query({ order: 'asc', limit: 10 })), [{ dedupe_key: 'd' }, { payload: { count: 3 } }])
})

t.test('a lagging replica does not cause a second removal', async t => {
  const { ledger } = await start(t)
  /** As for the newest page and counts without a checkpoint, see EVENT_DB_READ. */
  const late = {
    query: async (query: EventQuery) => {
      const page = await ledger.query(query)
      if (query.order === 'asc' || query.since !== undefined) return page
      return { ...page, earliest: NOON, prunedThrough: null, latestCapturedAt: NOON + 2 }
    },
    histogram: (query: Parameters<Ledger['histogram']>[0]) => ledger.histogram(query),
    stats: () => ledger.stats(),
    erasures: ledger.erasures,
  }
  await new Promise<void>(resolve => {
    const schedule = new RetentionSchedule({
      settings: { days: 5 },
      ledger: late,
      logger: pino({ level: 'silent' }),
      now: () => NOON + 9 * DAY,
      leases: {
        acquireLease: async name => ({ name, fence: 1 }),
        renewLease: async () => true,
        releaseLease: async () => resolve(),
      },
    })
    t.teardown(() => schedule.stop())
  })
  t.match(await ledger.query({ order: 'asc', limit: 10 }), { count: 2 })
})

t.test('no event is removed if the archive cannot be written', async t => {
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

t.test('a stream behind removed events receives `pruned`, and continues after them', async t => {
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

function readArchive(folder: string, name = ARCHIVE): StoredEvent[] {
  const text = gunzipSync(readFileSync(join(folder, name))).toString()
  return text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as StoredEvent)
}
