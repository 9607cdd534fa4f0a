import type { Database } from '../files/database.js'
import type { SearchIndex } from '../search/search-index.js'
import type { Eraser } from './eraser.js'
import type { PrunedEvents } from './pruned-events.js'

/** How long one slice may take: writes wait for it. */
const SLICE_MS = 4
/** Pages that one slice returns to the file system. */
const VACUUM_PAGES = 32
/** Fewer unused pages stay for the next events. */
const KEPT_PAGES = 256

const REMOVED = /* sql */ `SELECT value FROM meta WHERE name = ?`
const SET_REMOVED = /* sql */ `UPDATE meta SET value = ? WHERE name = ?`
/** Names of the marks: the last event whose row, and whose text in the search index, has lost its content. */
const ROWS = 'pruned_rows_seq'
const TEXTS = 'pruned_texts_seq'

/**
 * Removes the content of pruned events from the file, in slices: first from their rows, then from the texts of the search
 * index. Then it returns unused pages to the file system. After a crash it continues.
 */
export class BackgroundRemoval {
  #rows: number
  #texts: number
  #forgetting: { through: number; texts: Generator<void> } | undefined
  #hasFreePages = true
  #gaveBack = false

  constructor(
    private readonly database: Database,
    private readonly parts: { index: SearchIndex; eraser: Eraser; pruned: PrunedEvents },
  ) {
    this.#rows = this.#removed(ROWS)
    this.#texts = this.#removed(TEXTS)
  }

  get isDue(): boolean {
    return this.#texts < this.parts.pruned.through || this.#hasFreePages
  }

  /** Call it after an erasure: there may be unused pages. */
  noteErased(): void {
    this.#hasFreePages = true
  }

  /** One slice. @throws AppError `unavailable/store_…`; then it is repeated */
  advance(): void {
    const { through } = this.parts.pruned
    try {
      if (this.#rows < through) this.#pruneRows(through)
      else if (this.#texts < through) this.#forgetTexts(through)
      else this.#vacuum()
    } catch (error) {
      this.#forgetting = undefined
      this.parts.index.rewind()
      throw error
    }
  }

  #pruneRows(through: number): void {
    this.#rows = this.database.withRelaxedSync(() => {
      const until = performance.now() + SLICE_MS
      let seq = this.#rows
      while (seq < through && performance.now() < until) this.parts.eraser.prune(++seq)
      this.database.run(SET_REMOVED, seq, ROWS)
      return seq
    })
  }

  #forgetTexts(through: number): void {
    if (this.#forgetting?.through !== through) {
      this.#forgetting = { through, texts: this.parts.index.forgetTextsUpTo(through) }
    }
    const { texts } = this.#forgetting
    const isDone = this.database.withRelaxedSync(() => {
      const until = performance.now() + SLICE_MS
      while (performance.now() < until) {
        if (!texts.next().done) continue
        this.database.run(SET_REMOVED, through, TEXTS)
        return true
      }
      return false
    })
    if (!isDone) return
    this.#texts = through
    this.#forgetting = undefined
    this.#hasFreePages = true
    this.database.emptyWal()
  }

  #vacuum(): void {
    const before = this.database.unusedPages
    if (before > KEPT_PAGES) {
      this.database.returnUnusedPages(VACUUM_PAGES)
      this.#gaveBack = true
    }
    this.#hasFreePages = before > KEPT_PAGES && this.database.unusedPages < before
    if (this.#hasFreePages || !this.#gaveBack) return
    this.#gaveBack = false
    this.database.emptyWal()
  }

  #removed(name: string): number {
    return Number(this.database.first(REMOVED, name)?.value ?? 0)
  }
}
