import { isDeepStrictEqual } from 'node:util'
import type { CaptureState, Subscription } from '../../../model/subscriptions/subscription.js'
import { StaleMatches } from '../../event-store.js'
import type { SubscriptionChanges } from '../../multi-server-store.js'
import { readStoredSubscription } from '../../rows/stored-subscription.js'
import type { SubscriptionStore } from '../../subscription-store.js'
import type { Connection, Row } from '../connection/connection.js'
import type { Pool } from '../connection/pool.js'
import { isStorable, textArray } from '../connection/text-array.js'
import { READ_STATE, refuseMoved } from '../write/refuse-unwritable.js'
import {
  announceChanges,
  changeSubscriptions,
  lockSubscriptions,
  saveStatements,
} from '../write/subscription-changes.js'

const FIND = /* sql */ `SELECT id, owner_user_id, body FROM subscriptions WHERE id = $1`
const LIST_BY_IDS = /* sql */ `
  SELECT id, owner_user_id, body FROM unnest($1::text[]) WITH ORDINALITY AS wanted (id, number)
  JOIN subscriptions USING (id) ORDER BY number`
const LIST = /* sql */ `SELECT id, owner_user_id, body FROM subscriptions ORDER BY id`
const LIST_OF_OWNER = /* sql */ `
  SELECT id, owner_user_id, body FROM subscriptions WHERE owner_user_id = $1 ORDER BY id`
const PAGE = /* sql */ `SELECT id, owner_user_id, body FROM subscriptions WHERE id > $1 ORDER BY id LIMIT $2`
const PAGE_OF_OWNER = /* sql */ `
  SELECT id, owner_user_id, body FROM subscriptions WHERE owner_user_id = $1 AND id > $2 ORDER BY id LIMIT $3`
const COUNT = /* sql */ `SELECT count(*) AS count FROM subscriptions WHERE owner_user_id IS NOT DISTINCT FROM $1`
/** All changes of subscriptions lock this row first, so that they run one after the other. */
export const HOLD_VERSION = /* sql */ `SELECT version FROM subscription_version FOR UPDATE`
const HOLD = /* sql */ `SELECT id, owner_user_id, body FROM subscriptions WHERE id = $1 FOR UPDATE`
const SAVE = /* sql */ `
  INSERT INTO subscriptions (id, owner_user_id, body, version) VALUES ($1, $2, $3, 0)
  ON CONFLICT (id) DO UPDATE SET owner_user_id = excluded.owner_user_id, body = excluded.body`
export const FORGET_DELETIONS = /* sql */ `DELETE FROM deleted_subscriptions WHERE id = ANY ($1::text[])`
export const FIND_QUEUE = /* sql */ `SELECT value FROM meta WHERE name = 'chat_queue'`
export const SAVE_QUEUE = /* sql */ `
  INSERT INTO meta (name, value) VALUES ('chat_queue', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
const DELETE = /* sql */ `DELETE FROM subscriptions WHERE id = $1 RETURNING id`
const NOTE_DELETION = /* sql */ `
  WITH next AS (UPDATE subscription_version SET version = version + 1 RETURNING version)
  INSERT INTO deleted_subscriptions (id, version) SELECT $1, version FROM next
  ON CONFLICT (id) DO UPDATE SET version = excluded.version`
/** In one snapshot. Without a version: no deletions. */
const CHANGED = /* sql */ `
  SELECT clock.version AS newest, changed.* FROM subscription_version AS clock LEFT JOIN (
    SELECT id, owner_user_id, body FROM subscriptions WHERE version > coalesce($1::bigint, 0)
    UNION ALL SELECT id, NULL, NULL FROM deleted_subscriptions WHERE version > $1
  ) AS changed ON true`

export function subscriptionTasks(pool: Pool): SubscriptionStore {
  const list = async (sql: string, ...values: (string | number)[]) => {
    return (await pool.run(sql, ...values)).map(readStoredSubscription)
  }
  return {
    findById: async id => (isStorable(id) ? (await list(FIND, id))[0] : undefined),
    listByIds: async ids =>
      (await pool.run(LIST_BY_IDS, textArray(ids.filter(isStorable)))).map(readStoredSubscription),
    list: async owner => {
      if (owner === undefined) return list(LIST)
      return isStorable(owner) ? list(LIST_OF_OWNER, owner) : []
    },
    listPage: async ({ owner, after = '', limit }) => {
      if (owner === undefined) return list(PAGE, after, limit)
      return isStorable(owner) ? list(PAGE_OF_OWNER, owner, after, limit) : []
    },
    count: async owner => Number((await pool.run(COUNT, owner))[0]?.count),
    save: (subscription, overwrite = [], readAs) =>
      pool.transaction(async connection => {
        await holdVersion(connection)
        const [row] = await connection.run(HOLD, subscription.id)
        const before = row && readStoredSubscription(row)
        if (readAs !== undefined && !isDeepStrictEqual(chosen(before), chosen(readAs ?? undefined)))
          throw new StaleMatches()
        const saved: Subscription = { ...subscription }
        if (before && !overwrite.includes('last_cursor')) saved.last_cursor = before.last_cursor
        if (before && !overwrite.includes('last_event_at')) saved.last_event_at = before.last_event_at
        if (before?.capture && !overwrite.includes('capture')) saved.capture = before.capture
        await connection.run(SAVE, saved.id, saved.owner_user_id, JSON.stringify(saved))
        await connection.run(FORGET_DELETIONS, textArray([saved.id]))
        await announceChanges(connection, [saved.id])
        return { created: before === undefined, subscription: saved }
      }),
    noteCapture: async (id, captured: CaptureState, cursor) => {
      await pool.transaction(async connection => {
        await holdVersion(connection)
        const changed = changeSubscriptions(await lockSubscriptions(connection, [id]), [{ id, captured, cursor }])
        await connection.runAll(saveStatements(changed))
        if (changed.rematched.length > 0) await announceChanges(connection, changed.rematched)
      })
    },
    findQueueMark: async () => {
      const [row] = await pool.run(FIND_QUEUE)
      return row && JSON.parse(String(row.value))
    },
    saveQueueMark: mark =>
      pool.transaction(async connection => {
        await holdVersion(connection)
        await connection.run(SAVE_QUEUE, JSON.stringify(mark))
      }),
    delete: async id => {
      if (!isStorable(id)) return false
      return pool.transaction(async connection => {
        await holdVersion(connection)
        if ((await connection.run(DELETE, id)).length === 0) return false
        await connection.run(NOTE_DELETION, id)
        return true
      })
    },
  }
}

/** Without what events change: only users change the rest. */
function chosen(subscription: Subscription | undefined): Partial<Subscription> | undefined {
  if (!subscription) return undefined
  const { last_cursor: _cursor, last_event_at: _at, capture: _capture, ...others } = subscription
  return others
}

async function holdVersion(connection: Connection): Promise<void> {
  await connection.run(HOLD_VERSION)
  refuseMoved((await connection.run(READ_STATE))[0])
}

/** See `MultiServerStore`. */
export async function readSubscriptionChanges(pool: Pool, since: number | undefined): Promise<SubscriptionChanges> {
  const rows = await pool.run(CHANGED, since ?? null)
  const changed = rows.filter(row => row.id !== null)
  const isDeleted = (row: Row) => row.body === null
  return {
    version: Number(rows[0]?.newest),
    saved: changed.filter(row => !isDeleted(row)).map(readStoredSubscription),
    deleted: changed.filter(isDeleted).map(row => String(row.id)),
  }
}
