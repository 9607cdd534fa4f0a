import type { Database } from '../files/database.js'
import { matrixKey, OpenMatrix, type SignatureMatrix, StoredMatrix } from './signature-matrix.js'
import { columnsOfTerms, signatureOf } from './text-signature.js'

/** A segment ends when it has this many `events`, or signatures of this many `bytes`. */
const BOUNDS = {
  events: 32_000,
  bytes: 8 * 1024 * 1024,
  /** Bytes that one batch stores of a segment that ended: writers wait for it. */
  storedBytes: 512 * 1024,
}
/** Reading this few events costs less than reading further columns. */
const FEW = 4

const SEGMENTS = /* sql */ `SELECT number, first_seq, last_seq, matrices FROM event_segments ORDER BY number`
const ADD_SEGMENT = /* sql */ `INSERT INTO event_segments (number, first_seq, last_seq, matrices) VALUES (?, ?, ?, ?)`
/** Empties a segment in which no event has a text any more. */
const EMPTY_SEGMENT = /* sql */ `UPDATE event_segments SET matrices = '[]' WHERE number = ?`
const DELETE_ROWS = /* sql */ `DELETE FROM event_signatures WHERE key IN (
  SELECT key FROM event_signatures WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ?)`
/** Rows that are deleted per slice of work. */
const DELETED_ROWS = 64
const ADD_ROW = /* sql */ `INSERT OR REPLACE INTO event_signatures (key, bits) VALUES (?, ?)`

/** Consecutive events, with their signatures by length. */
export interface Segment {
  firstSeq: number
  lastSeq: number
  matrices: readonly SignatureMatrix[]
}

/**
 * Signatures of the texts of all events, column by column: a search reads a bit of each event for each column of its terms.
 * Segments that ended are in the database. The newest one is only in memory; after a restart it is filled again from the
 * events.
 */
export class TextIndex {
  readonly #stored: Segment[]
  /** The segment that ended and is not completely stored yet. */
  #ended: { segment: OpenSegment; rows: Generator<SegmentRow> } | undefined
  #open: OpenSegment

  constructor(
    private readonly database: Database,
    private readonly bounds = BOUNDS,
  ) {
    this.#stored = database.all(SEGMENTS).map(({ number, first_seq, last_seq, matrices }) => ({
      firstSeq: Number(first_seq),
      lastSeq: Number(last_seq),
      matrices: readMatrices(String(matrices)).map(
        ({ length, count }) => new StoredMatrix(database, Number(number), length, count),
      ),
    }))
    this.#open = new OpenSegment((this.#stored.at(-1)?.lastSeq ?? 0) + 1)
  }

  /** Every event up to this one is in the index. */
  get through(): number {
    return this.#open.lastSeq
  }

  /** Ascending. */
  get segments(): readonly Segment[] {
    return [...this.#stored, ...(this.#ended ? [this.#ended.segment] : []), this.#open]
  }

  /**
   * Adds the event after `through`.
   *
   * @param text folded; undefined for an event without a signature, which every search has to read
   * @param bodyBytes of the event
   */
  add(text: string | undefined, bodyBytes: number): void {
    const { events, bytes } = this.#open
    if (events >= this.bounds.events || bytes >= this.bounds.bytes) {
      while (this.#ended) this.store()
      const segment = this.#open
      this.#ended = { segment, rows: segment.rows(this.#stored.length) }
      this.#open = new OpenSegment(segment.lastSeq + 1)
    }
    this.#open.add(text, bodyBytes)
  }

  /**
   * Removes the signatures of events, in the caller's transaction. It yields between pieces of work: a later
   * transaction may do the rest, or repeat everything.
   *
   * @param seqs ascending
   */
  *forget(seqs: readonly number[]): Generator<void> {
    for (const segment of this.segments) {
      const events = seqs
        .filter(seq => seq >= segment.firstSeq && seq <= segment.lastSeq)
        .map(seq => seq - segment.firstSeq)
      if (events.length === 0) continue
      for (const matrix of segment.matrices) yield* matrix.clear(events)
      if (segment === this.#ended?.segment) yield* this.#storeAgain()
      // If it was stored between two pieces of work, some of its rows may be from before.
      const stored = this.#stored.find(({ firstSeq }) => firstSeq === segment.firstSeq)
      if (stored && stored !== segment) for (const matrix of stored.matrices) yield* matrix.clear(events)
    }
  }

  /** The same for all events up to one, of which no search may be in progress. */
  *forgetUpTo(seq: number): Generator<void> {
    for (const [number, segment] of this.#stored.entries()) {
      if (segment.lastSeq > seq) break
      if (segment.matrices.length === 0) continue
      while (this.#deleteRows(number)) yield
      this.database.run(EMPTY_SEGMENT, number)
      this.#stored[number] = { ...segment, matrices: [] }
    }
    for (const { firstSeq, lastSeq, matrices } of this.segments) {
      const count = Math.min(seq, lastSeq) - firstSeq + 1
      if (matrices.length > 0 && count > 0) yield* this.forget(Array.from({ length: count }, (_, at) => firstSeq + at))
    }
  }

  /**
   * Deletes what is stored of the segment that ended, as it may contain removed signatures. If the segment is stored
   * between two pieces of work, this ends: its rows are needed.
   */
  *#storeAgain(): Generator<void> {
    const { segment } = this.#ended ?? {}
    const number = this.#stored.length
    while (segment && this.#ended?.segment === segment && this.#deleteRows(number)) {
      this.#ended = { segment, rows: segment.rows(number) }
      yield
    }
  }

  /** Deletes some rows of a segment. @returns whether it had any */
  #deleteRows(number: number): boolean {
    const range = [matrixKey(number, 1, 0), matrixKey(number + 1, 1, 0) - 1]
    return this.database.run(DELETE_ROWS, ...range, DELETED_ROWS) > 0
  }

  /**
   * Stores a part of a segment that ended.
   *
   * @throws AppError `unavailable/store_…`; then it is stored again from its start
   */
  store(): void {
    const { segment, rows } = this.#ended ?? {}
    if (!segment || !rows) return
    const number = this.#stored.length
    try {
      this.#ended = this.database.withRelaxedSync(() => {
        let bytes = 0
        for (let next = rows.next(); !next.done; next = rows.next()) {
          this.database.run(ADD_ROW, next.value.key, next.value.bits)
          bytes += next.value.bits.length
          if (bytes > this.bounds.storedBytes) return { segment, rows }
        }
        const matrices = segment.matrices.map(({ length, count }) => ({ length, count }))
        this.database.run(ADD_SEGMENT, number, segment.firstSeq, segment.lastSeq, JSON.stringify(matrices))
        return undefined
      })
    } catch (error) {
      this.#ended = { segment, rows: segment.rows(number) }
      throw error
    }
    if (this.#ended) return
    const { firstSeq, lastSeq } = segment
    const matrices = segment.matrices.map(({ length, count }) => new StoredMatrix(this.database, number, length, count))
    this.#stored.push({ firstSeq, lastSeq, matrices })
  }
}

