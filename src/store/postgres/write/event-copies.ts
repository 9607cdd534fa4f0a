import type { StoredEvent } from '../../../model/events/event.js'
import { findTimestamp, type Micros } from '../../../model/timestamp.js'
import {
  type CopiedEvent,
  type CopyStep,
  copiedEventDiffers,
  findUnordered,
  hasChanged,
  keyIsStored,
  otherChain,
} from '../../copy-store.js'
import { chainDigest, contentDigest } from '../../event-digest.js'
import type { LedgerHead } from '../../event-store.js'
import { findOutline, LARGE_EVENT_BYTES } from '../../large-event.js'
import { normalContentOf } from '../../rows/older-content.js'
import { borderOf } from '../../rows/removed-events.js'
import type { Connection, Row } from '../connection/connection.js'
import { isStorable, textArray } from '../connection/text-array.js'
import { type ErasedEvent, leaveTombstones } from '../erase/eraser.js'
import { moveBorder } from '../erase/pruned-events.js'
import { CONTENT_DIGEST } from '../erase/stored-tombstone.js'
import { FACET_SEPARATOR, facet, facetsOf } from '../search/facets.js'
import { searchableTextOf, searchableTextOfJson } from '../search/searchable-text.js'
import { changedEvents, noteChanges, TAKE_CLOCK, toClock } from './event-writer.js'
import type { Clock, CreatedEvent, GroupChanges, KnownEvent, Tally } from './numbered-events.js'
import { mutableMembersJson, readTail } from './prepared-event.js'
import { refuseMoved } from './refuse-unwritable.js'

const STORED_KEYS = /* sql */ `SELECT dedupe_key FROM event_keys WHERE dedupe_key = ANY ($1::text[])`
const STORED = /* sql */ `
  SELECT event_keys.dedupe_key, event_keys.captured_us, seen_count, coalesce(events.source, removed.source) AS source,
    coalesce(events.tail, removed.tail) AS tail, coalesce(removed.content_digest, events.content_digest) AS removed_digest,
    coalesce(removed.content_digest, events.digest_of_content) AS content_digest
  FROM event_keys LEFT JOIN LATERAL (
    SELECT source, tail, content_digest, ${CONTENT_DIGEST} AS digest_of_content FROM events
    WHERE events.captured_us = event_keys.captured_us
  ) AS events ON true
  LEFT JOIN pruned_events AS removed ON removed.captured_us = event_keys.captured_us
  WHERE event_keys.dedupe_key = ANY ($1::text[])`

/** A copied event as it is stored. */
interface Copied {
  copied: CopiedEvent
  /** Without the payload of a large one. */
  event: StoredEvent
  content: Buffer
  tail: string
  /** In Latin-1; also for content that was removed. */
  contentDigest: string
}

/**
 * Stores a part of another ledger in one transaction, which holds the clock.
 *
 * @returns the newest event
 * @throws AppError `conflict/copy_differs`, before any change
 */
export function writeCopies(
  connection: Connection,
  { appended, changed, through }: CopyStep,
): Promise<LedgerHead | null> {
  return connection.transaction(async () => {
    const [row] = await connection.run(TAKE_CLOCK)
    refuseMoved(row)
    const clock = toClock(row)
    const refusal = findUnordered(appended, clock.last)
    if (refusal) throw refusal
    const keys = appended.map(event => event.storedKey).filter(isStorable)
    const [known] = keys.length === 0 ? [] : await connection.run(STORED_KEYS, textArray(keys))
    if (known) throw keyIsStored(String(known.dedupe_key))
    const created = await chained(clock, appended.map(toCopied))
    const last = created.at(-1)
    if (through?.digest && last && last.digest.toString('hex') !== through.digest) throw otherChain(through)
    const changes = await findChanges(connection, clock, changed)
    const group = new CopiedGroup(clock, created, changes)
    await connection.runAll(changedEvents(clock, group))
    const hadChanged = created.filter(({ copied }) => hasChanged(copied))
    await noteChanges(
      connection,
      hadChanged.map(event => event.capturedAt),
    )
    for (const { capturedAt, copied } of created) {
      const border = borderOf(copied)
      if (border !== undefined) await moveBorder(connection, border, capturedAt)
    }
    await leaveTombstones(
      connection,
      changes.flatMap(({ erased }) => (erased ? [erased] : [])),
    )
    return group.seq === 0 ? null : { capturedAt: group.last, digest: group.digest.toString('hex') }
  })
}

type CopiedCreation = CreatedEvent & { copied: CopiedEvent }

/** The events with their numbers and digests. */
async function chained(clock: Clock, events: readonly Copied[]): Promise<CopiedCreation[]> {
  let { seq, digest } = clock
  const created: CopiedCreation[] = []
  for (const { copied, event, content, tail, contentDigest } of events) {
    const { storedKey, source, kind, subjectId, capturedAt, seenCount, subscriptionIds } = copied
    digest = chainDigest(digest, contentDigest, capturedAt)
    const isLarge = copied.body.byteLength > LARGE_EVENT_BYTES
    const texts = isLarge ? await searchableTextOfJson(event, copied.body) : searchableTextOf(event)
    const facets = [...facetsOf(event)].join(FACET_SEPARATOR)
    const occurredAt = findTimestamp(event.occurred_at)?.micros ?? null
    const prepared = {
      storedKey,
      dedupeKey: event.dedupe_key,
      source,
      kind,
      subjectId,
      occurredAt,
      content,
      contentDigest,
      facets,
      ...texts,
      subscriptionIds,
      matches: [],
      trigrams: 0,
      isAnswered: false,
    }
    created.push({
      copied,
      event: prepared,
      key: storedKey,
      source,
      capturedAt,
      seenCount,
      tail,
      content,
      facets,
      digest,
      subscriptionIds: [...subscriptionIds],
      isPruned: false,
      seq: ++seq,
      removedDigest: copied.contentDigest,
    })
  }
  return created
}

