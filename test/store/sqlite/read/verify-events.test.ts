import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sqlite, { type Database } from 'node-sqlite3-wasm'
import t, { type Test } from 'tap'
import { toTombstone } from '../../../../src/model/events/erasure.js'
import { readCopyLine } from '../../../../src/runtime/transfer/copy-lines.js'
import type { CopiedEvent } from '../../../../src/store/copy-store.js'
import { checkCopy } from '../../../../src/store/sqlite/copy/check-copy.js'
import { renewEpoch } from '../../../../src/store/sqlite/copy/copied-ledger.js'
import { verifyEvents } from '../../../../src/store/sqlite/read/verify-events.js'
import { openSqliteStore } from '../../../../src/store/sqlite/store.js'
import { messageCreated, serialised, untilIndexed } from '../../../support/events.js'
import { testFolder } from '../../../support/test-folder.js'
import { until } from '../../../support/until.js'
import { erase, prune } from '../../erasure-conformance.js'

const NOON = 1_800_000_000_000_000
const ALL = { since: null, limit: 10_000 }

async function openAt(t: Test, path: string) {
  return openSqliteStore({ path, clock: () => NOON, onFailure: error => t.fail(String(error)) })
}

/** A closed ledger with a number of events, the third of which is large. */
async function written(t: Test, count = 6): Promise<string> {
  const path = join(testFolder(t), 'events.db')
  const store = await openAt(t, path)
  const keys = Array.from({ length: count }, (_, at) => `chat:${at + 1}`)
  const payload = { text: 'x'.repeat(1_100_000) }
  await store.events.record(
    keys.map(key => (key === 'chat:3' ? serialised(messageCreated(key, { payload })) : messageCreated(key))),
  )
  await untilIndexed(store.events)
  await store.close()
  return path
}

function change(path: string, work: (connection: Database) => void): void {
  const connection = new sqlite.Database(path)
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    work(connection)
  } finally {
    connection.close()
  }
}

const run = (sql: string) => (connection: Database) => connection.exec(sql)

/** A change to the file, and the problems that a verification must then report. */
const TAMPERED: Record<string, { work: (connection: Database) => void; problems: object[] }> = {
  'a word of a text': {
    work: run(`UPDATE events SET body = replace(body, 'all green', 'all red') WHERE seq = 2`),
    problems: [{ dedupe_key: 'chat:2', detail: /differs from what was recorded/ }],
  },
  'a byte of a large payload': {
    work: run(`UPDATE events SET body = replace(body, 'xxx"', 'xxy"') WHERE seq = 3`),
    problems: [{ dedupe_key: 'chat:3', detail: /differs from what was recorded/ }],
  },
  'the time of an event': {
    work: run(
      `UPDATE events SET captured_us = captured_us + 1000000, body = replace(body, '000005Z', '1000005Z') WHERE seq = 6`,
    ),
    problems: [{ dedupe_key: 'chat:6', detail: /differs from what was recorded/ }],
  },
  'a removed event': {
    work: run('DELETE FROM events WHERE seq = 4'),
    problems: [
      { dedupe_key: 'chat:5', detail: 'Before it, an event is missing.' },
      { dedupe_key: 'chat:5', detail: /differs from what was recorded, or the event before it does/ },
    ],
  },
  'two events in the place of each other': {
    work: run(`UPDATE events SET seq = 100 WHERE seq = 4; UPDATE events SET seq = 4 WHERE seq = 5;
      UPDATE events SET seq = 5 WHERE seq = 100`),
    problems: [
      { dedupe_key: 'chat:5' },
      { dedupe_key: 'chat:4', detail: /not captured later/ },
      { dedupe_key: 'chat:4', detail: /differs from what was recorded/ },
      { dedupe_key: 'chat:6' },
    ],
  },
  'an event put in between': {
    work: run(`UPDATE events SET seq = 7, captured_us = captured_us + 1 WHERE seq = 6;
      INSERT INTO events SELECT 6, 'chat:new', captured_us + 1, source, kind, subject_id, 1, body, digest, NULL
      FROM events WHERE seq = 5`),
    problems: [{ dedupe_key: 'chat:new' }],
  },
  'a column that readers filter by': {
    work: run(`UPDATE events SET kind = 'message.deleted', subject_id = '0' WHERE seq = 5`),
    problems: [{ dedupe_key: 'chat:5', detail: 'Its columns differ from its body: kind, subject_id.' }],
  },
  'a body that is no longer JSON': {
    work: run(`UPDATE events SET body = substr(body, 2) WHERE seq = 1`),
    problems: [{ dedupe_key: 'chat:1' }],
  },
  'a digest that was taken away': {
    work: run('UPDATE events SET digest = NULL WHERE seq = 5'),
    problems: [{ dedupe_key: 'chat:6', detail: 'It has a digest, and the event before it has none.' }],
  },
  'content that was removed without a record': {
    work: connection => {
      const { body } = connection.get('SELECT body FROM events WHERE seq = 4') as { body: string }
      const event = JSON.parse(body)
      const erased = { at: event.captured_at, reason: 'none', by: 'nobody', entry: 'ledger:erased:1' }
      const content = body.slice(0, body.lastIndexOf(',"subscription_ids":['))
      const left = [JSON.stringify(toTombstone(event, erased)), hash('sha256', content, 'buffer')]
      connection.run(`UPDATE events SET body = ?, content_digest = ?, subject_id = 'erased' WHERE seq = 4`, left)
    },
    problems: [{ dedupe_key: 'chat:4', detail: 'Its content was erased, and no event of the ledger records that.' }],
  },
  'events that count as removed by retention without a record': {
    work: connection => {
      connection.exec('INSERT INTO prunings VALUES (2, 6)')
      for (const { seq, body } of connection.all('SELECT seq, body FROM events WHERE seq <= 2')) {
        const content = String(body).slice(0, String(body).lastIndexOf(',"subscription_ids":['))
        connection.run(`UPDATE events SET body = '{}', content_digest = ?, subject_id = '' WHERE seq = ?`, [
          hash('sha256', content, 'buffer'),
          Number(seq),
        ])
      }
      connection.exec(`UPDATE meta SET value = 2 WHERE name LIKE 'pruned%'`)
    },
    problems: ['chat:1', 'chat:2'].map(dedupe_key => ({ dedupe_key, detail: /no event of the ledger records that/ })),
  },
  'a changed event with a digest to match': {
    work: connection => {
      connection.exec(`UPDATE events SET body = replace(body, 'all green', 'all red') WHERE seq = 2`)
      connection.run('UPDATE events SET digest = ? WHERE seq = 2', [new Uint8Array(32)])
    },
    problems: [{ dedupe_key: 'chat:2' }, { dedupe_key: 'chat:3' }],
  },
}

