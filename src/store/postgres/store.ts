import { randomBytes } from 'node:crypto'
import { type PostgresAddress, shownAddress } from '../../model/postgres-address.js'
import type { Micros } from '../../model/timestamp.js'
import type { SharedStore } from '../shared-store.js'
import type { Store } from '../store.js'
import type { Connection } from './connection/connection.js'
import { Listener } from './connection/listener.js'
import { Pool } from './connection/pool.js'
import { isStorable, textArray } from './connection/text-array.js'
import { countFacets } from './read/event-facets.js'
import { countEvents } from './read/event-histogram.js'
import { HEAD, readPage } from './read/event-reader.js'
import { readStatistics } from './read/statistics.js'
import { verifyEvents } from './read/verify-events.js'
import { facet } from './search/facets.js'
import { consumerTasks } from './tasks/consumer-tasks.js'
import { leaseTasks } from './tasks/leases.js'
import { ledgerSessions } from './tasks/ledger-sessions.js'
import { loginFailures } from './tasks/login-failures.js'
import { readSubscriptionChanges, subscriptionTasks } from './tasks/subscription-tasks.js'
import { userTasks } from './tasks/user-tasks.js'
import { LEDGER_MIGRATIONS, SCHEMA_VERSION } from './upgrade/ledger-migrations.js'
import { migrate } from './upgrade/migrate.js'
import { makePartitions } from './upgrade/partitions.js'
import { EventGroups } from './write/event-groups.js'

/** A ledger in a PostgreSQL database, which any number of servers may have open. */
export interface PostgresStore extends Store {
  readonly shared: SharedStore
}

export interface PostgresStoreOptions {
  address: PostgresAddress
  /** Undefined: the clock of the database server, which all servers share. */
  clock?: (() => Micros) | undefined
}

const EPOCH = /* sql */ `SELECT value FROM meta WHERE name = 'epoch'`
const FIND = /* sql */ `
  SELECT bytes, CASE WHEN bytes <= $2::bigint THEN body || tail END AS event FROM (
    SELECT body, tail, octet_length(body) + octet_length(tail) AS bytes
    FROM event_keys JOIN events USING (captured_us, dedupe_key) WHERE dedupe_key = $1
  ) AS found`
const KEYS_OF = /* sql */ `
  SELECT dedupe_key FROM event_keys JOIN events USING (captured_us, dedupe_key)
  WHERE dedupe_key = ANY ($1::text[]) AND $2 = ANY (facets)`
const SIZE = /* sql */ `
  SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes FROM pg_class
  WHERE relnamespace = to_regnamespace(quote_ident($1)) AND relkind = 'r'`

/**
 * Opens the ledger in its schema; creates or upgrades the tables if necessary.
 *
 * @throws AppError `unavailable/store_…`, `configuration/store_newer`
 *
 * Source: docs/decisions/0066, 0067.
 */
export async function openPostgresStore({ address, clock }: PostgresStoreOptions): Promise<PostgresStore> {
  await migrate(address, { noun: 'ledger', ownTable: 'ledger_clock', steps: LEDGER_MIGRATIONS })
  const pool = new Pool(address, 'daybook ledger')
  const epoch = String((await pool.run(EPOCH))[0]?.value)
  const channel = `${address.schema}_events`
  const server = randomBytes(8).toString('hex')
  const listeners = new Set<() => void>()
  const wakeAll = () => {
    for (const listener of listeners) listener()
  }
  let listener: Listener | undefined
  const groups = new EventGroups({ address, clock, notify: { channel, payload: server } })
  return {
    schemaVersion: SCHEMA_VERSION,
    events: {
      record: (events, matchedWith) => groups.record(events, matchedWith),
      findByDedupeKey: async (storedKey, maxBytes) => {
        const [row] = isStorable(storedKey) ? await pool.run(FIND, storedKey, maxBytes) : []
        return row && (row.event === null ? Number(row.bytes) : Buffer.from(String(row.event)))
      },
      listKeysOf: async (subscriptionId, storedKeys) => {
        const keys = textArray(storedKeys.filter(isStorable))
        return (await pool.run(KEYS_OF, keys, facet('subscription', subscriptionId))).map(row => String(row.dedupe_key))
      },
      query: (query, signal) => pool.use(connection => readPage(connection, epoch, query), signal),
      histogram: (query, signal) => pool.use(connection => countEvents(connection, epoch, query), signal),
      facets: (query, signal) => pool.use(connection => countFacets(connection, epoch, query), signal),
      stats: () => pool.use(readStatistics),
      verify: (range, signal) => pool.use(connection => verifyEvents(connection, range), signal),
      health: async () => {
        const head = await groups.prove(sql => pool.run(sql))
        const database = shownAddress(address)
        return { database, engine: 'postgres', head, epoch, schemaVersion: SCHEMA_VERSION, unindexedEvents: 0 }
      },
    },
    subscriptions: subscriptionTasks(pool),
    consumers: consumerTasks(pool, epoch),
    users: userTasks(pool),
    shared: {
      sessions: ledgerSessions(pool),
      loginFailures: loginFailures(pool),
      subscriptionChanges: since => readSubscriptionChanges(pool, since),
      onEvents: call => {
        listeners.add(call)
        const onNotification = (payload: string) => payload !== server && wakeAll()
        let head: unknown
        const check = async (connection: Connection) => {
          const [clock] = await connection.run(HEAD)
          if (clock?.seq !== head) wakeAll()
          head = clock?.seq
        }
        listener ??= new Listener({ address, channel, onNotification, onGap: wakeAll, check })
      },
      sizeBytes: async () => Number((await pool.run(SIZE, address.schema))[0]?.bytes),
      makePartitions: now => {
        return pool.use(connection => makePartitions(connection, { now, schema: address.schema }))
      },
      ...leaseTasks(pool, server),
    },
    close: async () => {
      await groups.finish()
      await listener?.close()
      await pool.close()
    },
  }
}
