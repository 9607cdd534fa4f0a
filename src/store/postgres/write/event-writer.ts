import type { Micros } from '../../../model/timestamp.js'
import { contentOf } from '../../event-digest.js'
import { StaleMatches } from '../../event-store.js'
import { allSettled, type Connection, type Row, type Statement } from '../connection/connection.js'
import { bigintArray, textArray } from '../connection/text-array.js'
import { readRemoved } from '../erase/stored-tombstone.js'
import { FACET_SEPARATOR } from '../search/facets.js'
import { leaseLost } from '../tasks/leases.js'
import {
  type Clock,
  type CreatedEvent,
  type GroupChanges,
  type KnownEvent,
  NumberedEvents,
  type WrittenEvent,
} from './numbered-events.js'
import type { PreparedEvent } from './prepared-event.js'
import { refuseUnwritable } from './refuse-unwritable.js'
import {
  announceChanges,
  type ChangedSubscriptions,
  changeSubscriptions,
  lockSubscriptions,
  saveStatements,
} from './subscription-changes.js'

export const TAKE_CLOCK = /* sql */ `
  SELECT last_us, seq, digest, marked_us, marked_seq, changes, pruned_us, state FROM ledger_clock FOR UPDATE`
const SUBSCRIPTION_VERSION = /* sql */ `
  SELECT version, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now_us FROM subscription_version`
const HOLD_SUBSCRIPTION_VERSION = /* sql */ `${SUBSCRIPTION_VERSION} FOR UPDATE`
const HELD_LEASES = /* sql */ `
  SELECT name FROM leases JOIN unnest($1::text[], $2::bigint[]) AS wanted (name, fence) USING (name, fence)`
const STORED = /* sql */ `
  SELECT event_keys.dedupe_key, event_keys.captured_us, seen_count, coalesce(events.source, removed.source) AS source,
    coalesce(events.tail, removed.tail) AS tail,
    CASE WHEN event_keys.dedupe_key = ANY ($2::text[]) THEN body END AS body
  FROM event_keys LEFT JOIN events USING (captured_us)
  LEFT JOIN pruned_events AS removed ON removed.captured_us = event_keys.captured_us
  WHERE event_keys.dedupe_key = ANY ($1::text[])`

/**
 * Adds the new events of a group, counts all of them, and moves the clock. It is one statement, because each statement
 * takes a fixed time while the groups of other servers wait.
 */
const RECORD = /* sql */ `
  WITH keys AS (
    INSERT INTO event_keys (dedupe_key, captured_us, seen_count)
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[])
  ), added AS (
    INSERT INTO events (dedupe_key, captured_us, seq, source, kind, subject_id, digest, tail, facets, body, said, long_said,
      occurred_us, content_digest)
    SELECT dedupe_key, captured_us, seq, source, kind, subject_id, decode(digest, 'hex'), tail,
      string_to_array(facets, '${FACET_SEPARATOR}'), body, said, long_said, occurred_us, content_digest
    FROM unnest($1::text[], $2::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
      $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[], $15::text[])
      AS event (dedupe_key, captured_us, seq, source, kind, subject_id, digest, tail, facets, body, said, long_said,
        occurred_us, content_digest)
  ), sources AS (
    INSERT INTO source_counters AS counter (source, events, duplicates, latest_us)
    SELECT source, events, duplicates, nullif(latest_us, 0)
    FROM unnest($16::text[], $17::bigint[], $18::bigint[], $19::bigint[]) AS tally (source, events, duplicates, latest_us)
    ON CONFLICT (source) DO UPDATE SET events = counter.events + excluded.events,
      duplicates = counter.duplicates + excluded.duplicates, latest_us = coalesce(excluded.latest_us, counter.latest_us)
  ), kinds AS (
    INSERT INTO kind_counters AS counter (kind, events) SELECT * FROM unnest($20::text[], $21::bigint[])
    ON CONFLICT (kind) DO UPDATE SET events = counter.events + excluded.events
  )
  UPDATE ledger_clock SET last_us = $22, seq = $23, digest = $24, marked_us = $25, marked_seq = $26, changes = $27`
const COUNT_REPEATS = /* sql */ `
  UPDATE event_keys SET seen_count = repeat.seen_count
  FROM unnest($1::text[], $2::bigint[]) AS repeat (dedupe_key, seen_count)
  WHERE event_keys.dedupe_key = repeat.dedupe_key`
const CHANGE_REPEATS = /* sql */ `
  UPDATE events SET tail = repeat.tail
  FROM unnest($1::bigint[], $2::text[]) AS repeat (captured_us, tail)
  WHERE events.captured_us = repeat.captured_us`
const CHANGE_PRUNED_REPEATS = /* sql */ `
  UPDATE pruned_events SET tail = repeat.tail
  FROM unnest($1::bigint[], $2::text[]) AS repeat (captured_us, tail)
  WHERE pruned_events.captured_us = repeat.captured_us`
