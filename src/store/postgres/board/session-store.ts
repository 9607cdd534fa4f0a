import type { BoardSessionStore } from '../../board-session-store.js'
import { allSettled } from '../connection/connection.js'
import type { Pool } from '../connection/pool.js'
import { isStorable } from '../connection/text-array.js'

const IS_LIVE = /* sql */ `SELECT 1 AS found FROM sessions WHERE digest = $1 AND signing_key = $2 AND expires_at > $3`
const COUNT = /* sql */ `SELECT count(*) AS sessions FROM sessions`
/** Logins of several servers are counted one after the other. */
const HOLD = /* sql */ `LOCK TABLE sessions IN SHARE ROW EXCLUSIVE MODE`
const COUNT_SIGNED = /* sql */ `SELECT count(*) AS sessions FROM sessions WHERE signing_key = $1`
const INSERT = /* sql */ `INSERT INTO sessions (digest, signing_key, expires_at) VALUES ($1, $2, $3)`
const DELETE = /* sql */ `DELETE FROM sessions WHERE digest = $1`
const DELETE_ALL = /* sql */ `DELETE FROM sessions`
const PURGE = /* sql */ `DELETE FROM sessions WHERE expires_at <= $1 RETURNING digest`
const DELETE_SIGNED_OTHERWISE = /* sql */ `DELETE FROM sessions WHERE signing_key <> $1`

/** Source: decisions on security, section 2, "B capacity" and "B store". */
export function sessionStore(pool: Pool, salt: string): BoardSessionStore {
  return {
    salt,
    add: ({ digest, key, expiresAt }, { now, max, replaces }) =>
      pool.transaction(async connection => {
        const [, , , counted] = await allSettled(
          connection.run(HOLD),
          connection.run(PURGE, now),
          connection.run(DELETE, replaces ?? ''),
          connection.run(COUNT_SIGNED, key),
        )
        if (Number(counted[0]?.sessions) >= max) return false
        await connection.run(INSERT, digest, key, expiresAt)
        return true
      }),
    isLive: async (digest, key, now) => isStorable(digest) && (await pool.run(IS_LIVE, digest, key, now)).length > 0,
    end: async (digest, now) => {
      await pool.run(DELETE, digest)
      await pool.run(PURGE, now)
    },
    purge: async now => (await pool.run(PURGE, now)).length,
    keepSignedBy: async key => {
      if (key === undefined) await pool.run(DELETE_ALL)
      else await pool.run(DELETE_SIGNED_OTHERWISE, key)
    },
    count: async () => Number((await pool.run(COUNT))[0]?.sessions),
  }
}
