import { AppError } from '../../../model/app-error.js'
import type { Micros } from '../../../model/timestamp.js'
import { chainDigest, contentDigest, contentOf, EMPTY_DIGEST } from '../../event-digest.js'
import type { Database } from '../files/database.js'
import { readContent, storedContentDigest } from '../read/event-content.js'
import { rowsWithinBytes } from '../read/rows-within-bytes.js'

const DIGEST = /* sql */ `SELECT digest FROM events WHERE seq = ?`
const NEXT = /* sql */ `SELECT seq, captured_us, content_digest FROM events WHERE seq > ? ORDER BY seq LIMIT ?`
const SET_DIGEST = /* sql */ `UPDATE events SET digest = ? WHERE seq = ?`

/** The newest event that has a digest. */
export interface ChainEnd {
  seq: number
  digest: Buffer
}

/**
 * Digests of the events, in their order. In a ledger of an older release, the events receive their digests while the
 * store runs. Until all have one, new events have to wait for theirs as well.
 */
export class EventChain {
  #end: ChainEnd

  /** @param appended the number of events */
  constructor(
    private readonly database: Database,
    appended: number,
  ) {
    this.#end = this.#findEnd(appended)
  }

  /** Read it before a transaction, for `rewind`. */
  get end(): ChainEnd {
    return this.#end
  }

  rewind(end: ChainEnd): void {
    this.#end = end
  }

  /** The digest of the event after the newest one; null while an event before it has none. */
  next(seq: number, body: Buffer, capturedAt: Micros): Buffer | null {
    if (this.#end.seq !== seq - 1) return null
    return chainDigest(this.#end.digest, contentDigest(contentOf(body)), capturedAt)
  }

  /** The digests of several events after the newest one, by the digests of their content. */
  following(newest: number, events: readonly { content: string; capturedAt: Micros }[]): (Buffer | null)[] {
    if (this.#end.seq !== newest) return events.map(() => null)
    let { digest } = this.#end
    return events.map(({ content, capturedAt }) => {
      digest = chainDigest(digest, content, capturedAt)
      return digest
    })
  }

  /** Moves the end to an event that was stored with its digest. */
  append(end: ChainEnd): void {
    this.#end = end
  }

  /** The digest of the newest event, in hex; null while it has none. */
  digestOf(newest: number): string | null {
    return this.#end.seq === newest ? this.#end.digest.toString('hex') : null
  }

  /** Computes the digests of up to `count` more events, fewer where they are large. */
  advance(count: number): void {
    let end = this.#end
    this.database.withRelaxedSync(() => {
      const fitting = rowsWithinBytes(this.database, end.seq, count)
      for (const row of this.database.all(NEXT, end.seq, fitting)) {
        const seq = Number(row.seq)
        const content = storedContentDigest(row) ?? contentDigest(readContent(this.database, seq))
        end = { seq, digest: chainDigest(end.digest, content, Number(row.captured_us)) }
        this.database.run(SET_DIGEST, end.digest, seq)
      }
    })
    this.#end = end
  }

  /** Events without a digest follow all that have one. As a rule, the newest has one. */
  #findEnd(appended: number): ChainEnd {
    let end: ChainEnd = { seq: 0, digest: EMPTY_DIGEST }
    let high = appended
    for (let seq = appended; end.seq < high; seq = Math.ceil((end.seq + high) / 2)) {
      const digest = this.#stored(seq)
      if (digest) end = { seq, digest }
      else high = seq - 1
    }
    return end
  }

  /** A damaged row counts as one without a digest: the ledger must open, because the other rows can be read. */
  #stored(seq: number): Buffer | undefined {
    try {
      const digest = this.database.first(DIGEST, seq)?.digest as Uint8Array | null | undefined
      return digest ? Buffer.from(digest) : undefined
    } catch (error) {
      if (error instanceof AppError && error.code === 'store_corrupt') return undefined
      throw error
    }
  }
}
