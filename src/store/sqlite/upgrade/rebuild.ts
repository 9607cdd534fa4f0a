import { isDeeperThan } from '../../../model/json-depth.js'
import { isObject } from '../../../model/json-object.js'
import { toTimestamp } from '../../../model/timestamp.js'
import type { Database } from '../files/database.js'
import { completeOlderEvent, completeOlderSubscription, type OlderBody, olderCapturedAt } from './older-bodies.js'

/** SQLite's functions read no deeper JSON than this. Source: SQLite, "JSON Functions And Operators", 3.1. */
const SQLITE_DEPTH = 1_000
const CHUNK = 1_000
/** Bodies read at a time; each may be a mebibyte. */
const BODIES = 100

const ADD_OLDER_EVENT = /* sql */ `
  INSERT INTO events (dedupe_key, captured_us, source, kind, subject_id, seen_count, body)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
  ON CONFLICT (dedupe_key) DO UPDATE
  SET seen_count = seen_count + ?6, body = json_set(body, '$.seen_count', seen_count + ?6)`

const ADD_OLDER_SUBSCRIPTION = /* sql */ `INSERT OR REPLACE INTO subscriptions VALUES (?, ?, ?)`

const OLDER_ORDER = /* sql */ `
  SELECT captured_us, id FROM temp.older_order WHERE (captured_us, id) > (?, ?) ORDER BY captured_us, id LIMIT ?`

const COUNT_SOURCES = /* sql */ `
  INSERT INTO source_counters (source, events, duplicates, latest_us)
  SELECT source, count(*), sum(seen_count - 1), max(captured_us) FROM events GROUP BY source`

const COUNT_KINDS = /* sql */ `
  INSERT INTO kind_counters (kind, events) SELECT kind, count(*) FROM events GROUP BY kind`

/**
 * Fills the tables of the first schema from those of an older ledger, of which only `body` is certain. Events keep their
 * `captured_at`; if two have the same, the later row moves by a microsecond. An older table with a body that cannot be read
 * stays, as `older_events` or `older_subscriptions`: nothing that was accepted is discarded.
 */
export function rebuildFromBodies(database: Database, older: readonly string[]): void {
  if (older.includes('events')) {
    const unreadable = rebuildEvents(database)
    database.exec(COUNT_SOURCES)
    database.exec(COUNT_KINDS)
    if (unreadable === 0) database.exec('DROP TABLE older_events')
  }
  if (older.includes('subscriptions')) {
    const unreadable = rebuildSubscriptions(database)
    if (unreadable === 0) database.exec('DROP TABLE older_subscriptions')
  }
}

function rebuildEvents(database: Database): number {
  let unreadable = 0
  database.exec(
    'CREATE TEMP TABLE older_order (captured_us INTEGER, id INTEGER, PRIMARY KEY (captured_us, id)) WITHOUT ROWID',
  )
  for (const { id, body } of bodies(database, 'older_events')) {
    if (body === undefined) unreadable++
    else database.run('INSERT INTO temp.older_order VALUES (?, ?)', olderCapturedAt(body), id)
  }
  let capturedUs = 0
  for (const { id, wasCapturedUs } of inOlderOrder(database)) {
    const body = readBody(database.first('SELECT body FROM older_events WHERE rowid = ?', id)?.body)
    if (body === undefined) continue
    capturedUs = Math.max(capturedUs + 1, wasCapturedUs)
    addEvent(database, id, capturedUs, body)
  }
  database.exec('DROP TABLE temp.older_order')
  return unreadable
}

function* inOlderOrder(database: Database): Generator<{ id: number; wasCapturedUs: number }> {
  let last = { id: Number.MIN_SAFE_INTEGER, wasCapturedUs: 0 }
  for (;;) {
    const rows = database.all(OLDER_ORDER, last.wasCapturedUs, last.id, CHUNK)
    for (const row of rows) {
      last = { id: Number(row.id), wasCapturedUs: Number(row.captured_us) }
      yield last
    }
    if (rows.length < CHUNK) return
  }
}

function addEvent(database: Database, id: number, capturedUs: number, body: OlderBody): void {
  const event = completeOlderEvent(body, id, capturedUs)
  const { dedupe_key, source, kind, subject_id, seen_count } = event
  database.run(ADD_OLDER_EVENT, dedupe_key, capturedUs, source, kind, subject_id, seen_count, JSON.stringify(event))
}

function rebuildSubscriptions(database: Database): number {
  let unreadable = 0
  for (const { id, body } of bodies(database, 'older_subscriptions')) {
    if (body === undefined) {
      unreadable++
      continue
    }
    const subscription = completeOlderSubscription(body, id, toTimestamp(Date.now() * 1000))
    const { id: subscriptionId, owner_user_id } = subscription
    database.run(ADD_OLDER_SUBSCRIPTION, subscriptionId, owner_user_id, JSON.stringify(subscription))
  }
  return unreadable
}

function* bodies(database: Database, table: string): Generator<{ id: number; body: OlderBody | undefined }> {
  let last = Number.MIN_SAFE_INTEGER
  for (;;) {
    const rows = database.all(
      `SELECT rowid AS id, body FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${BODIES}`,
      last,
    )
    for (const row of rows) {
      last = Number(row.id)
      yield { id: last, body: readBody(row.body) }
    }
    if (rows.length < BODIES) return
  }
}

function readBody(body: unknown): OlderBody | undefined {
  try {
    const value: unknown = JSON.parse(String(body))
    if (isDeeperThan(value, SQLITE_DEPTH)) return undefined
    return isObject(value) ? value : undefined
  } catch {
    return undefined // the caller counts it, and then keeps the older table
  }
}
