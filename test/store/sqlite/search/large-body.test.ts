import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import t from 'tap'
import type { EventQuery } from '../../../../src/model/events/event-query.js'
import { openSqliteStore } from '../../../../src/store/sqlite/store.js'
import { keysOf, messageCreated, readStored, untilIndexed } from '../../../support/events.js'
import { testFolder } from '../../../support/test-folder.js'

const NOON = 1_800_000_000_000_000
const ASC: EventQuery = { order: 'asc', limit: 100, since: 0 }

t.test(
  'a search finds a large body of an older ledger with its members in any order, and repeats are counted',
  async t => {
    const path = join(testFolder(t), 'events.db')
    const older = new sqlite.Database(path)
    older.exec('CREATE TABLE events (body TEXT)')
    const payload = { said: 'needle', filling: 'x'.repeat(1_500_000) }
    const others = { subject_id: '1', actor: { id: '17', display: 'Ada' }, target: { key: 'topic:4' } }
    const bodies = [
      { payload, dedupe_key: 'first', kind: 'a.b', ...others },
      { dedupe_key: 'between', kind: 'a.b', payload, ...others, provenance: { verified: 'token' } },
      { dedupe_key: 'last', kind: 'a.b', seen_count: 3, subscription_ids: ['sub_1'], ...others, payload },
    ]
    for (const body of bodies) older.run('INSERT INTO events VALUES (?)', [JSON.stringify(body)])
    older.close()
    const { events, close } = await openSqliteStore({
      path,
      clock: () => NOON,
      onFailure: error => t.fail(String(error)),
    })
    t.teardown(close)
    await untilIndexed(events)

    const keys = ['first', 'between', 'last']
    for (const filter of [{ actors: ['Ada'] }, { target: 'topic:4' }, { search: ['needle'] }, { sources: ['api'] }]) {
      t.same(keysOf(await events.query({ ...ASC, ...filter })), keys, JSON.stringify(filter))
    }
    t.same(keysOf(await events.query({ ...ASC, verified: ['token'] })), ['between'])
    t.same(keysOf(await events.query({ ...ASC, subscriptionIds: ['sub_1'] })), ['last'])
    for (const key of keys) {
      const before = await readStored(events, key)
      await events.record([messageCreated(key)])
      const after = await readStored(events, key)
      t.same(after, { ...before, seen_count: (before?.seen_count ?? 0) + 1, last_seen_at: after?.last_seen_at })
    }
  },
)