/** Changes of a stored event. */
interface Change {
  known: KnownEvent
  /** Number of additional deliveries. */
  repeats: number
  /** Its content is to be removed. */
  erased: ErasedEvent | undefined
}

/** The changes of events that are stored. */
async function findChanges(connection: Connection, clock: Clock, changed: readonly CopiedEvent[]): Promise<Change[]> {
  const keys = changed.map(event => event.storedKey).filter(isStorable)
  const stored = keys.length === 0 ? [] : await connection.run(STORED, textArray(keys))
  const rows = new Map(stored.map(row => [String(row.dedupe_key), row]))
  // The last change of an event counts.
  const changes = new Map<string, Change>()
  for (const event of changed) {
    const row = rows.get(event.storedKey)
    const change = row && row.tail !== null ? toChange(clock, row, toCopied(event)) : undefined
    if (change) changes.set(event.storedKey, change)
  }
  return [...changes.values()]
}

function toChange(
  { prunedThrough }: Clock,
  row: Row,
  { copied, event, tail, contentDigest }: Copied,
): Change | undefined {
  const { storedKey, capturedAt, seenCount, subscriptionIds } = copied
  const isSame =
    Number(row.captured_us) === capturedAt &&
    Buffer.from(contentDigest, 'latin1').toString('hex') === String(row.content_digest)
  if (!isSame) throw copiedEventDiffers(storedKey, 'Its content is not that of the stored event.')
  const isErased = copied.contentDigest !== null
  // A resumed copy reads changes again that came before the erasure.
  if (row.removed_digest !== null && !isErased) return undefined
  const before = readTail(String(row.tail))
  const isPruned = capturedAt <= prunedThrough
  const added = isPruned ? [] : subscriptionIds.filter(id => !before.subscriptionIds.includes(id))
  const isErasedNow = isErased && row.removed_digest === null && !isPruned
  return {
    known: {
      key: storedKey,
      source: String(row.source),
      capturedAt,
      seenCount,
      tail,
      content: undefined,
      isPruned,
      subscriptionIds: [...subscriptionIds],
      facets: added.map(id => facet('subscription', id)).join(FACET_SEPARATOR),
    },
    repeats: seenCount - Number(row.seen_count),
    erased: isErasedNow ? { at: capturedAt, tombstone: event } : undefined,
  }
}

/** The changes of a step in the events of the ledger. */
class CopiedGroup implements GroupChanges {
  readonly repeated: KnownEvent[]
  readonly sources = new Map<string, Tally>()
  readonly kinds = new Map<string, number>()
  readonly last: Micros
  readonly seq: number
  readonly digest: Buffer

  constructor(
    clock: Clock,
    readonly created: readonly CreatedEvent[],
    changes: readonly Change[],
  ) {
    const newest = created.at(-1)
    this.last = newest?.capturedAt ?? clock.last
    this.seq = newest?.seq ?? clock.seq
    this.digest = newest?.digest ?? clock.digest
    this.repeated = changes.map(({ known }) => known)
    for (const { source, seenCount, capturedAt, event } of created) {
      const tally = this.#tallyOf(source)
      tally.events++
      tally.duplicates += seenCount - 1
      tally.latest = capturedAt
      this.kinds.set(event.kind, (this.kinds.get(event.kind) ?? 0) + 1)
    }
    for (const { known, repeats } of changes) this.#tallyOf(known.source).duplicates += repeats
  }

  #tallyOf(source: string): Tally {
    const tally = this.sources.get(source) ?? { events: 0, duplicates: 0, latest: 0 }
    this.sources.set(source, tally)
    return tally
  }
}

function toCopied(copied: CopiedEvent): Copied {
  const { storedKey, source, kind, subjectId } = copied
  if (![storedKey, source, kind, subjectId].every(isStorable)) {
    throw copiedEventDiffers(
      storedKey,
      'Its key, source, kind or subject has a character that PostgreSQL cannot store.',
    )
  }
  const body = Buffer.from(copied.body.buffer, copied.body.byteOffset, copied.body.byteLength)
  const event = body.length > LARGE_EVENT_BYTES ? findOutline(body) : (JSON.parse(body.toString()) as StoredEvent)
  if (!event) throw copiedEventDiffers(storedKey, 'Its members cannot be read.')
  const content = normalContentOf(body)
  const { capturedAt, seenCount, subscriptionIds } = copied
  const lastSeenAt = findTimestamp(event.last_seen_at)?.micros ?? capturedAt
  return {
    copied,
    event,
    content,
    tail: mutableMembersJson({ subscriptionIds, capturedAt, seenCount, lastSeenAt }),
    contentDigest:
      copied.contentDigest === null
        ? contentDigest(content)
        : Buffer.from(copied.contentDigest, 'hex').toString('latin1'),
  }
}
