import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../../model/app-error.js'
import type { Micros } from '../../../model/timestamp.js'
import type { Connection } from '../connection/connection.js'
import type { Pool } from '../connection/pool.js'
import { bigintArray, textArray } from '../connection/text-array.js'
import { CONTENT_DIGEST, EVENT_PARTS, readStoredEvent } from './stored-tombstone.js'

/** What a slice removes at most: recording waits for it. A single event may be larger. */
const SLICE = { events: 100, bytes: 4 * 1024 * 1024 } as const
/** Pause after a slice, as a multiple of its duration. */
const REST = 9
const RETRY_MS = 5_000

const TAKE_CLOCK = /* sql */ `SELECT pruned_us FROM ledger_clock FOR UPDATE`
const NEXT = /* sql */ `
  SELECT captured_us, dedupe_key, ${EVENT_PARTS}
  FROM (
    SELECT captured_us, dedupe_key, body, tail, sum(octet_length(body)) OVER (ORDER BY captured_us) AS upto
    FROM events WHERE captured_us <= $1 ORDER BY captured_us LIMIT ${SLICE.events}
  ) AS oldest
  WHERE upto <= ${SLICE.bytes} OR upto = octet_length(body) ORDER BY captured_us`
const MOVE = /* sql */ `
  WITH removed AS (
    DELETE FROM events USING unnest($1::bigint[], $2::text[]) AS wanted (captured_us, provenance)
    WHERE events.captured_us = wanted.captured_us
    RETURNING events.captured_us, seq, dedupe_key, source, kind, digest, ${CONTENT_DIGEST} AS content_digest, provenance, tail
  )
  INSERT INTO pruned_events (captured_us, seq, dedupe_key, source, kind, digest, content_digest, provenance, tail)
  SELECT * FROM removed`
/** The border has a mark of its own. */
const FORGET_MARKS = /* sql */ `DELETE FROM event_marks WHERE captured_us < $1`
const FORGET_SOURCE_MARKS = /* sql */ `DELETE FROM source_marks WHERE captured_us < $1`

/**
 * Removes the rows of pruned events in slices, oldest first; keys, counts, provenance and digests move to
 * `pruned_events`. If a server stops, the next one that opens the ledger continues. Each slice holds the clock, so that
 * a repeat of an event finds it in one place.
 */
export class BackgroundRemoval {
  readonly #stop = new AbortController()
  #running: Promise<void> | undefined
  /** Rows may have been pruned after the last slice began. */
  #isAskedAgain = false

  constructor(private readonly pool: Pool) {}

  /** Begins to work; if it works already, it looks again at the end. */
  start(): void {
    this.#isAskedAgain = this.#running !== undefined
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined
      if (this.#isAskedAgain) this.start()
    })
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #work(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      const started = performance.now()
      const isDone = await this.pool.transaction(removeSlice).catch(error => {
        // An expected error is that of every request. Another one must not end the server: it tries again.
        if (!(error instanceof AppError)) process.emitWarning(error)
        return undefined
      })
      if (isDone) return
      const waitMs = isDone === undefined ? RETRY_MS : REST * (performance.now() - started)
      await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined) // aborted by `stop`
    }
  }
}

/** @returns whether nothing is left to do */
async function removeSlice(connection: Connection): Promise<boolean> {
  const [clock] = await connection.run(TAKE_CLOCK)
  const through: Micros = Number(clock?.pruned_us)
  const rows = await connection.run(NEXT, through)
  const provenances = rows.map(row => {
    const provenance = readStoredEvent(row)?.provenance
    if (!provenance) return JSON.stringify({ route: 'api', verified: 'none' })
    const { route, verified, key_space } = provenance
    return JSON.stringify({ route, verified, ...(key_space ? { key_space } : {}) })
  })
  if (rows.length > 0) {
    await connection.run(MOVE, bigintArray(rows.map(row => Number(row.captured_us))), textArray(provenances))
    return false
  }
  await connection.run(FORGET_MARKS, through)
  await connection.run(FORGET_SOURCE_MARKS, through)
  return true
}
