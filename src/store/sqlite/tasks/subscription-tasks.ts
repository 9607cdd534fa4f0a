import type { QueueMark } from '../../../model/subscriptions/live-capture.js'
import type { CaptureState, Subscription } from '../../../model/subscriptions/subscription.js'
import { readStoredSubscription } from '../../rows/stored-subscription.js'
import type { MaintainedMember } from '../../subscription-store.js'
import type { Database } from '../files/database.js'
import { read, write } from '../thread/task.js'
import { noteCapture } from './capture-state.js'

const FIND = /* sql */ `SELECT id, owner_user_id, body FROM subscriptions WHERE id = ?`
const LIST_BY_IDS = /* sql */ `
  SELECT found.id, owner_user_id, body FROM json_each(?) AS wanted JOIN subscriptions AS found ON found.id = wanted.value
  ORDER BY wanted.key`
const LIST = /* sql */ `SELECT id, owner_user_id, body FROM subscriptions ORDER BY id`
const LIST_OF_OWNER = /* sql */ `SELECT id, owner_user_id, body FROM subscriptions WHERE owner_user_id = ? ORDER BY id`
const PAGE = /* sql */ `SELECT id, owner_user_id, body FROM subscriptions WHERE id > ? ORDER BY id LIMIT ?`
const PAGE_OF_OWNER = /* sql */ `
  SELECT id, owner_user_id, body FROM subscriptions WHERE owner_user_id = ? AND id > ? ORDER BY id LIMIT ?`
const COUNT = /* sql */ `SELECT count(*) AS count FROM subscriptions WHERE owner_user_id IS ?`
const SAVE = /* sql */ `
  INSERT INTO subscriptions (id, owner_user_id, body) VALUES (?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET owner_user_id = excluded.owner_user_id, body = excluded.body`
const FIND_QUEUE = /* sql */ `SELECT value FROM meta WHERE name = 'chat_queue'`
const SAVE_QUEUE = /* sql */ `
  INSERT INTO meta (name, value) VALUES ('chat_queue', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
const DELETE = /* sql */ `DELETE FROM subscriptions WHERE id = ?`

/** The methods of `SubscriptionStore`, in the order of the contract. */
export function subscriptionTasks(database: Database) {
  return {
    findById: read((id: string) => findSubscription(database, id)),
    listByIds: read((ids: readonly string[]) => {
      return database.all(LIST_BY_IDS, JSON.stringify(ids)).map(readStoredSubscription)
    }),
    list: read((owner?: string) => {
      const rows = owner === undefined ? database.all(LIST) : database.all(LIST_OF_OWNER, owner)
      return rows.map(readStoredSubscription)
    }),
    listPage: read(({ owner, after = '', limit }: { owner?: string; after?: string; limit: number }) => {
      const rows =
        owner === undefined ? database.all(PAGE, after, limit) : database.all(PAGE_OF_OWNER, owner, after, limit)
      return rows.map(readStoredSubscription)
    }),
    count: read((owner: string | null) => Number(database.first(COUNT, owner)?.count)),
    save: write((subscription: Subscription, overwrite: readonly MaintainedMember[] = []) => {
      const before = findSubscription(database, subscription.id)
      const saved: Subscription = { ...subscription }
      if (before && !overwrite.includes('last_cursor')) saved.last_cursor = before.last_cursor
      if (before && !overwrite.includes('last_event_at')) saved.last_event_at = before.last_event_at
      if (before?.capture && !overwrite.includes('capture')) saved.capture = before.capture
      database.run(SAVE, saved.id, saved.owner_user_id, JSON.stringify(saved))
      return { created: before === undefined, subscription: saved }
    }),
    noteCapture: write((id: string, changes: CaptureState, cursor?: string) => {
      noteCapture(database, id, changes, cursor)
    }),
    findQueueMark: read(() => findQueueMark(database)),
    saveQueueMark: write((mark: QueueMark) => saveQueueMark(database, mark)),
    delete: write((id: string) => database.run(DELETE, id) > 0),
  }
}

export function findQueueMark(database: Database): QueueMark | undefined {
  const row = database.first(FIND_QUEUE)
  return row && JSON.parse(String(row.value))
}

export function saveQueueMark(database: Database, mark: QueueMark): void {
  database.run(SAVE_QUEUE, JSON.stringify(mark))
}

function findSubscription(database: Database, id: string): Subscription | undefined {
  const row = database.first(FIND, id)
  return row && readStoredSubscription(row)
}
