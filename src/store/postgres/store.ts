import { randomBytes } from 'node:crypto'
import { markOf } from '../../model/events/erasure.js'
import type { EventQuery } from '../../model/events/event-query.js'
import { type PostgresAddress, shownAddress } from '../../model/postgres-address.js'
import { type Micros, toTimestamp } from '../../model/timestamp.js'
import type { EventToRecord, RecordOutcome } from '../event-store.js'
import type { MultiServerStore } from '../multi-server-store.js'
import type { Store } from '../store.js'
import type { Connection } from './connection/connection.js'
import { DatabaseClock, NOW_US } from './connection/database-clock.js'
import { Listener } from './connection/listener.js'
import { Pool } from './connection/pool.js'
import { bigintArray, isStorable, textArray } from './connection/text-array.js'
import { BackgroundRemoval } from './erase/background-removal.js'
import { eraseEvents } from './erase/eraser.js'
import { moveBorder, refuseErased } from './erase/pruned-events.js'
import { readRemoved } from './erase/stored-tombstone.js'
import { countFacets } from './read/event-facets.js'
import { countEvents } from './read/event-histogram.js'
import { readPage } from './read/event-reader.js'
import { ReadReplica } from './read/read-replica.js'
import { readSizeBytes, readStatistics } from './read/statistics.js'
import { verifyEvents } from './read/verify-events.js'
import { facet } from './search/facets.js'
import { consumerTasks, EMPTY_ERRORS, EMPTY_ERRORS_THROUGH } from './tasks/consumer-tasks.js'
import { copyTasks } from './tasks/copy-tasks.js'
import { leaseTasks } from './tasks/leases.js'
import { ledgerSessions } from './tasks/ledger-sessions.js'
import { loginFailures } from './tasks/login-failures.js'
import { noteTasks } from './tasks/note-tasks.js'
import { sourceTasks } from './tasks/source-tasks.js'
import { readSubscriptionChanges, subscriptionTasks } from './tasks/subscription-tasks.js'
import { userTasks } from './tasks/user-tasks.js'
import { LEDGER_MIGRATIONS, SCHEMA_VERSION } from './upgrade/ledger-migrations.js'
import { migrate } from './upgrade/migrate.js'
import { makePartitions } from './upgrade/partitions.js'
import { LEDGER_TABLES } from './upgrade/prepare-ledger.js'
import { EventGroups } from './write/event-groups.js'
import { type GroupToWrite, noteChanges } from './write/event-writer.js'
import { refuseUnwritable } from './write/refuse-unwritable.js'

/** A ledger in a PostgreSQL database, which any number of servers may have open. */
export interface PostgresStore extends Store {
  readonly multiServer: MultiServerStore
}

interface PostgresStoreOptions {
  address: PostgresAddress
  /** A standby for newest pages, searches and counts without a checkpoint, whose answers may be late. */
  replica?: PostgresAddress | undefined
  /** Undefined: the clock of the database server, which all servers share. */
  clock?: (() => Micros) | undefined
}

const HEAD = /* sql */ `SELECT seq, ${NOW_US} FROM ledger_clock`
const HEALTH = /* sql */ `
  SELECT value AS epoch, last_us, seq, digest, state FROM meta CROSS JOIN ledger_clock WHERE name = 'epoch'`
/** Finds removed events whose rows are left, because retention was interrupted. */
const HAS_REMOVED = /* sql */ `
  SELECT EXISTS (SELECT 1 FROM events WHERE captured_us <= pruned_us) AS found FROM ledger_clock WHERE pruned_us > 0`
const FIND = /* sql */ `
  SELECT captured_us, captured_us <= pruned_us AS is_removed, bytes,
    CASE WHEN bytes <= $2::bigint THEN body || tail END AS event
  FROM (
    SELECT event_keys.captured_us, pruned_us, body, tail, octet_length(body) + octet_length(tail) AS bytes
    FROM event_keys CROSS JOIN ledger_clock LEFT JOIN events ON events.captured_us = event_keys.captured_us
    WHERE event_keys.dedupe_key = $1
  ) AS found`
const KEYS_OF = /* sql */ `
  SELECT dedupe_key FROM event_keys JOIN events USING (captured_us, dedupe_key)
  WHERE dedupe_key = ANY ($1::text[]) AND $2 = ANY (facets) AND captured_us > (SELECT pruned_us FROM ledger_clock)`

/**
 * Opens the ledger in its schema; creates or upgrades the tables if necessary.
 *
 * @throws AppError `unavailable/store_…`, `configuration/store_newer`
 *
 * Source: docs/decisions/0066, 0067.
 */