for (const [what, { work, problems }] of Object.entries(TAMPERED)) {
  t.test(`a verification finds ${what}`, async t => {
    const path = await written(t)
    change(path, work)
    const store = await openAt(t, path)
    t.teardown(() => store.close())
    const found = await store.events.verify(ALL)
    t.match(found.problems.slice(0, problems.length), problems)
  })
}

t.test('a verification finds an event that is missing in the search index', async t => {
  const path = await written(t, 400)
  change(path, run(`INSERT INTO event_facets (event_facets) VALUES ('delete-all')`))
  const store = await openAt(t, path)
  t.teardown(() => store.close())
  t.match((await store.events.verify(ALL)).problems, [
    { dedupe_key: 'chat:199', detail: 'The search index does not find it.' },
    { dedupe_key: 'chat:398', detail: 'The search index does not find it.' },
  ])
})

t.test('an answer lists a bounded number of problems', async t => {
  const path = await written(t, 200)
  change(path, run(`UPDATE events SET kind = 'a.b'`))
  const store = await openAt(t, path)
  t.teardown(() => store.close())
  t.equal((await store.events.verify(ALL)).problems.length, 100)
})

t.test(
  'a verification accepts erased events of a follower whose entry is not copied yet, also after a promotion',
  async t => {
    const leader = await openAt(t, join(testFolder(t), 'leader.db'))
    t.teardown(() => leader.close())
    await leader.events.record(['a', 'b', 'c', 'd'].map(key => messageCreated(key)))
    await erase(leader, '1', [NOON])
    await prune(leader, '2', NOON + 1)
    const path = join(testFolder(t), 'copy.db')
    const copy = await openAt(t, path)
    const { lines, head, epoch, changes, numbering } = await leader.copies.read({
      ...ALL,
      changes: 0,
      limit: 3,
      maxBytes: 1e6,
    })
    const mark = { leader: 'http://leader.example', changes, numbering, head: null }
    await copy.copies.beginFollow(mark, epoch, {})
    const appended = Buffer.from(lines)
      .toString()
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('{"changed":'))
      .map(line => (readCopyLine(Buffer.from(line)) as { event: CopiedEvent }).event)
    await copy.copies.write({ appended, changed: [], through: null, mark: { ...mark, head } })
    t.match(await copy.events.verify(ALL), { events: 3, problems: { length: 0 } })
    await copy.copyTo(`${path}.copy`)
    t.match(await checkCopy(`${path}.copy`), { events: 3 }, 'a backup of it is not refused')

    renewEpoch(`${path}.copy`, NOON)
    const restored = await openAt(t, `${path}.copy`)
    t.match(await restored.events.verify(ALL), { events: 3, problems: { length: 0 } }, 'nor has the restored backup')
    await restored.close()

    await copy.copies.promote({ epoch: 'another', now: NOON + 10 })
    t.match(await copy.copies.readMovedState(), { missed: { after: NOON + 2, through: head } }, 'moves take it along')
    await copy.events.record([messageCreated('e')])
    t.match(await copy.events.verify(ALL), { events: 4, problems: { length: 0 } })
    await copy.close()
    change(path, run(`DELETE FROM meta WHERE name = 'missed'`))
    const other = await openAt(t, path)
    const detail = /no event of the ledger records that/
    t.match((await other.events.verify(ALL)).problems, [
      { dedupe_key: 'a', detail },
      { dedupe_key: 'b', detail },
    ])
    await other.close()
  },
)

