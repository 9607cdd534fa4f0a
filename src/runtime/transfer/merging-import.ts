import type { EventDelivery } from '../../ledger/event-recorder.js'
import { readEvent } from '../../ledger/read-event.js'
import { LEDGER_ROUTE, readErasureEntry } from '../../model/events/erasure.js'
import { type Provenance, type StoredEvent, storedKeyOf, VERIFICATIONS } from '../../model/events/event.js'
import type { LedgerImport } from '../../model/ledger-copy.js'
import { findTimestamp, type Micros, toTimestamp } from '../../model/timestamp.js'
import type { CopiedEvent } from '../../store/copy-store.js'
import type { OpenLedger } from '../open-ledger.js'
import type { CopyLine } from './copy-lines.js'
import type { LineImport } from './import-ledger.js'

/** Limits of one transaction. */
const BATCH = { events: 500, bytes: 8 * 1024 * 1024 }

interface Removed {
  erased: Set<string>
  through: Micros
}

/**
 * Events whose content an export has, although a later line of it reports that it was erased or removed: the export was
 * interrupted before that, and continued. Archives of retention have no header, and what they have is there on purpose,
 * although a later archive reports its removal.
 */
export class RemovedLater {
  /** For each export of the input. */
  readonly #exports: Removed[] = []
  #at = -1

  /** Begins at the first line again. */
  rewind(): void {
    this.#at = -1
  }

  /** @returns whether the line reports a removal */
  note(line: CopyLine): boolean {
    if (line.kind === 'export') this.#exports[++this.#at] ??= { erased: new Set(), through: 0 }
    const removed = this.#exports[this.#at]
    if (!removed) return false
    if (line.kind === 'changed' && line.event.contentDigest !== null) {
      removed.erased.add(line.event.storedKey)
      return true
    }
    const entry = line.kind === 'event' ? readErasureEntry(line.parsed as unknown as StoredEvent) : undefined
    const through = findTimestamp(entry?.through)
    if (!through) return false
    removed.through = Math.max(removed.through, through.micros)
    return true
  }

  has({ storedKey, capturedAt }: CopiedEvent): boolean {
    const removed = this.#exports[this.#at]
    return removed !== undefined && (capturedAt <= removed.through || removed.erased.has(storedKey))
  }
}

/**
 * Records the events of an export whose keys a ledger does not have, as new events captured now. Known events stay
 * unchanged. Missing subscriptions are added; users and tokens are not.
 */
export class MergingImport implements LineImport {
  #waiting = new Map<string, EventDelivery & { copied: CopiedEvent }>()
  #bytes = 0
  readonly #report = { events: 0, known: 0, subscriptions: 0, users: 0, tokens: 0 }

  /** @param removed found in an earlier reading of the same lines */
  constructor(
    private readonly opened: Pick<OpenLedger, 'ledger' | 'store'>,
    private readonly removed: RemovedLater,
  ) {}

  get waiting(): number {
    return this.#waiting.size
  }

  async take(line: CopyLine): Promise<void> {
    if (line.kind === 'subscription') {
      const { subscriptions } = this.opened.store
      if (await subscriptions.findById(line.value.id)) return
      await subscriptions.save(line.value, ['last_cursor', 'last_event_at', 'capture'])
      this.#report.subscriptions++
    }
    // Removals of this export do not concern what came before it.
    if (line.kind === 'export') await this.#flush()
    // In a pipe, which is read once, the removal is only known here: earlier batches are recorded already.
    if (this.removed.note(line)) {
      for (const [key, { copied }] of this.#waiting) if (this.removed.has(copied)) this.#waiting.delete(key)
    }
    if (line.kind !== 'event' || isOfRemoval(line.parsed as unknown as StoredEvent)) return
    if (this.removed.has(line.event)) return
    const [event, provenance] = [readEvent(line.parsed), toProvenance(line.parsed as unknown as StoredEvent)]
    const key = storedKeyOf(event, provenance)
    if (this.#waiting.has(key)) this.#report.known++
    else this.#waiting.set(key, { event, provenance, copied: line.event })
    this.#bytes += line.event.body.length
    if (this.#waiting.size >= BATCH.events || this.#bytes >= BATCH.bytes) await this.#flush()
  }

  async finish(): Promise<Omit<LedgerImport, 'database'>> {
    await this.#flush()
    const { head, epoch } = await this.opened.ledger.health()
    const newest = { head: head && toTimestamp(head.capturedAt), head_digest: head?.digest ?? null }
    return { mode: 'merged', ...this.#report, ...newest, epoch }
  }

  async #flush(): Promise<void> {
    const { ledger, store } = this.opened
    const waiting = [...this.#waiting]
    const isKnown = await Promise.all(waiting.map(([key]) => store.events.findByDedupeKey(key, 0)))
    const missing = waiting
      .filter((_, at) => isKnown[at] === undefined)
      .map(([, { event, provenance }]) => ({ event, provenance }))
    if (missing.length > 0) await ledger.record(missing)
    this.#report.events += missing.length
    this.#report.known += waiting.length - missing.length
    this.#waiting = new Map()
    this.#bytes = 0
  }
}

/** Events that another ledger has erased, and its entries about them, are not imported. */
function isOfRemoval({ erased, provenance }: StoredEvent): boolean {
  return erased !== undefined || provenance?.route === LEDGER_ROUTE
}

/** The provenance in the exported ledger, except for the route. */
function toProvenance({ provenance }: StoredEvent): Provenance {
  const { verified, delivery_id, key_space } = provenance ?? {}
  return {
    route: 'import',
    verified: VERIFICATIONS.find(known => known === verified) ?? 'none',
    ...(typeof delivery_id === 'string' ? { delivery_id } : {}),
    ...(key_space === 'unverified' ? { key_space } : {}),
  }
}