export async function openPostgresStore({ address, replica, clock }: PostgresStoreOptions): Promise<PostgresStore> {
  const { schema } = address
  const { from } = await migrate(address, { ...LEDGER_TABLES, steps: LEDGER_MIGRATIONS })
  const pool = new Pool(address, 'daybook ledger')
  const databaseClock = new DatabaseClock()
  databaseClock.set((await pool.run(HEAD))[0])
  // Before a copy or an import fills it: a month that has events in the default partition never gets its own.
  if (from === 0) await pool.use(connection => makePartitions(connection, { now: databaseClock.now(), schema }))
  const standby = replica && new ReadReplica(replica, pool)
  const late = standby ?? pool
  const backgroundRemoval = new BackgroundRemoval(pool)
  if ((await pool.run(HAS_REMOVED))[0]?.found === true) backgroundRemoval.start()
  const channel = `${address.schema}_events`
  const server = randomBytes(8).toString('hex')
  const listeners = new Set<() => void>()
  const wakeAll = () => {
    for (const listener of listeners) listener()
  }
  const consumerListeners = new Set<(name: string | undefined) => void>()
  const notifyConsumers = (name: string | undefined) => {
    for (const listener of consumerListeners) listener(name)
  }
  let listener: Listener | undefined
  const listen = () => {
    let head: unknown
    const check = async (connection: Connection) => {
      const [row] = await connection.run(HEAD)
      databaseClock.set(row)
      if (row?.seq !== head) wakeAll()
      head = row?.seq
    }
    const onNotification = (payload: string) => {
      const [sender, consumer] = payload.split(' ')
      if (sender === server) return
      if (consumer === undefined) wakeAll()
      else notifyConsumers(consumer)
    }
    const onGap = () => {
      wakeAll()
      notifyConsumers(undefined)
    }
    listener ??= new Listener({ address, channel, onNotification, onGap, check })
  }
  const groups = new EventGroups({ address, clock, notify: { channel, payload: server } })
  const recordEntry = async (
    entry: EventToRecord,
    matchedWith: number | undefined,
    andThen: NonNullable<GroupToWrite['andThen']>,
  ): Promise<RecordOutcome> => {
    const [outcome] = await groups.record([entry], matchedWith, andThen)
    return outcome as RecordOutcome
  }
  return {
    schemaVersion: SCHEMA_VERSION,
    events: {
      record: (events, matchedWith) => groups.record(events, matchedWith),
      findByDedupeKey: async (storedKey, maxBytes) => {
        const [row] = isStorable(storedKey) ? await pool.run(FIND, storedKey, maxBytes) : []
        if (row?.is_removed === true) return pool.use(connection => findTombstone(connection, Number(row.captured_us)))
        if (!row || row.bytes === null) return undefined
        return row.event === null ? Number(row.bytes) : Buffer.from(String(row.event))
      },
      listKeysOf: async (subscriptionId, storedKeys) => {
        const keys = textArray(storedKeys.filter(isStorable))
        return (await pool.run(KEYS_OF, keys, facet('subscription', subscriptionId))).map(row => String(row.dedupe_key))
      },
      query: (query, signal) => (mayBeLate(query) ? late : pool).use(connection => readPage(connection, query), signal),
      histogram: (query, signal) =>
        (query.since === undefined ? late : pool).use(connection => countEvents(connection, query), signal),
      facets: (query, signal) => late.use(connection => countFacets(connection, query), signal),
      stats: () => pool.use(readStatistics),
      verify: (range, signal) => pool.use(connection => verifyEvents(connection, range), signal),
      health: async ({ withoutProof = false } = {}) => {
        if (!withoutProof) await groups.checkWritable(sql => pool.run(sql))
        const [row] = await pool.run(HEALTH)
        if (!withoutProof) refuseUnwritable(row)
        const database = shownAddress(address)
        const head = Number(row?.seq) === 0 ? null : { capturedAt: Number(row?.last_us), digest: String(row?.digest) }
        const known = { head, epoch: String(row?.epoch), schemaVersion: SCHEMA_VERSION, unindexedEvents: 0 }
        return { database, engine: 'postgres', ...known, replica: await standby?.health() }
      },
    },
    subscriptions: subscriptionTasks(pool),
    removal: {
      erase: ({ events, entry, matchedWith }) =>
        recordEntry(entry, matchedWith, async (connection, at) => {
          const erased = await eraseEvents(connection, events, markOf(entry, toTimestamp(at)))
          await noteChanges(
            connection,
            erased.map(event => event.at),
          )
          await connection.run(EMPTY_ERRORS, bigintArray(events))
        }),
      prune: async ({ through, entries, entry, matchedWith }) => {
        const outcome = await recordEntry(entry, matchedWith, async (connection, at) => {
          if (entries !== undefined) await refuseErased(connection, entries)
          await moveBorder(connection, through, at)
          await connection.run(EMPTY_ERRORS_THROUGH, through)
        })
        backgroundRemoval.start()
        return outcome
      },
    },
    consumers: consumerTasks(pool, { channel, server }),
    sources: sourceTasks(pool),
    notes: noteTasks(pool),
    copies: copyTasks(pool),
    users: userTasks(pool),
    multiServer: {
      now: clock ?? databaseClock.now,
      sessions: ledgerSessions(pool),
      loginFailures: loginFailures(pool),
      subscriptionChanges: since => readSubscriptionChanges(pool, since),
      onEvents: call => {
        listeners.add(call)
        listen()
      },
      onConsumerChange: call => {
        consumerListeners.add(call)
        listen()
      },
      sizeBytes: () => readSizeBytes(pool, address.schema),
      makePartitions: now => {
        return pool.use(connection => makePartitions(connection, { now, schema }))
      },
      ...leaseTasks(pool, server),
    },
    close: async () => {
      await groups.finish()
      await backgroundRemoval.stop()
      await listener?.close()
      await standby?.close()
      await pool.close()
    },
  }
}

/** Consumers and live readers continue from a checkpoint and must miss no event, so they read from the primary. */
function mayBeLate({ order, since }: EventQuery): boolean {
  return order === 'desc' && since === undefined
}

/** The tombstone of an event that retention has removed. */
async function findTombstone(connection: Connection, at: Micros): Promise<Uint8Array | undefined> {
  const removed = (await readRemoved(connection, [at])).get(at)
  return removed && Buffer.from(JSON.stringify(removed.tombstone))
}
