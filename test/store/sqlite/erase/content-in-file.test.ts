import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import t, { type Test } from 'tap'
import { toErasureEntry } from '../../../../src/model/events/erasure.js'
import { readSearch } from '../../../../src/model/events/search.js'
import { toTimestamp } from '../../../../src/model/timestamp.js'
import { readCopyLine } from '../../../../src/runtime/transfer/copy-lines.js'
import { openSqliteStore } from '../../../../src/store/sqlite/store.js'
import { keysOf, messageCreated, readStored, serialised, untilIndexed } from '../../../support/events.js'
import { testFolder } from '../../../support/test-folder.js'

const NOON = 1_800_000_000_000_000
async function openAt(t: Test, path: string, clock = () => NOON) {
  return openSqliteStore({ path, clock, onFailure: error => t.fail(String(error)) })
}

const filesOf = (path: string) => [path, `${path}-wal`].map(file => readFileSync(file).toString('latin1')).join('')

/** @param padding so that some events have pages of their own */
function secret(n: number, padding = 0) {
  return messageCreated(`chat:${n}`, {
    subject_id: `subject-quokka-${n}`,
    actor: { id: `actor-quokka-${n}`, display: `Quentin Quokka ${n}`, metadata: {} },
    target: { type: 'message', key: `target-quokka-${n}` },
    conversation: { text: `text-quokka-${n} ${'lorem '.repeat(padding)}` },
    payload: { note: `note-quokka-${n}` },
  })
}

const SECRET = /quokka/giu

t.test('the files do not contain erased content, regardless of earlier changes', async t => {
  const path = join(testFolder(t), 'events.db')
  const store = await openAt(t, path)
  const { events } = store
  // Rows that grow move others from page to page.
  for (let first = 0; first < 200; first += 50) {
    await events.record(Array.from({ length: 50 }, (_, at) => secret(first + at, (first + at) % 7 === 0 ? 2_000 : 30)))
  }
  await untilIndexed(store.events)
  for (const sub of ['sub_long_name_1', 'sub_long_name_2']) {
    const repeats = Array.from({ length: 200 }, (_, n) => ({
      ...secret(n),
      matches: [{ id: sub, isCaptured: true as const }],
    }))
    await events.record(repeats.filter((_, n) => n % 3 === 0))
  }
  await events.record([serialised(secret(200, 400_000))])
  for (let first = 0; first <= 200; first += 50) {
    const instants = Array.from({ length: 50 }, (_, at) => NOON + first + at).filter(at => at <= NOON + 200)
    const payload = { reason: 'asked', by: 'root', count: 50, events: instants.map(toTimestamp) }
    await store.removal.erase({ events: instants, entry: { ...toErasureEntry(String(first), payload), matches: [] } })
  }
  t.same(filesOf(path).match(SECRET), null)
  t.same((await events.verify({ since: null, limit: 10_000 })).problems, [])
  await store.copyTo(join(testFolder(t), 'copy.db'))
  await store.close()
  t.same(readFileSync(path).toString('latin1').match(SECRET), null)
  const connection = new sqlite.Database(path)
  connection.exec('PRAGMA locking_mode = EXCLUSIVE')
  t.same(connection.all('PRAGMA integrity_check'), [{ integrity_check: 'ok' }])
  connection.run(`INSERT INTO event_facets (event_facets) VALUES ('integrity-check')`)
  connection.close()
})

t.test('content that is erased during a copy is removed from the files after the copy', async t => {
  const path = join(testFolder(t), 'events.db')
  const store = await openAt(t, path)
  await store.events.record([secret(1), messageCreated('other')])
  const copy = store.copyTo(join(testFolder(t), 'copy.db'))
  const payload = { reason: 'asked', by: 'root', count: 1, events: [toTimestamp(NOON)] }
  await store.removal.erase({ events: [NOON], entry: { ...toErasureEntry('1', payload), matches: [] } })
  await copy
  t.same(filesOf(path).match(SECRET), null)
  await store.close()
})

