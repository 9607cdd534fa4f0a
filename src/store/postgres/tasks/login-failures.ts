import { createHash } from 'node:crypto'
import type { LoginFailureStore } from '../../login-failure-store.js'
import type { Pool } from '../connection/pool.js'
import { bigintArray, textArray } from '../connection/text-array.js'

/**
 * Used by the migrations of ledger and board. A key is a digest, because people type passwords into the wrong field.
 */
export const LOGIN_FAILURE_TABLE = /* sql */ `
  CREATE TABLE login_failures (
    key text COLLATE "C" PRIMARY KEY, failures integer NOT NULL, ends_at timestamptz NOT NULL, last_at timestamptz NOT NULL
  );
  CREATE INDEX login_failures_by_end ON login_failures (ends_at)`

const NOW = 'clock_timestamp()'
const READ = /* sql */ `
  SELECT key, failures, (extract(epoch FROM ends_at - ${NOW}) * 1000)::bigint AS left_ms,
    (extract(epoch FROM ${NOW} - last_at) * 1000)::bigint AS since_ms
  FROM login_failures WHERE key = ANY ($1::text[]) AND ends_at > ${NOW}`
/**
 * An index can find these: `clock_timestamp()` may change from row to row. Those that another server is counting stay: it
 * locks them in another order.
 */
const DROP_ENDED = /* sql */ `
  DELETE FROM login_failures WHERE key = ANY (ARRAY(
    SELECT key FROM login_failures WHERE ends_at < statement_timestamp() FOR UPDATE SKIP LOCKED))`
/** In the order of the keys, so that servers cannot deadlock. */
const ADD = /* sql */ `
  INSERT INTO login_failures AS known (key, failures, ends_at, last_at)
  SELECT key, 1, ${NOW} + make_interval(secs => window_ms / 1000.0), ${NOW}
  FROM unnest($1::text[], $2::bigint[]) AS failed (key, window_ms) ORDER BY key
  ON CONFLICT (key) DO UPDATE SET
    failures = CASE WHEN known.ends_at > ${NOW} THEN known.failures + 1 ELSE 1 END,
    ends_at = CASE
      WHEN known.ends_at > ${NOW} AND NOT (excluded.key = ANY ($3::text[]) AND known.failures >= $4) THEN known.ends_at
      ELSE excluded.ends_at END,
    last_at = excluded.last_at`
const CLEAR = /* sql */ `DELETE FROM login_failures WHERE key = $1`

export function loginFailures(pool: Pool): LoginFailureStore {
  return {
    read: async keys => {
      const digests = keys.map(digestOf)
      const rows = await pool.run(READ, textArray(digests))
      return digests.map(digest => {
        const row = rows.find(({ key }) => key === digest)
        return row && { failures: Number(row.failures), leftMs: Number(row.left_ms), sinceMs: Number(row.since_ms) }
      })
    },
    add: async keys => {
      await pool.run(DROP_ENDED)
      const extended = keys.filter(({ extendsFrom }) => extendsFrom !== undefined)
      await pool.run(
        ADD,
        textArray(keys.map(({ key }) => digestOf(key))),
        bigintArray(keys.map(({ windowMs }) => windowMs)),
        textArray(extended.map(({ key }) => digestOf(key))),
        extended[0]?.extendsFrom ?? 0,
      )
    },
    clear: async key => void (await pool.run(CLEAR, digestOf(key))),
  }
}

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}
