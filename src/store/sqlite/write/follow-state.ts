import { AppError } from '../../../model/app-error.js'
import type { FollowMark, Promotion } from '../../../model/follow.js'
import { type Micros, toTimestamp } from '../../../model/timestamp.js'
import { nextFence } from '../../consumer-rules.js'
import { type MissedEvents, notFollowing, type PromotedStore, type PromotionRequest } from '../../copy-store.js'
import { toPlace } from '../../rows/stored-consumer.js'
import type { Database } from '../files/database.js'
import { SEEK } from '../tasks/consumer-tasks.js'
import type { EventWriter } from './event-writer.js'

const FIND = /* sql */ `SELECT value FROM meta WHERE name = ?`
const SAVE = /* sql */ `INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
const DELETE = /* sql */ `DELETE FROM meta WHERE name = ?`
const CONSUMERS = /* sql */ `
  SELECT name, filters, checkpoint, read_to, epoch, fence, leased_until FROM consumers WHERE epoch = ? ORDER BY name`
const FOLLOW = 'follow'
const PROMOTION = 'promotion'
/** `MissedEvents` of a ledger that no longer follows another one. */
const MISSED = 'missed'
const NEWEST = /* sql */ `SELECT captured_us FROM events ORDER BY seq DESC LIMIT 1`
/** Ends following. */
export const END_FOLLOW = [
  /* sql */ `
  INSERT OR REPLACE INTO meta (name, value)
  SELECT '${MISSED}', json_object('after', coalesce((${NEWEST}), 0), 'through', value ->> '$.head')
  FROM meta WHERE name = '${FOLLOW}' AND value ->> '$.head' IS NOT NULL`,
  /* sql */ `DELETE FROM meta WHERE name = '${FOLLOW}'`,
]

/** The epoch of a ledger, shared by all tasks. */
export interface Epoch {
  epoch: string
}

type Rows = Pick<Database, 'first'>

export function findFollow(database: Rows): { mark: FollowMark | null; promotion: Promotion | null } {
  return { mark: find(database, FOLLOW), promotion: find(database, PROMOTION) }
}

/** Whether an event of the leader at this instant is not copied yet or, in a promoted ledger, never was. */
export function isNotCopied(database: Rows, at: Micros): boolean {
  const { mark } = findFollow(database)
  if (mark) return at > Number(database.first(NEWEST)?.captured_us ?? 0) && at <= (mark.head ?? 0)
  const missed = findMissed(database)
  return missed !== null && at > missed.after && at <= missed.through
}

export function findMissed(database: Rows): MissedEvents | null {
  return find(database, MISSED)
}

/** Replaces what a ledger knows of the ledger that it or its original followed. */
export function saveFollowed(
  database: Database,
  { missed, promotion }: { missed: MissedEvents | null; promotion: Promotion | null },
): void {
  for (const [name, value] of [
    [MISSED, missed],
    [PROMOTION, promotion],
  ] as const) {
    if (value) database.run(SAVE, name, JSON.stringify(value))
    else database.run(DELETE, name)
  }
}

function find(database: Rows, name: string) {
  return JSON.parse(String(database.first(FIND, name)?.value ?? 'null'))
}

export function saveFollow(database: Database, mark: FollowMark): void {
  database.run(SAVE, FOLLOW, JSON.stringify(mark))
}

export function saveEpoch(database: Database, ledger: Epoch, epoch: string): void {
  database.run(SAVE, 'epoch', epoch)
  ledger.epoch = epoch
}

/**
 * See `CopyStore.promote`. The ledger has the first events of the other one, and consumers were copied after the events
 * that they have acknowledged, so their checkpoints stay valid. Leases end, because instances may have read events that
 * are not here.
 */
export function promote(
  { database, writer, ledger }: { database: Database; writer: EventWriter; ledger: Epoch },
  { epoch, now }: PromotionRequest,
): PromotedStore | AppError {
  const { mark } = findFollow(database)
  if (!mark) return notFollowing()
  const { head } = writer
  if (epoch === null && (mark.head ?? 0) > (head?.capturedAt ?? 0)) return behind(mark)
  const before = ledger.epoch
  if (epoch !== null) saveEpoch(database, ledger, epoch)
  const consumers = database.all(CONSUMERS, before).map(row => ({ name: String(row.name), ...toPlace(row) }))
  for (const { name, checkpoint, ...place } of consumers) {
    database.run(SEEK, name, checkpoint, ledger.epoch, nextFence(place, now), now)
  }
  const through = head && toTimestamp(head.capturedAt)
  const promotion: Promotion = { at: toTimestamp(now), epoch: before, through, digest: head?.digest ?? null }
  database.run(SAVE, PROMOTION, JSON.stringify(promotion))
  for (const sql of END_FOLLOW) database.run(sql)
  return { epoch: ledger.epoch, head, consumers: consumers.length }
}

function behind({ leader }: FollowMark): AppError {
  const detail = `This ledger does not have all events of ${leader}, so it cannot keep its epoch.`
  return new AppError('conflict', 'follower_behind', detail, {
    hint: 'Start the leader and wait until this ledger is in step, or promote it with a new epoch.',
  })
}