const NOTE_CHANGES = /* sql */ `
  INSERT INTO event_changes (captured_us, number)
  SELECT captured_us, $2::bigint + at FROM unnest($1::bigint[]) WITH ORDINALITY AS change (captured_us, at)
  ON CONFLICT (captured_us) DO UPDATE SET number = excluded.number`
const ADD_FACETS = /* sql */ `
  UPDATE events SET facets = facets || string_to_array(added, '${FACET_SEPARATOR}')
  FROM unnest($1::bigint[], $2::text[]) AS marked (captured_us, added)
  WHERE events.captured_us = marked.captured_us`
const MARK_EVENTS = /* sql */ `INSERT INTO event_marks (captured_us, seq) VALUES ($1, $2)`
const MARK_SOURCES = /* sql */ `
  INSERT INTO source_marks (source, captured_us, events)
  SELECT source, $2, events FROM source_counters WHERE latest_us > $1`
const COUNT_CHANGES = /* sql */ `UPDATE ledger_clock SET changes = changes + $1 RETURNING changes`
const NOTIFY = /* sql */ `SELECT pg_notify($1, $2)`

/** Minimum number of events between two marks. A count over a range reads at most the events between two marks. */
const MARKED_EVENTS = 256

export interface GroupToWrite {
  events: readonly PreparedEvent[]
  /** Undefined: the clock of the database server, which all servers share. */
  now: Micros | undefined
  /** The version of the subscriptions that the events were matched with; undefined: any. */
  matchedWith: number | undefined
  /** To notify other servers of the commit. */
  notify: { channel: string; payload: string }
  /** Does more in the transaction, with the instant of the last event. */
  andThen?: ((connection: Connection, at: Micros) => Promise<void>) | undefined
}

/**
 * Records a group of events in one transaction. The row of the clock is locked from before the first read until the
 * commit. So groups of all servers run one after the other, and `captured_at`, the numbers and the digests follow the
 * order of the commits. The statements that read, and those that write and commit, are sent in a batch each.
 *
 * @param takeGroup called with the row locked: what arrives while other servers hold it is in the same group
 * @throws StaleMatches if the subscriptions have changed; AppError `conflict/lease_lost`, `unavailable/…`. Then nothing is
 *   recorded, unless the connection was lost during the commit.
 *
 * Source: docs/decisions/0067.
 */
export async function writeGroup(connection: Connection, takeGroup: () => GroupToWrite): Promise<WrittenEvent[]> {
  const { events } = await connection.transaction(
    async () => {
      const [clock] = await connection.run(TAKE_CLOCK)
      refuseUnwritable(clock)
      const group = takeGroup()
      const numbered = await connection.together(() => numberGroup(connection, toClock(clock), group))
      const statements = statementsOf(numbered, group)
      if (group.andThen === undefined) return { ...numbered, statements }
      await connection.runAll(statements)
      await group.andThen(connection, numbered.events.outcomes.at(-1)?.capturedAt ?? 0)
      return { ...numbered, statements: [] }
    },
    ({ statements }) => statements,
  )
  return events.outcomes
}

interface NumberedGroup {
  /** Before the group. */
  clock: Clock
  events: NumberedEvents
  subscriptions: ChangedSubscriptions
}

/** Reads the stored parts of the events, and numbers them. */
async function numberGroup(
  connection: Connection,
  clock: Clock,
  { events, now, matchedWith }: GroupToWrite,
): Promise<NumberedGroup> {
  const matches = events.flatMap(event => event.matches)
  const leases = new Map(matches.flatMap(({ lease }) => (lease ? [[lease.name, lease.fence] as const] : [])))
  const isCapture = matches.some(({ captured }) => captured !== undefined)
  const keys = [...new Set(events.map(event => event.storedKey))]
  const answered = [...new Set(events.filter(event => event.isAnswered).map(event => event.storedKey))]
  const [[version], held, stored, watching] = await allSettled<[Row[], Row[], Row[], Row[]]>(
    connection.run(isCapture ? HOLD_SUBSCRIPTION_VERSION : SUBSCRIPTION_VERSION),
    leases.size === 0
      ? Promise.resolve([])
      : connection.run(HELD_LEASES, textArray([...leases.keys()]), bigintArray([...leases.values()])),
    connection.run(STORED, textArray(keys), textArray(answered)),
    lockSubscriptions(connection, [...new Set(matches.map(match => match.id))]),
  )
  if (matchedWith !== undefined && Number(version?.version) !== matchedWith) throw new StaleMatches()
  if (held.length < leases.size) throw leaseLost()
  const removed = await tombstonesOf(connection, clock, stored, answered)
  const numbered = new NumberedEvents(clock, now ?? Number(version?.now_us), stored, removed)
  for (const event of events) numbered.add(event)
  const subscriptions = changeSubscriptions(watching, numbered.subscriptionChanges)
  const { rematched } = subscriptions
  if (rematched.length > 0) await announceChanges(connection, rematched)
  return { clock, events: numbered, subscriptions }
}