t.test('a verification accepts events that retention removes during it', async t => {
  const path = join(testFolder(t), 'events.db')
  const store = await openAt(t, path)
  await store.events.record(['a', 'b', 'c'].map(key => messageCreated(key, { payload: { text: 'zebra' } })))
  await prune(store, '1', NOON + 2)
  await until(() => [path, `${path}-wal`].every(file => !readFileSync(file, 'latin1').includes('zebra')))
  await store.close()
  change(path, connection => {
    let isRemoved = false
    const rows = {
      first: (sql: string, ...values: (string | number)[]) => connection.get(sql, values) ?? undefined,
      all(sql: string, ...values: (string | number)[]) {
        if (!sql.includes('FROM prunings') || isRemoved) return connection.all(sql, values)
        isRemoved = true
        return []
      },
    }
    const walk = verifyEvents(rows as Parameters<typeof verifyEvents>[0], ALL)
    let step = walk.next()
    while (!step.done) step = walk.next()
    t.match(step.value, { events: 4, problems: { length: 0 } })
    t.ok(isRemoved)
  })
})

t.test('a verification accepts a digest that an event of an older release receives during it', async t => {
  const path = await written(t, 100)
  change(path, connection => {
    const digests = connection.all('SELECT digest, seq FROM events')
    connection.exec('UPDATE events SET digest = NULL')
    const rows = {
      first: (sql: string, ...values: (string | number)[]) => connection.get(sql, values) ?? undefined,
      all(sql: string, ...values: (string | number)[]) {
        const found = connection.all(sql, values)
        // The background work is faster than the verification, which has read the first events without a digest.
        if (found.some(row => 'subject_id' in row)) {
          for (const { digest, seq } of digests)
            connection.run('UPDATE events SET digest = ? WHERE seq = ?', [digest as Uint8Array, Number(seq)])
        }
        return found
      },
    }
    const walk = verifyEvents(rows as Parameters<typeof verifyEvents>[0], ALL)
    let step = walk.next()
    while (!step.done) step = walk.next()
    t.ok(step.value.pending > 0 && step.value.pending < 100)
    t.same(step.value.problems, [])
  })
})

t.test('events of an older release receive their digests while others are recorded', async t => {
  const path = await written(t, 600)
  // As the release before digests wrote them: the members in another order, with blanks, and too deep for SQLite's JSON.
  change(path, connection => {
    connection.exec(`ALTER TABLE events DROP COLUMN digest; ALTER TABLE events DROP COLUMN content_digest;
      DROP TABLE prunings; DROP TABLE event_changes; DROP TABLE sources; DROP TABLE source_secrets; DROP TABLE notes; DELETE FROM meta WHERE name LIKE 'pruned%'; PRAGMA user_version = 9`)
    for (const { seq, body } of connection.all('SELECT seq, body FROM events WHERE seq <= 300')) {
      const { subscription_ids, provenance, captured_at, seen_count, last_seen_at, ...event } = JSON.parse(String(body))
      const older = { ...event, subscription_ids, provenance, captured_at, seen_count, last_seen_at }
      connection.run('UPDATE events SET body = ? WHERE seq = ?', [
        JSON.stringify(older, null, Number(seq) % 3),
        Number(seq),
      ])
    }
    const deep = `${'['.repeat(1_100)}${']'.repeat(1_100)}`
    connection.exec(`UPDATE events SET body = replace(body, '"payload":{}', '"payload":{"a":${deep}}') WHERE seq = 6`)
  })
  const store = await openAt(t, path)
  t.teardown(() => store.close())
  await store.events.record([messageCreated('new:1'), messageCreated('chat:2'), messageCreated('chat:6')])
  while ((await store.events.health()).head?.digest === null) {
    const { problems } = await store.events.verify(ALL)
    t.same(problems, [])
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  await store.events.record([messageCreated('new:2'), messageCreated('chat:2'), messageCreated('chat:6')])
  const found = await store.events.verify(ALL)
  t.match(found, { events: 602, pending: 0, problems: { length: 0 } })
  t.same(found.through, (await store.events.health()).head)
})

t.test('new events extend a completed chain after a restart', async t => {
  const path = await written(t)
  const store = await openAt(t, path)
  await store.events.record([messageCreated('later')])
  const { head } = await store.events.health()
  await store.close()
  const again = await openAt(t, path)
  t.teardown(() => again.close())
  t.same((await again.events.health()).head, head)
  t.match(await again.events.verify(ALL), { events: 7, pending: 0, problems: { length: 0 } })
})