t.test('pruned content is removed from the file, and its pages are freed', async t => {
  const path = join(testFolder(t), 'events.db')
  const store = await openAt(t, path)
  const { events } = store
  const count = 1_000
  for (let first = 0; first < count; first += 500) {
    const some = Array.from({ length: 500 }, (_, at) => {
      const n = first + at
      return n < 400 ? secret(n, 2_000) : messageCreated(`chat:${n}`, { conversation: { text: `calm ${n}.` } })
    })
    await events.record(some)
  }
  await untilIndexed(store.events)
  const found = async (text: string) =>
    keysOf(await events.query({ order: 'asc', limit: 10, search: readSearch('q', text) }))
  t.same(await found('"calm 701."'), ['chat:701'])
  const bytes = () => statSync(path).size
  const before = bytes()
  const through = NOON + 399
  const payload = { reason: 'retention', by: 'retention', count: 400, through: toTimestamp(through) }
  await store.removal.prune({ through, entry: { ...toErasureEntry('1', payload), matches: [] } })
  const deadline = performance.now() + 60_000
  while (filesOf(path).match(SECRET) && performance.now() < deadline)
    await new Promise(resolve => setTimeout(resolve, 100))
  t.same(filesOf(path).match(SECRET), null)
  while (bytes() > before - 1_000_000 && performance.now() < deadline) {
    await new Promise(resolve => setTimeout(resolve, 100))
    await events.record([messageCreated(`chat:${performance.now()}`)])
  }
  t.ok(bytes() < before - 1_000_000, 'pages are given back')
  t.same(await found('quokka'), [])
  t.same(await found('"calm 701."'), ['chat:701'], 'the others of the segment are found')
  t.match(await readStored(events, 'chat:5'), { erased: { by: 'retention' }, seen_count: 1 })
  await store.close()
  const again = await openAt(t, path)
  await untilIndexed(again.events)
  t.same((await again.events.verify({ since: null, limit: count })).problems, [])
  await again.close()
})

t.test('rows that another program changed do not prevent pruning, and are reported', async t => {
  const path = join(testFolder(t), 'events.db')
  const store = await openAt(t, path)
  await store.events.record([1, 2, 3].map(n => messageCreated(`chat:${n}`)))
  await untilIndexed(store.events)
  await store.close()
  const connection = new sqlite.Database(path)
  connection.exec('PRAGMA locking_mode = EXCLUSIVE')
  connection.exec(`UPDATE events SET body = '{}' WHERE seq = 1; UPDATE events SET body = 'no' WHERE seq = 2`)
  connection.close()
  const again = await openAt(t, path)
  const through = NOON + 1
  const payload = { reason: 'retention', by: 'retention', count: 2, through: toTimestamp(through) }
  await again.removal.prune({ through, entry: { ...toErasureEntry('1', payload), matches: [] } })
  await new Promise(resolve => setTimeout(resolve, 200))
  t.same(keysOf(await again.events.query({ order: 'asc', limit: 10 })), ['chat:3', 'ledger:erased:1'])
  t.match(await readStored(again.events, 'chat:1'), { erased: { by: 'retention' } })
  t.match((await again.events.verify({ since: null, limit: 10 })).problems, [{ dedupe_key: 'chat:1' }])
  await again.close()
})

t.test('the files of a copy do not contain content that the other ledger erased later', async t => {
  const folder = testFolder(t)
  const [from, to] = [await openAt(t, join(folder, 'from.db')), await openAt(t, join(folder, 'to.db'))]
  const all = { since: null, changes: 0, limit: 100, maxBytes: 64 * 1024 * 1024 }
  const read = async (range: typeof all | (Omit<typeof all, 'since'> & { since: number })) => {
    const lines = Buffer.from((await from.copies.read(range)).lines)
      .toString()
      .split('\n')
      .slice(0, -1)
    const events = lines.map(line => readCopyLine(Buffer.from(line)))
    return (kind: 'event' | 'changed') => events.flatMap(line => (line.kind === kind ? [line.event] : []))
  }
  await from.events.record([secret(1, 2_000), secret(2), messageCreated('other')])
  await to.copies.write({ appended: (await read(all))('event'), changed: [], through: null })
  await untilIndexed(to.events)
  t.not(filesOf(join(folder, 'to.db')).match(SECRET), null)
  const payload = { reason: 'asked', by: 'root', count: 2, events: [toTimestamp(NOON), toTimestamp(NOON + 1)] }
  const entry = { ...toErasureEntry('1', payload), matches: [] }
  await from.removal.erase({ events: [NOON, NOON + 1], entry })
  const later = await read({ ...all, since: NOON + 2 })
  await to.copies.write({ appended: later('event'), changed: later('changed'), through: null })
  t.same(filesOf(join(folder, 'to.db')).match(SECRET), null)
  for (const store of [from, to]) await store.close()
})
