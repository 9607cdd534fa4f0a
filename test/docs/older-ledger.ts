import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'

const EVENTS = [
  { id: 'm1', captured_at: '2024-05-04T09:00:00.000000Z', seen_count: 1 },
  { id: 'm2', captured_at: '2024-05-04T09:00:01.000000Z', seen_count: 1 },
  { id: 'm3', captured_at: '2024-05-04T09:00:02.000000Z', seen_count: 2 },
]

/** Puts a small ledger of the older layout into a home: `body` columns with JSON, and other columns of their time. */
export function makeOlderLedger(home: string): void {
  mkdirSync(join(home, '.arch'), { mode: 0o700 })
  const database = new sqlite.Database(join(home, '.arch', 'events.db'))
  try {
    database.exec('CREATE TABLE events (dedupe_key TEXT PRIMARY KEY, captured_at TEXT, body TEXT)')
    database.exec('CREATE TABLE subscriptions (id TEXT PRIMARY KEY, body TEXT)')
    for (const { id, captured_at, seen_count } of EVENTS) {
      const key = `chat:message:${id}`
      const event = {
        kind: 'message.created',
        subject_type: 'message',
        subject_id: id,
        dedupe_key: key,
        source: 'chat',
      }
      database.run('INSERT INTO events VALUES (?, ?, ?)', [
        key,
        captured_at,
        JSON.stringify({ ...event, captured_at, seen_count }),
      ])
    }
    const subscription = { id: 'watch-1', source: 'chat', target: 'stream:eng/topic:deploys' }
    database.run('INSERT INTO subscriptions VALUES (?, ?)', [subscription.id, JSON.stringify(subscription)])
  } finally {
    database.close()
  }
}