function statementsOf(
  { clock, events, subscriptions }: NumberedGroup,
  { notify: { channel, payload } }: GroupToWrite,
): Statement[] {
  const notified: Statement[] = events.created.length > 0 ? [[NOTIFY, channel, payload]] : []
  return [...changedEvents(clock, events), ...saveStatements(subscriptions), ...notified]
}

/** Tombstones of removed events, for replies that need the content. */
async function tombstonesOf(
  connection: Connection,
  { prunedThrough }: Clock,
  stored: readonly Row[],
  answered: readonly string[],
): Promise<Map<Micros, string>> {
  const isRemoved = (row: Row) => Number(row.captured_us) <= prunedThrough && row.tail !== null
  const needed = stored.filter(row => isRemoved(row) && answered.includes(String(row.dedupe_key)))
  const removed = await readRemoved(
    connection,
    needed.map(row => Number(row.captured_us)),
  )
  const contents = [...removed].map(([at, { tombstone }]) => {
    return [at, contentOf(Buffer.from(JSON.stringify(tombstone))).toString()] as const
  })
  return new Map(contents)
}

/** The statements by which a transaction that holds the clock changes events. */
export function changedEvents(clock: Clock, changes: GroupChanges): Statement[] {
  const { created, repeated, last, seq, digest } = changes
  const isMarked = seq - clock.markedSeq >= MARKED_EVENTS
  const mark = isMarked ? [last, seq] : [clock.markedAt, clock.markedSeq]
  const at = bigintArray(created.map(event => event.capturedAt))
  const texts = (of: (event: CreatedEvent) => string | Uint8Array | null) => textArray(created.map(of))
  const tallies = [...changes.sources]
  const record: Statement = [
    RECORD,
    ...[texts(({ event }) => event.storedKey), at, bigintArray(created.map(event => event.seenCount))],
    bigintArray(created.map(event => event.seq)),
    ...[texts(({ event }) => event.source), texts(({ event }) => event.kind), texts(({ event }) => event.subjectId)],
    ...[texts(event => event.digest.toString('hex')), texts(event => event.tail), texts(event => event.facets)],
    ...[texts(({ event }) => event.content), texts(({ event }) => event.text), texts(({ event }) => event.longText)],
    ...[bigintArray(created.map(({ event }) => event.occurredAt)), texts(event => event.removedDigest)],
    textArray(tallies.map(([source]) => source)),
    ...[bigintArray(tallies.map(([, { events }]) => events)), bigintArray(tallies.map(([, of]) => of.duplicates))],
    bigintArray(tallies.map(([, { latest }]) => latest)),
    ...[textArray([...changes.kinds.keys()]), bigintArray([...changes.kinds.values()])],
    ...[last, seq, digest.toString('hex'), ...mark, clock.changes + repeated.length],
  ]
  const marks: Statement[] = [
    [MARK_EVENTS, last, seq],
    [MARK_SOURCES, clock.markedAt, last],
  ]
  return [...repeats(clock, repeated), record, ...(isMarked ? marks : [])]
}

function repeats(clock: Clock, repeated: readonly KnownEvent[]): Statement[] {
  if (repeated.length === 0) return []
  const instants = (of: readonly KnownEvent[]) => bigintArray(of.map(event => event.capturedAt))
  const tails = (of: readonly KnownEvent[]) => textArray(of.map(({ tail }) => tail))
  const pruned = repeated.filter(event => event.isPruned)
  const marked = repeated.filter(({ facets }) => facets !== '')
  const statements: Statement[] = [
    [COUNT_REPEATS, textArray(repeated.map(({ key }) => key)), bigintArray(repeated.map(event => event.seenCount))],
    [CHANGE_REPEATS, instants(repeated), tails(repeated)],
    [NOTE_CHANGES, instants(repeated), clock.changes],
  ]
  if (pruned.length > 0) statements.push([CHANGE_PRUNED_REPEATS, instants(pruned), tails(pruned)])
  if (marked.length > 0) statements.push([ADD_FACETS, instants(marked), textArray(marked.map(({ facets }) => facets))])
  return statements
}

/** Numbers changes of events in a transaction that holds the clock. */
export async function noteChanges(connection: Connection, instants: readonly Micros[]): Promise<void> {
  if (instants.length === 0) return
  const [clock] = await connection.run(COUNT_CHANGES, instants.length)
  await connection.run(NOTE_CHANGES, bigintArray(instants), Number(clock?.changes) - instants.length)
}

export function toClock(row: Row | undefined): Clock {
  if (!row) throw new Error('The ledger has no clock.')
  return {
    last: Number(row.last_us),
    seq: Number(row.seq),
    digest: Buffer.from(String(row.digest), 'hex'),
    markedAt: Number(row.marked_us),
    markedSeq: Number(row.marked_seq),
    changes: Number(row.changes),
    prunedThrough: Number(row.pruned_us),
  }
}
