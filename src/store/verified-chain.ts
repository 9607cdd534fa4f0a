import { type StoredEvent, storedKeyOf } from '../model/events/event.js'
import type { Problem } from '../model/ledger-verification.js'
import { toTimestamp } from '../model/timestamp.js'
import type { LedgerHead, VerifiedEvents } from './event-store.js'

/** Maximum number of problems in one answer. */
const MOST_PROBLEMS = 100

/** The columns of an event, as a driver returns them. */
type Row = Readonly<Record<string, unknown>>

/** What a verification has found so far. Each engine walks along its chain, and adds to it. */
export class VerifiedChain {
  events = 0
  /** The last checked event. */
  protected through: LedgerHead | null = null
  /** Number of checked events without a digest. */
  protected pending = 0
  readonly #bySource: VerifiedEvents['bySource'] = new Map()
  readonly #byKind: VerifiedEvents['byKind'] = new Map()
  readonly #problems: Problem[] = []

  /** @param after the event before the first checked one */
  constructor(private readonly after: LedgerHead | null) {}

  found(hasMore: boolean): VerifiedEvents {
    return {
      events: this.events,
      after: this.after,
      through: this.through,
      hasMore,
      pending: this.pending,
      bySource: this.#bySource,
      byKind: this.#byKind,
      problems: this.#problems,
    }
  }

  /** @param row undefined for a problem of no single event */
  report(row: Row | undefined, detail: string): void {
    if (this.#problems.length === MOST_PROBLEMS) return
    const captured_at = row ? toTimestamp(Number(row.captured_us)) : null
    this.#problems.push({ captured_at, dedupe_key: row ? String(row.dedupe_key) : null, detail })
  }

  protected count(row: Row): void {
    const [source, kind] = [String(row.source), String(row.kind)]
    const ofSource = this.#bySource.get(source) ?? { events: 0, duplicates: 0 }
    ofSource.events++
    ofSource.duplicates += Number(row.seen_count ?? 1) - 1
    this.#bySource.set(source, ofSource)
    this.#byKind.set(kind, (this.#byKind.get(kind) ?? 0) + 1)
    this.events++
  }
}

/** The problem of an event whose members differ from the columns of its row. */
export function findColumnDifference(row: Row, event: StoredEvent): string | undefined {
  const { captured_at, source, kind, subject_id, seen_count } = event
  const members = {
    dedupe_key: storedKeyOf(event, event.provenance),
    captured_at,
    source,
    kind,
    subject_id,
    seen_count,
  }
  const columns = { ...row, captured_at: toTimestamp(Number(row.captured_us)), seen_count: Number(row.seen_count) }
  const different = Object.keys(members).filter(name => Reflect.get(members, name) !== Reflect.get(columns, name))
  return different.length > 0 ? `Its columns differ from its body: ${different.join(', ')}.` : undefined
}
