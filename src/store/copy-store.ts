import type { Micros } from '../model/timestamp.js'
import type { LedgerHead } from './event-store.js'

/** Which part of a ledger another one wants to copy. */
export interface CopyRange {
  /** Events captured after it; null from the first one. */
  since: Micros | null
  /** Changes after this number; null: none, only the newest number. */
  changes: number | null
  /** Of events and of changes. */
  limit: number
  /** The page ends before an event that would make it larger, even before its first one (`CopyPage.neededBytes`). */
  maxBytes: number
}

/** Part of a ledger, of one snapshot, for another ledger to copy. */
export interface CopyPage {
  /** One JSON text a line: stored events, oldest first, then `{"changed":…}` with events that changed, in the order of the changes. */
  lines: Uint8Array
  /** How many there are in `lines`. */
  events: number
  /** The last of the events; the newest one captured up to `since` if there are none; null if there is none of these either. */
  through: LedgerHead | null
  /** The number of the last change in `lines`; the next request begins after it. */
  changes: number
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
  /** The stored JSON in UTF-8, kept byte by byte; of an event whose content was removed, its tombstone. */
  body: Uint8Array
  /** The digest of the content that was removed, in lowercase hex; null if it was not. */
  contentDigest: string | null
}

/** A ledger has it while an import into it is not complete. */
export interface ImportMark {
  /** Of the exported ledger. */
  epoch: string
}

/** Events to copy in one transaction. */
export interface CopyStep {
  /** Oldest first, all captured after the newest stored event. */
  appended: readonly CopiedEvent[]
  /**
   * Events whose counts or subscriptions changed, or that were erased. Those that are not stored are ignored: they are copied
   * with them later.
   */
  changed: readonly CopiedEvent[]
  /** The last appended event in the other ledger, if it is known: its digest has to be the same here. */
  through: LedgerHead | null
}

/** Copies between ledgers: events with the instants, counts and digests that they had. Source: decision 53. */
export interface CopyStore {
  /** A part of this ledger. A change of an event after its capture has a number; only the last one of each event is listed. */
  read(range: CopyRange): Promise<CopyPage>

  /**
   * Stores a part of another ledger as it is there: all or nothing, durable before it resolves.
   *
   * @returns the newest event
   * @throws AppError `conflict/copy_differs` for an event that is not later, whose key is stored already, whose content
   *   changed, or where the digests differ; `unavailable/…` as `EventStore.record`
   */
  write(step: CopyStep): Promise<LedgerHead | null>

  /** Null for a ledger that is complete. */
  findMark(): Promise<ImportMark | null>

  /** @param epoch of the ledger from now on, if it is another one; `health` and pages have it once the store is opened again */
  saveMark(mark: ImportMark | null, epoch?: string): Promise<void>
}
