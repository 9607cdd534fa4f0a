import { createReadStream, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { Ledger } from '../../../src/ledger/ledger.js'
import { serve } from '../../../src/runtime/serve/serve.js'
import { copyLedger } from '../../../src/runtime/transfer/copy-ledger.js'
import { readCopyLine } from '../../../src/runtime/transfer/copy-lines.js'
import { openExportFile } from '../../../src/runtime/transfer/export-file.js'
import { exportLedger } from '../../../src/runtime/transfer/export-ledger.js'
import { exportTable } from '../../../src/runtime/transfer/export-table.js'
import { importInto, importLedger } from '../../../src/runtime/transfer/import-ledger.js'
import { readLocalSettings } from '../../../src/settings/local-settings.js'
import { readServeSettings } from '../../../src/settings/serve-settings.js'
import type { EventToRecord } from '../../../src/store/event-store.js'
import { openSqliteStore, type SqliteStore } from '../../../src/store/sqlite/store.js'
import type { StoredUser } from '../../../src/store/user-store.js'
import { ownFolder } from '../../black-box/own-folder.js'
import { memorySources } from '../../settings/memory-sources.js'
import { erase, prune } from '../../store/erasure-conformance.js'
import { anyCharacter } from '../../support/any-character.js'
import { messageCreated, serialised } from '../../support/events.js'
import { storedSubscription } from '../../support/subscription.js'
import { until } from '../../support/until.js'
import { broken, standInOwner } from '../stand-in-owner.js'

const NOON = 1_800_000_000_000_000
const USER: StoredUser = {
  id: 'u1',
  username: 'ada',
  role: 'admin',
  enabled: true,
  password_hash: 'pbkdf2_sha256$1$00$00',
  created_at: '2027-01-15T08:00:00.000000Z',
  updated_at: '2027-01-15T08:00:00.000000Z',
}
const TOKEN = {
  id: 't1',
  user_id: 'u1',
  digest: 'd'.repeat(64),
  prefix: 'tok_abc',
  may: 'all' as const,
  sources: [],
  name: null,
  expires_at: null,
  created_at: USER.created_at,
  last_used_at: null,
}

const SUBSCRIPTION = storedSubscription({
  id: 'sub_1',
  last_cursor: '7',
  owner_user_id: 'u1',
  created_at: USER.created_at,
  updated_at: USER.created_at,
})

/** Works with the store of a file, and closes it. */
async function inStore<Result>(path: string, work: (store: SqliteStore) => Promise<Result>, clock = () => NOON) {
  const store = await openSqliteStore({
    path,
    clock,
    onFailure: error => {
      throw error
    },
  })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

function ledgers(t: Test) {
  const folder = ownFolder(t)
  const sources = memorySources({ env: { EVENT_LOG_LEVEL: 'silent', ARCH_HOME: folder } })
  const settings = (name: string) =>
    readLocalSettings({ db: name.startsWith('postgres:') ? name : join(folder, name) }, sources)
  const read = (name: string, options: { merge?: boolean; keepEpoch?: boolean; into?: string } = {}) => {
    const { merge = false, keepEpoch = false, into = 'copy.db' } = options
    return importLedger(settings(into), createReadStream(join(folder, name)), { merge, keepEpoch })
  }
  const write = (name: string, options: { since?: string; accounts?: boolean; from?: string } = {}) =>
    exportLedger(settings(options.from ?? 'events.db'), join(folder, name), { accounts: false, ...options })
  return { folder, at: (name: string) => join(folder, name), sources, settings, read, write }
}

/** Imports into an open store, as `importLedger` does. */
async function importExport(store: SqliteStore, file: string, { merge = false, isPipe = false } = {}) {
  const ledger = await Ledger.open({ store, clock: () => NOON, newSubscriptionId: () => 'sub_9' })
  const read = () => createReadStream(file)
  const readAgain = isPipe ? undefined : read
  return importInto({ store, ledger }, read(), { merge, keepEpoch: false, readAgain })
}

/** The data that a copy must have. */
async function lookInto({ events, subscriptions, users }: SqliteStore) {
  return {
    items: Buffer.from((await events.query({ order: 'asc', limit: 500, since: 0 })).items).toString(),
    stats: { ...(await events.stats()) },
    head: (await events.health()).head,
    problems: (await events.verify({ since: null, limit: 1_000 })).problems,
    subscriptions: await subscriptions.list(),
    users: await users.list(),
    closed: await users.isClosed(),
  }
}

function look(path: string) {
  return inStore(path, lookInto)
}

/** One event is erased, two are removed by retention, and one of these is delivered again. */
async function removeSome(store: Pick<SqliteStore, 'events' | 'removal'>): Promise<void> {
  const outcomes = await store.events.record([...numbered(101, 104), messageCreated('chat:104')])
  const [at = 0] = outcomes.map(outcome => outcome.capturedAt)
  await erase(store, '1', [at + 2])
  await prune(store, '2', at + 1)
  await store.events.record(numbered(101, 101))
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => messageCreated(`chat:${from + at}`))

t.test('an imported ledger has the same rows, counts, digests, subscriptions and accounts as its export', async t => {
  const delivery = fc.record({
    key: fc.integer({ min: 1, max: 9 }),
    said: fc.oneof(fc.string({ unit: anyCharacter }), fc.constant('\ud800 lone'), fc.constant('line\n\u2028break')),
    payload: fc.object({ maxDepth: 3 }).map(value => JSON.parse(JSON.stringify(value))),
    size: fc.constantFrom(0, 10, 300_000),
    isAnonymous: fc.boolean(),
    watch: fc.option(fc.constantFrom('sub_1', 'sub_2')),
  })
  type Delivery = typeof delivery extends fc.Arbitrary<infer Value> ? Value : never
  const toRecord = ({ key, said, payload, size, isAnonymous, watch }: Delivery): EventToRecord => {
    const event = messageCreated(`chat:${key}`, {
      payload: { ...payload, text: 'x'.repeat(size) },
      conversation: { text: said },
    })
    const provenance = isAnonymous ? { ...event.provenance, key_space: 'unverified' as const } : event.provenance
    const matches = watch === null ? [] : [{ id: watch, isCaptured: true as const }]
    return { ...(size > 10 ? serialised(event) : event), provenance, matches }
  }
  const batches = fc.array(fc.array(delivery, { maxLength: 6 }), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(
      batches,
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      async (deliveries, isCompressed, accounts, removed) => {
        const { at, write } = ledgers(t)
        let now = NOON
        const name = isCompressed ? 'all.jsonl.gz' : 'all.jsonl'
        const original = await inStore(
          at('events.db'),
          async store => {
            const { events, subscriptions, users, removal } = store
            await users.create(USER)
            await users.addToken(TOKEN, 20)
            await subscriptions.save(SUBSCRIPTION)
            for (const batch of deliveries) await events.record(batch.map(toRecord))
            if (removed) await removeSome({ events, removal })
            return lookInto(store)
          },
          () => now++,
        )
        const exported = await write(name, { accounts })
        const { imported, copy } = await inStore(at('copy.db'), async store => {
          const imported = await importExport(store, at(name))
          return { imported, copy: await lookInto(store) }
        })
        t.match(imported, { mode: 'identical', events: exported.events, head_digest: exported.through?.digest ?? null })
        t.not(imported.epoch, exported.epoch)
        if (removed) t.match(readText(at(name)), /\{"content_digest":"[0-9a-f]{64}","event":\{"dedupe_key":"chat:101"/)
        t.same(copy, accounts ? original : { ...original, users: [] })
        t.equal(statSync(at(name)).mode & 0o777, 0o600)
        t.equal(readText(at(name)).includes('pbkdf2_sha256'), accounts)
      },
    ),
    { numRuns: 1, examples: [[[], true, false, true]] },
  )
})

function readText(path: string): string {
  const bytes = readFileSync(path)
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
}

t.test('an interrupted export continues after its last complete page', async t => {
  const { at, write } = ledgers(t)
  const names = ['all.jsonl', 'all.jsonl.gz']
  await inStore(at('events.db'), store => store.events.record(numbered(1, 600)))
  for (const name of names) await write(name)
  const begun = names.map(name => ({ name, whole: readFileSync(at(name)), text: readText(at(name)) }))
  await inStore(at('events.db'), store => store.events.record(numbered(300, 700)))
  for (const { name, whole, text } of begun) {
    renameSync(at(name), `${at(name)}.part`)
    writeFileSync(`${at(name)}.part`, whole.subarray(0, Math.floor(whole.length * 0.95)))
    t.match(await write(name), { events: 700 }, name)
    t.ok(readText(at(name)).startsWith(text.slice(0, text.indexOf('{"page"'))), 'its beginning stays as it was')
    t.notOk(existsSync(`${at(name)}.part`))
  }
  const original = await look(at('events.db'))
  const copy = await inStore(at('copy.db'), async store => {
    await importExport(store, at('all.jsonl.gz'))
    return lookInto(store)
  })
  t.same(copy, original)
})

t.test('an import reads chunks of any size, and closes its source at the end', async t => {
  const { at, write } = ledgers(t)
  const names = ['all.jsonl', 'all.jsonl.gz']
  await inStore(at('events.db'), store => store.events.record(numbered(1, 5)))
  for (const name of names) await write(name)
  const original = await look(at('events.db'))
  const importBytes = async (copy: string, bytes: Uint8Array) => {
    let isEnded = false
    const chunks = (async function* () {
      try {
        yield new Uint8Array()
        for (const byte of bytes) yield Uint8Array.of(byte)
      } finally {
        isEnded = true
      }
    })()
    try {
      await inStore(at(copy), async store => {
        const ledger = await Ledger.open({ store, clock: () => NOON, newSubscriptionId: () => 'sub_9' })
        await importInto({ store, ledger }, chunks, { merge: false, keepEpoch: false })
      })
    } finally {
      t.ok(isEnded, copy)
    }
    return look(at(copy))
  }
  for (const name of names) t.same(await importBytes(`${name}.db`, readFileSync(at(name))), original, name)
  const damaged = readFileSync(at('all.jsonl.gz')).fill(0xff, 40, 80)
  const unreadable = { category: 'invalid', code: 'export_unreadable' }
  await t.rejects(importBytes('damaged.db', Buffer.concat([damaged, Buffer.alloc(10_000)])), unreadable)
  const noExport = { category: 'invalid', code: 'invalid_line' }
  await t.rejects(importBytes('notes.db', gzipSync(Buffer.alloc(100_000, 'my notes\n'))), noExport)
})

t.test('a ledger that was closed during its interrupted export is imported as closed', async t => {
  const { at, write, read } = ledgers(t)
  await inStore(at('events.db'), store => store.events.record(numbered(1, 3)))
  await write('all.jsonl')
  renameSync(at('all.jsonl'), `${at('all.jsonl')}.part`)
  await inStore(at('events.db'), store => store.users.create(USER))
  await write('all.jsonl')
  await read('all.jsonl')
  t.match(await look(at('copy.db')), { users: { length: 0 }, closed: true })
  const earlier = readText(at('all.jsonl')).replace(/,"closed":true\}\}\n$/, '}}\n')
  writeFileSync(at('earlier.jsonl'), earlier)
  t.match(await read('earlier.jsonl', { into: 'earlier.db' }), { events: 3 }, 'exports of 0.7.2 have no such member')
})

t.test('an unfinished export of another ledger, or with other options, is not continued', async t => {
  const { at, write } = ledgers(t)
  const refused = { category: 'conflict', code: 'export_differs' }
  await inStore(at('events.db'), store => store.events.record(numbered(1, 3)))
  await write('all.jsonl')
  renameSync(at('all.jsonl'), at('again.jsonl.part'))
  await t.rejects(write('again.jsonl', { accounts: true }), refused)
  writeFileSync(at('foreign.jsonl.part'), 'my notes\n')
  await t.rejects(write('foreign.jsonl'), refused)
  t.equal(readFileSync(at('foreign.jsonl.part'), 'utf8'), 'my notes\n')
  writeFileSync(at('taken.jsonl'), '')
  await t.rejects(write('taken.jsonl'), { category: 'conflict', code: 'file_exists' })
  await look(at('other.db'))
  await t.rejects(write('again.jsonl', { from: 'other.db' }), refused)
})

t.test('an unfinished export is not continued from a copy of the ledger, whose changes have other numbers', async t => {
  const { at, write, read } = ledgers(t)
  await inStore(at('events.db'), store => store.events.record(numbered(1, 3)))
  await write('all.jsonl')
  await inStore(at('events.db'), store => erase(store, '1', [NOON]))
  await write('moved.jsonl')
  await read('moved.jsonl', { keepEpoch: true })
  renameSync(at('all.jsonl'), at('again.jsonl.part'))
  await t.rejects(write('again.jsonl', { from: 'copy.db' }), {
    category: 'conflict',
    code: 'export_differs',
    message: /another copy of the ledger/,
  })
  t.match(await write('again.jsonl'), { events: 4 }, 'the exported ledger itself continues it')
})

t.test('an interrupted import continues, and accepts nothing else until it is complete', async t => {
  const { at, read, write, settings, sources } = ledgers(t)
  await inStore(at('events.db'), async store => {
    await store.events.record(numbered(1, 600))
    await store.users.create(USER)
  })
  const { through } = await write('all.jsonl')
  const text = readText(at('all.jsonl'))
  writeFileSync(
    at('half.jsonl'),
    text
      .slice(0, Math.floor(text.length * 0.95))
      .split('\n')
      .slice(0, -1)
      .join('\n'),
  )
  await inStore(at('copy.db'), async store => {
    await t.rejects(importExport(store, at('half.jsonl')), { category: 'invalid', code: 'export_incomplete' })
    t.ok(await store.users.isClosed(), 'it was never open')
  })
  await t.rejects(read('half.jsonl', { merge: true }), { category: 'configuration', code: 'import_incomplete' })
  const serving = serve(
    readServeSettings({ only: 'ledger', port: '0', db: settings('copy.db').database.path }, sources),
    sources,
  )
  await t.rejects(serving, { category: 'configuration', code: 'import_incomplete' })
  const { events, known, head_digest } = await read('all.jsonl')
  t.equal(head_digest, through?.digest)
  t.equal(events + known, 600)
  t.ok(known >= 500)
  await t.rejects(read('all.jsonl'), { category: 'conflict', code: 'ledger_not_empty' })
})

t.test('an invalid line is named, and no line of its batch is stored', async t => {
  const { at, write } = ledgers(t)
  await inStore(at('events.db'), store => store.events.record(numbered(1, 3)))
  await write('all.jsonl')
  const lines = readText(at('all.jsonl')).split('\n')
  const [header = '', first = '', second = '', third = ''] = lines
  const later = lines.slice(4)
  t.throws(() => readCopyLine(Buffer.from('{"dedupe_key":"1"}')), { code: 'invalid_line', message: /captured_at/ })
  const restored = `{"content_digest":"${'0'.repeat(64)}","event":${first}}`
  t.throws(() => readCopyLine(Buffer.from(restored)), { message: 'It was erased, and has content.' })
  const cases: [string, string[], { code: string; message: RegExp }][] = [
    ['no JSON', [header, first, '{"dedupe_key":', third], { code: 'invalid_line', message: /^Line 3: It is not JSON/ }],
    ['no header', [first, second], { code: 'invalid_line', message: /^Line 1: .*Import the events with --merge\./ }],
    ['another order', [header, second, first, third, ...later], { code: 'copy_differs', message: /^Lines 2 to 5: / }],
    ['a missing event', [header, first, third, ...later], { code: 'copy_differs', message: /digest/ }],
    [
      'a changed event',
      [header, first, second.replace('all green', 'all red'), third, ...later],
      { code: 'copy_differs', message: /digest/ },
    ],
  ]
  const end = '{"end":{"events":4,"subscriptions":0,"users":0,"tokens":0,"through":null}}'
  await inStore(at('copy.db'), async store => {
    const read = async (text: readonly string[]) => {
      writeFileSync(at('bad.jsonl'), text.join('\n'))
      return importExport(store, at('bad.jsonl'))
    }
    for (const [what, text, refused] of cases) {
      await t.rejects(read(text), refused, what)
      t.match(await store.events.stats(), { event_count: 0 }, what)
    }
    const incomplete = await t.rejects(read([header, first]), { code: 'export_incomplete' })
    t.match(incomplete, { message: /^The export is incomplete: .* Lines 1 to 2 are imported\.$/ })
    await t.rejects(read([...lines.slice(0, -2), end]), {
      code: 'copy_differs',
      message: / Lines 1 to 6 are imported\.$/,
    })
  })
})

t.test('a partial export, or a merged one, records its missing events as new events', async t => {
  const { at, write } = ledgers(t)
  await inStore(at('events.db'), async store => {
    await store.events.record(numbered(1, 6))
    await erase(store, '1', [NOON + 5])
  })
  await write('part.jsonl', { since: '2027-01-15T08:00:00.000000Z' })
  const merged = await inStore(
    at('copy.db'),
    async store => {
      const merge = () => importExport(store, at('part.jsonl'), { merge: true })
      await t.rejects(importExport(store, at('part.jsonl')), { category: 'invalid', code: 'export_partial' })
      await store.events.record(numbered(4, 5))
      t.match(await merge(), { mode: 'merged', events: 2, known: 2 })
      t.match(await merge(), { mode: 'merged', events: 0, known: 4 }, 'again')
      return lookInto(store)
    },
    () => NOON + 1_000_000,
  )
  const { items, stats } = merged
  t.match(stats, { event_count: 4, duplicate_count: 0 })
  const events = JSON.parse(`[${items}]`)
  t.same(
    events.map((event: { dedupe_key: string }) => event.dedupe_key),
    ['chat:4', 'chat:5', 'chat:2', 'chat:3'],
  )
  t.match(events[2], { provenance: { route: 'import', verified: 'none' }, seen_count: 1 })
})

t.test('a merge records no event that was erased or removed during an interruption of the export', async t => {
  const { at, write } = ledgers(t)
  const names = ['all.jsonl', 'all.jsonl.gz']
  await inStore(at('events.db'), store => store.events.record(numbered(1, 600)))
  for (const name of names) {
    await write(name)
    renameSync(at(name), `${at(name)}.part`)
  }
  await inStore(at('events.db'), async store => {
    const { capturedAt = 0 } = (await store.events.record(numbered(600, 600)))[0] ?? {}
    await prune(store, '1', capturedAt - 597)
    await erase(store, '2', [capturedAt - 596, capturedAt])
  })
  for (const name of names) {
    await write(name)
    t.match(
      readText(at(name)),
      /\n\{"dedupe_key":"chat:4"[\s\S]*\n\{"changed":\{"content_digest"/,
      'it has the content',
    )
  }
  const merged = (name: string, isPipe: boolean) =>
    inStore(at(`${name}-${isPipe}.db`), async store => {
      await importExport(store, at(name), { merge: true, isPipe })
      const found: number[] = []
      for (const number of [1, 3, 4, 5, 599, 600])
        if (await store.events.findByDedupeKey(`chat:${number}`, 0)) found.push(number)
      return found
    })
  for (const name of names) t.same(await merged(name, false), [5, 599], name)
  t.same(await merged('all.jsonl', true), [1, 3, 4, 5, 599], 'a pipe: only those that wait to be recorded')
})

t.test('a merge of archives records events that a later archive reports as removed', async t => {
  const { at, write } = ledgers(t)
  await inStore(at('events.db'), async store => {
    const [first] = await store.events.record(numbered(1, 3))
    await prune(store, '1', first?.capturedAt ?? 0)
  })
  await write('all.jsonl')
  // An archive has the events alone.
  const lines = readText(at('all.jsonl'))
    .split('\n')
    .filter(line => line.startsWith('{"dedupe_key"'))
  const [removed] = numbered(1, 1)
  const at7 = '2027-01-15T07:00:00.000000Z'
  const members = { subscription_ids: [], captured_at: at7, seen_count: 1, last_seen_at: at7 }
  const archived = { ...removed?.event, provenance: { route: 'api', verified: 'none' }, ...members }
  writeFileSync(at('archives.jsonl'), [JSON.stringify(archived), ...lines, ''].join('\n'))
  for (const isPipe of [false, true]) {
    await inStore(at(`archives-${isPipe}.db`), async store => {
      await importExport(store, at('archives.jsonl'), { merge: true, isPipe })
      for (const number of [1, 2, 3]) t.ok(await store.events.findByDedupeKey(`chat:${number}`, 0), String(number))
    })
  }
})

t.test(
  'a served ledger is exported through its server, also as a table, and an import keeps the epoch on request',
  async t => {
    const { at, write, read, settings, sources } = ledgers(t)
    await inStore(at('events.db'), async ({ events, users }) => {
      await events.record([...numbered(1, 3), messageCreated('chat:1', { payload: { text: 'y'.repeat(700_000) } })])
      await events.record([serialised(messageCreated('chat:4', { payload: { text: 'y'.repeat(2_000_000) } }))])
      await users.create(USER)
      await users.addToken(TOKEN, 20)
    })
    await exportTable(settings('events.db'), at('file.csv'), { accounts: false })
    const running = await serve(readServeSettings({ only: 'ledger', port: '0', db: at('events.db') }, sources), sources)
    try {
      const { epoch } = await write('all.jsonl', { accounts: true })
      t.match(await read('all.jsonl', { keepEpoch: true }), { epoch, events: 4, users: 1, tokens: 1 })
      await exportTable(settings('events.db'), at('server.csv'), { accounts: false })
      t.equal(readText(at('server.csv')), readText(at('file.csv')))
      const refused = await fetch(`${running.ledger?.url}/api/copy/state`, { method: 'POST' })
      t.match([refused.status, await refused.json()], [401, { code: 'unauthenticated' }])
    } finally {
      await running.close()
    }
    t.same(await look(at('copy.db')), await look(at('events.db')))
  },
)

t.test('a table since a time before removed events is refused, with and without a server', async t => {
  const { at, settings, sources } = ledgers(t)
  await inStore(at('events.db'), async store => {
    await store.events.record(numbered(1, 3))
    await prune(store, '1', NOON + 1)
  })
  const table = (name: string, since?: string) =>
    exportTable(settings('events.db'), at(name), { accounts: false, since })
  const refused = { category: 'gone', code: 'pruned' }
  await t.rejects(table('file.csv', '2027-01-15T08:00:00Z'), refused)
  await t.rejects(table('file.csv', '2099-01-15T08:00:00Z'), { code: 'ahead_of_ledger' })
  await table('file.csv')
  await table('later.csv', '2027-01-15T08:00:00.000001Z')
  t.equal(readText(at('later.csv')), readText(at('file.csv')))
  const running = await serve(readServeSettings({ only: 'ledger', port: '0', db: at('events.db') }, sources), sources)
  t.teardown(() => running.close())
  await t.rejects(table('server.csv', '2027-01-15T08:00:00Z'), refused)
})

t.test('an export that has written a part is not started again', async t => {
  const lost = { category: 'unavailable', code: 'export_interrupted' }
  const { at, write, settings } = ledgers(t)
  await look(at('events.db'))
  const members = { through: null, changes: 0, has_more: false, numbering: 'n', events_left: 0, head: null, epoch: 'e' }
  const page = `${JSON.stringify({ page: members })}\n`
  const state = { closed: false, subscriptions: [], users: [], tokens: [] }
  const { arrived } = await standInOwner(t, at('events.db'), ({ url }) => {
    const asked = arrived.filter(request => request.url === url).length
    if (url.startsWith('/api/copy/state')) return asked === 2 ? broken : { body: state }
    if (url.startsWith('/api/copy')) return { type: 'application/x-ndjson', body: page }
    if (asked === 1) return broken
    return res => {
      res.writeHead(200, { 'content-type': 'text/csv' }).write('captured_at\n')
      if (asked > 2) res.end()
      else void until(() => statSync(at('all.csv.part')).size > 0).then(() => res.destroy())
    }
  })
  await t.rejects(exportTable(settings('events.db'), at('all.csv'), { accounts: false }), lost)
  t.equal(arrived.length, 2, 'before that it is')
  t.equal(existsSync(at('all.csv')), false)
  await t.rejects(write('all.jsonl'), lost)
  await write('all.jsonl')
  t.equal(readText(at('all.jsonl')).match(/"export"/g)?.length, 1)
})

t.test('an import or a copy from a missing or invalid source creates no ledger', async t => {
  const { at, read, settings } = ledgers(t)
  await t.rejects(read('nowhere.jsonl'), { code: 'ENOENT' })
  const part = { format: 1, epoch: 'e', closed: false, accounts: false, since: '2027-01-15T08:00:00.000000Z' }
  const others = {
    'a text': ['Minutes of the meeting\n', { code: 'invalid_line', message: /^Line 1: .* Nothing was imported\.$/ }],
    'a list': ['\n[{"kind":"x"}]\n', { code: 'invalid_line', message: /^Line 2: / }],
    'an empty file': ['', { code: 'export_incomplete', message: / Nothing was imported\.$/ }],
    'a part': [JSON.stringify({ export: part }), { code: 'export_partial' }],
  } as const
  for (const [what, [text, refused]] of Object.entries(others)) {
    writeFileSync(at('other.jsonl'), text)
    await t.rejects(read('other.jsonl'), { category: 'invalid', ...refused }, what)
  }
  writeFileSync(at('other.jsonl'), 'Minutes of the meeting\n')
  await t.rejects(read('other.jsonl', { merge: true }), { category: 'invalid', code: 'invalid_line' })
  writeFileSync(at('other.db'), 'Minutes of the meeting\n'.repeat(100))
  await t.rejects(copyLedger({ from: settings('other.db'), to: settings('copy.db') }, {}))
  const unreachable = settings('postgres://daybook@127.0.0.1:1/ledger')
  await t.rejects(copyLedger({ from: unreachable, to: settings('copy.db') }, {}), { code: 'store_failed' })
  const copied = copyLedger({ from: settings('nowhere.db'), to: settings('copy.db') }, {})
  const message = /nowhere\.db\. `daybook serve` makes one\. Check the path\.$/
  await t.rejects(copied, { category: 'not_found', code: 'ledger_missing', message })
  t.equal(existsSync(at('copy.db')), false)
})

t.test('an export to a missing folder names it, and what to do', async t => {
  const { at, write } = ledgers(t)
  await t.rejects(write('nowhere/all.jsonl'), {
    category: 'invalid',
    code: 'path_unusable',
    message: `${at('nowhere/all.jsonl')} cannot be written: there is no such folder. Create the folder, or name another file.`,
  })
})

t.test('two concurrent exports to one file do not mix', async t => {
  const { at } = ledgers(t)
  const path = at('table.csv')
  const running = { category: 'conflict', code: 'export_running' }
  const first = await openExportFile(path, { canContinue: false })
  await first.write(Buffer.from('of the first\n'))
  const second = await openExportFile(path, { canContinue: false })
  await second.write(Buffer.from('of the second\n'))
  await t.rejects(first.write(Buffer.from('of the first\n')), running)
  await t.rejects(first.finish(), running)
  await second.finish()
  t.equal(readFileSync(path, 'utf8'), 'of the second\n')
  await Promise.all([first.close(), second.close()])
})

t.test('a partial write is continued', async t => {
  const { at, write } = ledgers(t)
  await inStore(at('events.db'), store => store.events.record(numbered(1, 5)))
  await write('all.jsonl')
  const file = await open(at('all.jsonl'))
  const files = Object.getPrototypeOf(file)
  await file.close()
  const { write: writeAll } = files
  t.intercept(files, 'write', {
    value(bytes: Buffer, from: number, length: number, position: number) {
      return writeAll.call(this, bytes, from, Math.min(length, 100), position)
    },
  })
  await write('again.jsonl')
  t.ok(readFileSync(at('again.jsonl')).equals(readFileSync(at('all.jsonl'))))
})
