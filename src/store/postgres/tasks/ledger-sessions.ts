import type { LedgerSessionStore, StoredLedgerSession } from '../../ledger-session-store.js'
import type { Connection, Row } from '../connection/connection.js'
import type { Pool } from '../connection/pool.js'
import { textArray } from '../connection/text-array.js'

const NOW = `(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`
/** A use is noted once a minute: a page sends many requests. */
const NOTED_USE_US = 60_000_000

const SESSION = 'id, user_id, address, started_us, used_us'
/** Logins and renewals of several servers run one after the other: their counts are exact, and they cannot deadlock. */
const HOLD = /* sql */ `LOCK TABLE sessions IN SHARE ROW EXCLUSIVE MODE`
const DELETE_EXPIRED = /* sql */ `DELETE FROM sessions WHERE ends_us <= ${NOW}`
const COUNT = /* sql */ `SELECT count(*) AS count FROM sessions`
const DELETE_LEAST_USED = /* sql */ `
  DELETE FROM sessions WHERE digest IN (
    SELECT digest FROM (
      SELECT digest, user_id, used_us, count(*) OVER (PARTITION BY user_id) >= $1::bigint AS of_many FROM sessions) AS counted
    ORDER BY of_many AND user_id = $2 DESC, of_many DESC, used_us LIMIT $3)`
const ADD = /* sql */ `
  INSERT INTO sessions (digest, id, user_id, address, started_us, used_us, ends_us)
  SELECT $1, $2, $3, $4, now_us, now_us, now_us + $5::bigint * 1000000 FROM (SELECT ${NOW} AS now_us) AS clock`
const FIND = /* sql */ `
  SELECT ${SESSION}, used_us < ${NOW} - ${NOTED_USE_US} AS is_due FROM sessions WHERE digest = $1 AND ends_us > ${NOW}`
const NOTE_USE = /* sql */ `UPDATE sessions SET used_us = ${NOW} WHERE digest = $1`
const RENEW = /* sql */ `
  UPDATE sessions SET digest = $2, used_us = ${NOW} WHERE digest = $1 AND ends_us > ${NOW} RETURNING ${SESSION}`
const DELETE_OTHERS = /* sql */ `DELETE FROM sessions WHERE user_id = $1 AND digest <> $2`
const DELETE_EXCEPT = /* sql */ `DELETE FROM sessions WHERE user_id = $1 AND id IS DISTINCT FROM $2::text`
const DELETE = /* sql */ `DELETE FROM sessions WHERE digest = $1`
const LIST = /* sql */ `
  SELECT ${SESSION} FROM sessions WHERE user_id = $1 AND ends_us > ${NOW} ORDER BY used_us DESC, started_us DESC`
const DELETE_OF = /* sql */ `DELETE FROM sessions WHERE user_id = $1 AND id = ANY ($2::text[]) RETURNING id`
const DELETE_ALL_OF = /* sql */ `DELETE FROM sessions WHERE user_id = $1`

export function ledgerSessions(pool: Pool): LedgerSessionStore {
  return {
    add: (digest, { id, userId, address }, { ttlSeconds, maxSessions, manyForOne }) =>
      pool.transaction(async connection => {
        await connection.run(HOLD)
        await connection.run(DELETE_EXPIRED)
        const [row] = await connection.run(COUNT)
        const extra = Number(row?.count) + 1 - maxSessions
        if (extra > 0) await connection.run(DELETE_LEAST_USED, manyForOne, userId, extra)
        await connection.run(ADD, digest, id, userId, address, ttlSeconds)
      }),
    use: async digest => {
      const [row] = await pool.run(FIND, digest)
      if (row?.is_due === true) await pool.run(NOTE_USE, digest)
      return row && toSession(row)
    },
    renew: (digest, newDigest) =>
      pool.transaction(async connection => {
        await connection.run(HOLD)
        const [row] = await connection.run(RENEW, digest, newDigest)
        if (!row) return undefined
        const session = toSession(row)
        await connection.run(DELETE_OTHERS, session.userId, newDigest)
        return session
      }),
    delete: async digest => void (await pool.run(DELETE, digest)),
    list: async userId => (await pool.run(LIST, userId)).map(toSession),
    deleteOf: async (userId, ids) => (await pool.run(DELETE_OF, userId, textArray(ids))).length,
    deleteAllOf: async userId => void (await pool.run(DELETE_ALL_OF, userId)),
  }
}

/**
 * Ends the sessions of a user in a transaction that changes the user. A login that adds a session waits for the commit,
 * and then finds that its user has changed.
 */
export async function endSessionsOf(connection: Connection, userId: string, keptId: string | undefined): Promise<void> {
  await connection.run(HOLD)
  await connection.run(DELETE_EXCEPT, userId, keptId ?? null)
}

function toSession(row: Row): StoredLedgerSession {
  return {
    id: String(row.id),
    userId: String(row.user_id),
    address: row.address === null ? null : String(row.address),
    startedAt: Number(row.started_us),
    usedAt: Number(row.used_us),
  }
}
