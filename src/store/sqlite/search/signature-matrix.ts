import type { Database } from '../files/database.js'
import { SIGNATURE_LENGTH, type TextSignature } from './text-signature.js'

/** A row of the table holds as many columns as fit, but at least one. Four such rows share a page. */
const ROW_BYTES = 2_000
/** The row with the numbers of the events, after all rows with columns. */
const EVENTS_ROW = SIGNATURE_LENGTH.most
const WORD_BYTES = 4
const FIRST_STRIDE = 2

const ROW = /* sql */ `SELECT bits FROM event_signatures WHERE key = ?`
const REPLACE = /* sql */ `UPDATE event_signatures SET bits = ? WHERE key = ?`

/**
 * Signatures of one length, for some events of a segment: a bit for each column and event. Events have numbers within
 * their segment, below 65,536.
 */
export interface SignatureMatrix {
  readonly length: number
  /** The bits of a column, in the order of `events`; undefined if no event has it. Not to be changed. */
  column(column: number): Uint32Array | undefined
  /** Ascending. */
  events(): Uint16Array
  /** Removes the bits of events, in the caller's transaction. Yields between pieces of work. @param events numbers, ascending */
  clear(events: readonly number[]): Generator<void>
}

/** A row to store. */
interface MatrixRow {
  row: number
  bits: Uint8Array
}

/** A matrix in memory. */
export class OpenMatrix implements SignatureMatrix {
  readonly #events: number[] = []
  /** Number of words of a column, some of them unused. */
  #stride = FIRST_STRIDE
  #bits: Uint32Array

  constructor(readonly length: number) {
    this.#bits = new Uint32Array(length * this.#stride)
  }

  get count(): number {
    return this.#events.length
  }

  add(event: number, { columns }: TextSignature): void {
    const word = this.#events.length >>> 5
    const bit = 1 << (this.#events.length & 31)
    if (word === this.#stride) this.#grow()
    this.#events.push(event)
    const mask = this.length - 1
    for (let nth = 0; nth < columns.length; nth++) {
      const at = ((columns[nth] as number) & mask) * this.#stride + word
      this.#bits[at] = (this.#bits[at] as number) | bit
    }
  }

  column(column: number): Uint32Array {
    const start = column * this.#stride
    return this.#bits.subarray(start, start + wordsFor(this.count))
  }

  events(): Uint16Array {
    return Uint16Array.from(this.#events)
  }

  *clear(events: readonly number[]): Generator<void> {
    const mask = maskOf(this.events(), events)
    if (!mask) return
    for (let column = 0; column < this.length; column++) clearBits(this.column(column), mask)
    yield
  }

  /** Rows without a bit are left out. */
  *rows(): Generator<MatrixRow> {
    const together = columnsOfRow(this.count)
    for (let row = 0; row * together < this.length; row++) {
      const words = new Uint32Array(together * wordsFor(this.count))
      for (let nth = 0; nth < together && row * together + nth < this.length; nth++) {
        words.set(this.column(row * together + nth), nth * wordsFor(this.count))
      }
      if (words.some(word => word !== 0)) yield { row, bits: new Uint8Array(words.buffer) }
    }
    yield { row: EVENTS_ROW, bits: new Uint8Array(this.events().buffer) }
  }

  #grow(): void {
    const grown = new Uint32Array(this.#bits.length * 2)
    for (let column = 0; column < this.length; column++) {
      const start = column * this.#stride
      grown.set(this.#bits.subarray(start, start + this.#stride), start * 2)
    }
    this.#bits = grown
    this.#stride *= 2
  }
}

/** A matrix in the table `event_signatures`. */
export class StoredMatrix implements SignatureMatrix {
  constructor(
    private readonly database: Database,
    /** Number of the segment. */
    private readonly segment: number,
    readonly length: number,
    private readonly count: number,
  ) {}

  column(column: number): Uint32Array | undefined {
    const together = columnsOfRow(this.count)
    const bits = this.#read(Math.floor(column / together))
    if (!bits) return undefined
    const words = wordsFor(this.count)
    const start = (column % together) * words * WORD_BYTES
    return new Uint32Array(bits.slice(start, start + words * WORD_BYTES).buffer)
  }

  events(): Uint16Array {
    const bits = this.#read(EVENTS_ROW)
    if (!bits) throw new Error(`The events of segment ${this.segment} are missing in the search index.`)
    return new Uint16Array(bits.slice().buffer)
  }

  *clear(events: readonly number[]): Generator<void> {
    const mask = maskOf(this.events(), events)
    if (!mask) return
    const together = columnsOfRow(this.count)
    for (let row = 0; row * together < this.length; row++) {
      const bits = this.#read(row)
      if (!bits) continue
      const words = new Uint32Array(bits.slice().buffer)
      let isChanged = false
      for (let start = 0; start < words.length; start += mask.length) {
        isChanged = clearBits(words.subarray(start, start + mask.length), mask) || isChanged
      }
      if (!isChanged) continue
      this.database.run(REPLACE, new Uint8Array(words.buffer), matrixKey(this.segment, this.length, row))
      yield
    }
  }

  #read(row: number): Uint8Array | undefined {
    return this.database.first(ROW, matrixKey(this.segment, this.length, row))?.bits as Uint8Array | undefined
  }
}

/** Key of a row in `event_signatures`. The rows of a segment are adjacent, in the order in which they are written. */
export function matrixKey(segment: number, length: number, row: number): number {
  return (segment * 32 + Math.log2(length)) * 2 * SIGNATURE_LENGTH.most + row
}

/** Bits of the events that a matrix has; undefined if it has none of them. @param own the events of the matrix */
function maskOf(own: Uint16Array, events: readonly number[]): Uint32Array | undefined {
  const wanted = new Set(events)
  const mask = new Uint32Array(wordsFor(own.length))
  let isEmpty = true
  for (const [at, event] of own.entries()) {
    if (!wanted.has(event)) continue
    mask[at >>> 5] = (mask[at >>> 5] as number) | (1 << (at & 31))
    isEmpty = false
  }
  return isEmpty ? undefined : mask
}

/** @returns whether a bit was set */
function clearBits(words: Uint32Array, mask: Uint32Array): boolean {
  let isChanged = false
  for (let at = 0; at < mask.length; at++) {
    const [word, bits] = [words[at] as number, mask[at] as number]
    if ((word & bits) === 0) continue
    words[at] = word & ~bits
    isChanged = true
  }
  return isChanged
}

function wordsFor(events: number): number {
  return Math.ceil(events / 32)
}

function columnsOfRow(events: number): number {
  return Math.max(1, Math.floor(ROW_BYTES / (wordsFor(events) * WORD_BYTES)))
}
