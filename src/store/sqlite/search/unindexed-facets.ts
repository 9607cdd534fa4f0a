import { addMarks, MARK_WORDS, markFinder } from './facet-marks.js'
import type { FacetName, WantedFacet } from './facets.js'

/** Number of events whose marks share one block of memory (128 KB). */
const PART_EVENTS = 4_096
/** A limit that the lag of the index never reaches, unless the disk refuses the index. */
const MOST_PARTS = 32

/**
 * Marks of the facets of events that are not in the index yet, in memory: a filter finds its events there without
 * reading the others. The memory is bounded: the oldest marks are dropped first, and a search then reads their events
 * from the table. After a restart it is empty.
 */
export class UnindexedFacets {
  readonly #parts: Uint32Array[] = []
  #first = Number.POSITIVE_INFINITY
  #last = 0

  /** The first event whose marks are here; infinity for none. */
  get first(): number {
    return this.#first
  }

  /** Adds the next event. After a rollback, the same numbers are used again. */
  add(seq: number, marks: Uint32Array): void {
    if (seq < this.#first || seq > this.#last + 1) {
      this.#parts.length = 0
      this.#first = seq
    }
    if (seq - this.#first === MOST_PARTS * PART_EVENTS) this.#drop()
    const offset = seq - this.#first
    const part = Math.floor(offset / PART_EVENTS)
    this.#parts[part] ??= new Uint32Array(PART_EVENTS * MARK_WORDS)
    this.#parts[part].set(marks, (offset % PART_EVENTS) * MARK_WORDS)
    this.#last = seq
  }

  /** Adds a facet to an event that was stored before. */
  addFacet(seq: number, name: FacetName, value: string): void {
    if (seq < this.#first || seq > this.#last) return
    const offset = seq - this.#first
    const at = (offset % PART_EVENTS) * MARK_WORDS
    const part = this.#parts[Math.floor(offset / PART_EVENTS)] as Uint32Array
    addMarks(part, at, name, value)
  }

  /** Drops the events up to this one, which are now in the index. */
  dropThrough(seq: number): void {
    while (this.#parts.length > 0 && this.#first + PART_EVENTS - 1 <= seq) this.#drop()
  }

  /** Events of a range that may match, ascending. @param low not before `first` */
  find(wanted: readonly WantedFacet[], { low, high }: { low: number; high: number }): number[] {
    const mayMatch = markFinder(wanted)
    const found: number[] = []
    for (let seq = low; seq <= high; seq++) {
      const offset = seq - this.#first
      const part = this.#parts[Math.floor(offset / PART_EVENTS)] as Uint32Array
      if (mayMatch(part, (offset % PART_EVENTS) * MARK_WORDS)) found.push(seq)
    }
    return found
  }

  #drop(): void {
    this.#parts.shift()
    this.#first = this.#parts.length > 0 ? this.#first + PART_EVENTS : Number.POSITIVE_INFINITY
  }
}