/**
 * Prepares a search for terms.
 *
 * @returns finds the events of a segment whose texts may contain all terms, ascending; undefined if every text may
 */
export function termLookup(terms: readonly string[]): ((segment: Segment) => number[]) | undefined {
  const columns = columnsOfTerms(terms)
  if (columns.length === 0) return undefined
  return ({ firstSeq, matrices }) => {
    const found: number[] = []
    for (const matrix of matrices) {
      const bits = bitsWithAll(matrix, columns)
      if (!bits) continue
      const events = matrix.events()
      eachBit(bits, at => found.push(firstSeq + (events[at] as number)))
    }
    return found.sort((left, right) => left - right)
  }
}

/** The events that have all columns; undefined for none. */
function bitsWithAll(matrix: SignatureMatrix, columns: readonly number[]): Uint32Array | undefined {
  let all: Uint32Array | undefined
  for (const column of columns) {
    const bits = matrix.column(column & (matrix.length - 1))
    if (!bits) return undefined
    if (!all) {
      all = bits.slice()
      continue
    }
    let left = 0
    for (let at = 0; at < all.length; at++) {
      const word = (all[at] as number) & (bits[at] as number)
      all[at] = word
      if (word !== 0) left++
    }
    if (left === 0) return undefined
    if (left <= FEW) break
  }
  return all
}

function eachBit(words: Uint32Array, take: (at: number) => void): void {
  for (let word = 0; word < words.length; word++) {
    for (let bits = words[word] as number; bits !== 0; bits &= bits - 1) {
      take(word * 32 + 31 - Math.clz32(bits & -bits))
    }
  }
}

interface SegmentRow {
  key: number
  bits: Uint8Array
}

/** The newest segment, in memory. */
class OpenSegment implements Segment {
  readonly #matrices = new Map<number, OpenMatrix>()
  #events = 0
  #bytes = 0

  constructor(readonly firstSeq: number) {}

  get lastSeq(): number {
    return this.firstSeq + this.#events - 1
  }

  get events(): number {
    return this.#events
  }

  /** Size of the signatures. */
  get bytes(): number {
    return this.#bytes
  }

  get matrices(): readonly OpenMatrix[] {
    return [...this.#matrices.values()]
  }

  add(text: string | undefined, bodyBytes: number): void {
    const event = this.#events++
    if (text === undefined) return
    const signature = signatureOf(text, bodyBytes)
    const matrix = this.#matrices.get(signature.length) ?? new OpenMatrix(signature.length)
    this.#matrices.set(signature.length, matrix)
    matrix.add(event, signature)
    this.#bytes += signature.length / 8
  }

  *rows(number: number): Generator<SegmentRow> {
    for (const matrix of this.#matrices.values()) {
      for (const { row, bits } of matrix.rows()) yield { key: matrixKey(number, matrix.length, row), bits }
    }
  }
}

function readMatrices(json: string): { length: number; count: number }[] {
  return JSON.parse(json)
}
