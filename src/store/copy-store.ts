import { AppError } from '../model/app-error.js'
import type { FollowMark, Promotion } from '../model/follow.js'
import type { QueueMark } from '../model/subscriptions/live-capture.js'
import type { Subscription } from '../model/subscriptions/subscription.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import type { StoredConsumer, StoredDeadLetter } from './consumer-store.js'
import type { LedgerHead } from './event-store.js'
import type { Note } from './note-store.js'
import type { SourceWithSecrets } from './source-store.js'
import type { StoredToken, StoredUser } from './user-store.js'

/** The part of a ledger that another ledger requests. */
export interface CopyRange {
  /** Events captured after it; null from the first one. */
  since: Micros | null
  /** Changes after this number; null: none, only the newest number. */
  changes: number | null
  /** Maximum number of events, and of changes. */
  limit: number
  /** A page stops before an event that would exceed it, so it can be empty: see `CopyPage.neededBytes`. */
  maxBytes: number
}

/** Part of a ledger, of one snapshot, for another ledger to copy. */
export interface CopyPage {
  /** One JSON text a line: stored events, oldest first, then `{"changed":…}` with events that changed, in the order of the changes. */
  lines: Uint8Array
  /** The number of events in `lines`. */
  events: number
  /** The last event in `lines`. Without events: the newest one captured up to `since`, or null if there is none. */
  through: LedgerHead | null
  /** The number of the last change in `lines`; the next request begins after it. */
  changes: number
  /** Identifies the database that numbers the changes. Numbers can be compared only where this is the same. */
  numbering: string
  /** How many events there are after the page. */
  eventsLeft: number
  /** Whether there are more events or changes in the snapshot. */
  hasMore: boolean
  /** The size of the first line if it alone is larger than `maxBytes`; the page is then empty. */
  neededBytes?: number
  /** Newest `captured_at` of the ledger. */
  head: Micros | null
  epoch: string
}

/** An event as another ledger has stored it. */
export interface CopiedEvent {
  /** As `storedKeyOf` returns it. */
  storedKey: string
  capturedAt: Micros
  source: string
  kind: string
  subjectId: string
  seenCount: number
  subscriptionIds: readonly string[]
  /** The stored JSON in UTF-8, unchanged byte for byte; if its content was removed, its tombstone. */
  body: Uint8Array
  /** Digest of the removed content, in lowercase hex; null if the content was not removed. */
  contentDigest: string | null
}

/**
 * Whether an event had changed before it was copied. The copy numbers that change as one of its own: a ledger that
 * followed the original, and now follows the copy, may not have it.
 */
export function hasChanged({ seenCount, contentDigest }: CopiedEvent): boolean {
  return seenCount > 1 || contentDigest !== null
}

/** Present while an import into the ledger is incomplete. */
export interface ImportMark {
  /** Epoch of the exported ledger. */
  epoch: string
  /**
   * For a copy that reads the other ledger directly: the last change that was copied, and the database that numbers the
   * changes.
   */
  changes?: number
  numbering?: string
}

/** Another ledger continues this one: it has the same events, and the same epoch. */
export interface MovedMark {
  /** Path, or address without its password. */
  to: string
}

/** State of a ledger apart from its events, as another ledger copies it. */
export interface LedgerState {
  /** It has, or once had, users or an admin token. */
  closed: boolean
  subscriptions: Subscription[]
  users: StoredUser[]
  /** In the order in which they were issued. */
  tokens: StoredToken[]
  consumers: Omit<StoredConsumer, 'dead_letters' | 'retries'>[]
  /** The first ones, up to `COPY_LIMITS.deadLetters`. */
  dead_letters: (StoredDeadLetter & { consumer: string })[]
}

/**
 * Further state that a ledger takes along when it moves. It contains secrets, so it is separate from `LedgerState`,
 * which followers and exports read.
 */
export interface MovedState {
  /** By name. */
  sources: SourceWithSecrets[]
  /** State that the last reading of each feed left, by name. */
  feeds: Note[]
  /** Null: no event queue was read. */
  queue: QueueMark | null
  /** Null: it never followed another ledger, or had all of its events. */
  missed: MissedEvents | null
  /** Null: it never followed another ledger. */
  promotion: Promotion | null
}

/**
 * Instants of events of a former leader that were never copied. Those among them that recorded erasures are missing, but
 * the erased events may have been copied without their content.
 */
export interface MissedEvents {
  /** The newest event that was copied; 0 for none. */
  after: Micros
  through: Micros
}

/** Options for promoting a follower to a ledger of its own. */
export interface PromotionRequest {
  /** Null: it keeps the epoch of its former leader, which is no longer used. */
  epoch: string | null
  now: Micros
}

