import { randomUUID } from 'node:crypto'
import { toHeadText } from '../../ledger/transfer/page-line.js'
import { AppError } from '../../model/app-error.js'
import {
  type CopyPageLine,
  EXPORT_FORMAT,
  type ExportEnd,
  type ExportHeader,
  type HeadText,
  type LedgerImport,
} from '../../model/ledger-copy.js'
import { readTimestamp } from '../../model/timestamp.js'
import type { CopiedEvent, ImportMark } from '../../store/copy-store.js'
import type { LedgerHead } from '../../store/event-store.js'
import type { Store } from '../../store/store.js'
import { invalidLine } from './copied-event.js'
import type { CopyLine } from './copy-lines.js'
import type { LineImport } from './import-ledger.js'
import { copyDiffers, findNewest, refuseUsed } from './new-ledger.js'

/** Limits of one transaction. */
const BATCH = { events: 500, bytes: 8 * 1024 * 1024 }
const ALL_TOKENS = Number.MAX_SAFE_INTEGER

/**
 * Imports an export into a new ledger. The ledger accepts no changes until the last line was read and the digests equal
 * those of the export. Repeating an interrupted import continues it.
 */
export class IdenticalImport implements LineImport {
  #header: ExportHeader | undefined
  #end: ExportEnd | undefined
  #appended: CopiedEvent[] = []
  #changed: CopiedEvent[] = []
  #bytes = 0
  readonly #report = { events: 0, known: 0, subscriptions: 0, users: 0, tokens: 0 }

  private constructor(
    private readonly store: Store,
    private readonly keepEpoch: boolean,
    private readonly continued: ImportMark | null,
    private head: LedgerHead | null,
  ) {}

  /** @throws AppError `conflict/ledger_not_empty` */
  static async begin(store: Store, keepEpoch: boolean): Promise<IdenticalImport> {
    const mark = await store.copies.findMark()
    if (!mark) await refuseUsed(store)
    return new IdenticalImport(store, keepEpoch, mark, await findNewest(store))
  }

  get waiting(): number {
    return this.#appended.length + this.#changed.length
  }

  async take(line: CopyLine): Promise<void> {
    if (this.#end) throw invalidLine('It is after the end of the export.')
    if (line.kind === 'export' || !this.#header) return this.#begin(requireHeader(line))
    if ('event' in line) return this.#takeEvent(line.kind, line.event)
    if (line.kind === 'page') return this.#flush(line.value)
    await this.#flush()
    if (line.kind === 'end') this.#end = line.value
    else await this.#takeOther(line)
  }

  async finish(): Promise<Omit<LedgerImport, 'database'>> {
    await this.#flush()
    if (!this.#end || !this.#header) throw incomplete()
    const { event_count } = await this.store.events.stats()
    const { head } = this
    if (!isSameHead(head, this.#end.through) || event_count !== this.#end.events) {
      throw copyDiffers(
        `The ledger has ${event_count} events, but the export has ${this.#end.events}, or another digest.`,
      )
    }
    // It may have been closed after its header was written.
    if (this.#end.closed) await this.store.users.markClosed()
    const epoch = this.keepEpoch ? this.#header.epoch : randomUUID()
    await this.store.copies.saveMark(null, epoch)
    const { captured_at = null, digest = null } = toHeadText(head) ?? {}
    return { mode: 'identical', ...this.#report, head: captured_at, head_digest: digest, epoch }
  }

  async #begin(header: ExportHeader): Promise<void> {
    if (this.#header) throw invalidLine('It has a second header.')
    if (this.continued && this.continued.epoch !== header.epoch) {
      throw copyDiffers('Another export was imported in part.')
    }
    this.#header = header
    await this.store.copies.saveMark({ epoch: header.epoch })
    // First of all, so that a closed ledger is never readable as an open one.
    if (header.closed) await this.store.users.markClosed()
  }

  async #takeEvent(kind: 'event' | 'changed', event: CopiedEvent): Promise<void> {
    if (kind === 'event' && this.head && event.capturedAt <= this.head.capturedAt && this.#appended.length === 0) {
      this.#report.known++
      return
    }
    const list = kind === 'event' ? this.#appended : this.#changed
    list.push(event)
    this.#bytes += event.body.length
    if (this.waiting >= BATCH.events || this.#bytes >= BATCH.bytes) await this.#flush()
  }

  /** @param page that ends here; its digest must equal that of the ledger */
  async #flush(page?: CopyPageLine): Promise<void> {
    const [appended, changed] = [this.#appended, this.#changed]
    const through = page?.through ?? null
    if (appended.length + changed.length > 0) {
      const expected = through && {
        capturedAt: readTimestamp('through', through.captured_at).micros,
        digest: through.digest,
      }
      const isLast = expected !== null && appended.at(-1)?.capturedAt === expected.capturedAt
      this.head = await this.store.copies.write({ appended, changed, through: isLast ? expected : null })
      this.#report.events += appended.length
    }
    this.#appended = []
    this.#changed = []
    this.#bytes = 0
  }

  async #takeOther(line: Extract<CopyLine, { kind: 'subscription' | 'user' | 'token' }>): Promise<void> {
    const { subscriptions, users } = this.store
    if (line.kind === 'subscription') {
      await subscriptions.save(line.value, ['last_cursor', 'last_event_at', 'capture'])
      this.#report.subscriptions++
    } else if (line.kind === 'user') {
      if (!(await users.findById(line.value.id))) await users.create(line.value)
      this.#report.users++
    } else {
      if (!(await users.findByTokenDigest(line.value.digest))) await users.addToken(line.value, ALL_TOKENS)
      this.#report.tokens++
    }
  }
}

/**
 * The header of a whole ledger's export.
 *
 * @param first first line; absent if there is none
 * @throws AppError `invalid/invalid_line`, `invalid/export_partial`, `invalid/export_incomplete`
 */
export function requireHeader(first: CopyLine | undefined): ExportHeader {
  if (!first) throw incomplete()
  if (first.kind === 'event') {
    const reason = 'It is an event, and the first line of an export of a whole ledger is its header.'
    throw invalidLine(`${reason} Import the events with --merge.`)
  }
  if (first.kind !== 'export') throw invalidLine('The first line of an export is its header.')
  const { format, since } = first.value
  if (format !== EXPORT_FORMAT) throw invalidLine(`Its format is ${format}; this release knows ${EXPORT_FORMAT}.`)
  if (since !== null) {
    throw new AppError('invalid', 'export_partial', 'The export is a part of a ledger.', {
      hint: 'Import it with --merge into a ledger that has the events before it.',
    })
  }
  return first.value
}

function incomplete(): AppError {
  return new AppError('invalid', 'export_incomplete', 'The export is incomplete: it was interrupted.', {
    hint: 'Complete it, and import it again: the import continues.',
  })
}

function isSameHead(head: LedgerHead | null, expected: HeadText | null): boolean {
  const own = toHeadText(head)
  if (!own || !expected) return own === expected
  const isSame = own.digest === null || expected.digest === null || own.digest === expected.digest
  return own.captured_at === expected.captured_at && isSame
}