/** A ledger that no longer follows another one. */
export interface PromotedStore {
  epoch: string
  head: LedgerHead | null
  /** How many named consumers it has. */
  consumers: number
}

/** Events to copy in one transaction. */
export interface CopyStep {
  /** Oldest first, all captured after the newest stored event. */
  appended: readonly CopiedEvent[]
  /**
   * Events whose counts or subscriptions changed, or that were erased. Events that are not stored yet are ignored: a
   * later step copies them with their changes.
   */
  changed: readonly CopiedEvent[]
  /** The last appended event in the other ledger, if it is known: its digest has to be the same here. */
  through: LedgerHead | null
  /** The position of the follower in the other ledger after this step. */
  mark?: FollowMark | undefined
}

/** Copies events between ledgers, with their original instants, counts and digests. Source: decision 53. */
export interface CopyStore {
  /**
   * Reads a part of this ledger. Each change of an event after its capture has a number; only the last change of each
   * event is listed.
   */
  read(range: CopyRange): Promise<CopyPage>

  /**
   * Stores a part of another ledger unchanged: all or nothing, durable before it resolves.
   *
   * @returns the newest event
   * @throws AppError `conflict/copy_differs` for an event that is not later, whose key is stored already, whose content
   *   changed, or where the digests differ; `conflict/not_following` with a mark, if it no longer follows;
   *   `unavailable/…` as `EventStore.record`
   */
  write(step: CopyStep): Promise<LedgerHead | null>

  /** Null for a ledger that is complete. */
  findMark(): Promise<ImportMark | null>

  /** @param epoch new epoch of the ledger, if it changes; `health` and pages show it after the store is reopened */
  saveMark(mark: ImportMark | null, epoch?: string): Promise<void>

  /** Null for a ledger that was not moved. */
  findMoved(): Promise<MovedMark | null>

  /**
   * While a mark is saved, no process changes what the other ledger continues: events, `LedgerState` and `MovedState`.
   * Sessions and the account log stay with this ledger, and can change. Null removes the mark.
   */
  saveMoved(mark: MovedMark | null): Promise<void>

  /** All from one snapshot. @param deadLetters the maximum number of them; `COPY_LIMITS.deadLetters` if absent */
  readState(deadLetters?: number): Promise<LedgerState>

  /** Replaces the given parts of the state, in one transaction. A closed ledger stays closed. */
  writeState(state: Partial<LedgerState>): Promise<void>

  /** All from one snapshot. */
  readMovedState(): Promise<MovedState>

  /** Replaces all of it, in one transaction. */
  writeMovedState(state: MovedState): Promise<void>

  /** Whether it follows another ledger, or was promoted after it had followed one. */
  findFollow(): Promise<{ mark: FollowMark | null; promotion: Promotion | null }>

  /**
   * Makes this ledger a follower of another one, with its epoch and accounts. The caller has checked that this ledger
   * is new.
   */
  beginFollow(mark: FollowMark, epoch: string, accounts: Partial<LedgerState>): Promise<void>

  /**
   * Ends following. Named consumers continue at their checkpoints.
   *
   * @throws AppError `conflict/not_following`; `conflict/follower_behind` if the epoch stays and events are missing
   */
  promote(request: PromotionRequest): Promise<PromotedStore>
}

export function notFollowing(): AppError {
  return new AppError('conflict', 'not_following', 'This ledger does not follow another one.')
}

export function otherChain({ capturedAt }: LedgerHead): AppError {
  const detail = `The copied events up to ${toTimestamp(capturedAt)} do not have the digest that the other ledger has.`
  return new AppError('conflict', 'copy_differs', `${detail} They or events before them are not the same.`)
}

/** @returns an error for the first event that is not later than the one before it, or has the key of an earlier one */
export function findUnordered(appended: readonly CopiedEvent[], after: Micros): AppError | undefined {
  const keys = new Set<string>()
  let last = after
  for (const { storedKey, capturedAt } of appended) {
    if (capturedAt <= last) {
      const reason = `It was captured at ${toTimestamp(capturedAt)}, not after the event before it.`
      return copiedEventDiffers(storedKey, reason)
    }
    if (keys.has(storedKey)) return keyIsStored(storedKey)
    last = capturedAt
    keys.add(storedKey)
  }
  return undefined
}

export function keyIsStored(storedKey: string): AppError {
  return copiedEventDiffers(storedKey, 'The ledger has an event of this key.')
}

export function copiedEventDiffers(storedKey: string, reason: string): AppError {
  return new AppError('conflict', 'copy_differs', `The copied event ${storedKey} does not fit the ledger. ${reason}`)
}
