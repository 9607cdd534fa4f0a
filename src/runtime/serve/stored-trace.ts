import { rm } from 'node:fs/promises'
import type { Logger } from 'pino'
import { readRegularFile } from '../../model/files/regular-file.js'
import { DeliveryTraceSchema, type DeliveryTraceState, joinTraces } from '../../model/platforms/delivery-trace.js'
import { schemaCheck } from '../../model/schema-check.js'
import { SerialQueue } from '../../model/serial-queue.js'
import type { Micros } from '../../model/timestamp.js'
import { DeliveryTrace, type ServedTrace } from '../../server/events/delivery-trace.js'
import type { NoteStore } from '../../store/note-store.js'

/** How often new entries are saved, all in one write. */
const EVERY_MS = 10_000
/** How often old entries are removed if nothing arrives. */
const TIDY_MS = 60 * 60_000
/** Attempts of a save, which fail if another server saves. After the last one, the next interval saves the entries. */
const ATTEMPTS = 5
const NAME = 'all'
const MAX_OLDER_BYTES = 4 * 1024 * 1024
const check = schemaCheck(DeliveryTraceSchema)

export interface StoredTraceParts {
  notes: NoteStore
  now: () => Micros
  logger: Pick<Logger, 'warn'>
  /** Path of the file in which releases up to 0.5 kept the trace of a ledger in a file. */
  olderFile?: string | undefined
  everyMs?: number
}

/**
 * The trace of deliveries to the webhooks of all servers of a ledger. Each server notes deliveries in memory, and adds
 * them to the store at intervals.
 *
 * Source: docs/decisions/0087.
 */
export class StoredTrace implements ServedTrace {
  /** Not saved yet. */
  #fresh: DeliveryTrace
  /** Runs reads and saves one after the other, because entries that are being saved are neither fresh nor stored. */
  readonly #queue = new SerialQueue()
  #hasFailed = false
  readonly #timers: NodeJS.Timeout[]

  constructor(private readonly parts: StoredTraceParts) {
    this.#fresh = new DeliveryTrace(parts.now)
    const save = () => this.#queue.run(() => this.#saveFresh())
    const tidy = () => this.#queue.run(() => this.#attempt(() => this.#add([])))
    void this.#queue.run(() => this.#attempt(() => this.#begin()))
    this.#timers = [setInterval(save, parts.everyMs ?? EVERY_MS).unref(), setInterval(tidy, TIDY_MS).unref()]
  }

  noteAccepted(source: string): void {
    this.#fresh.noteAccepted(source)
  }

  noteRefused(...refused: Parameters<ServedTrace['noteRefused']>): void {
    this.#fresh.noteRefused(...refused)
  }

  state(): Promise<DeliveryTraceState> {
    const { notes, now } = this.parts
    return this.#queue.run(async () => joinTraces([...(await readStoredTraces(notes)), this.#fresh.state()], now()))
  }

  /** Saves the noted deliveries. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await this.#queue.run(() => this.#saveFresh())
  }

  /** Begins the trace of a new ledger, in which all servers count from now on. */
  async #begin(): Promise<void> {
    const { notes, olderFile } = this.parts
    const isNew = (await notes.find('deliveries', NAME)) === undefined
    const older = isNew && olderFile !== undefined ? readOlderFile(olderFile) : undefined
    const begun = { since: this.#fresh.state().since, sources: [], refused: [] }
    await this.#add(isNew ? [older ?? begun] : [])
    if (olderFile !== undefined) await rm(olderFile, { force: true })
  }

  async #saveFresh(): Promise<void> {
    if (this.#fresh.isEmpty) return
    const { now } = this.parts
    const taken = this.#fresh.state()
    this.#fresh = new DeliveryTrace(now)
    if (await this.#attempt(() => this.#add([taken]))) return
    this.#fresh = new DeliveryTrace(now, joinTraces([taken, this.#fresh.state()], now()))
  }

  /** Ignores failures: a delivery is not refused because it cannot be noted. @returns whether the work succeeded */
  async #attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      this.#hasFailed = false
      return true
    } catch (error) {
      if (!this.#hasFailed) this.parts.logger.warn({ err: error }, 'the trace of deliveries could not be saved')
      this.#hasFailed = true
      return false
    }
  }

  /** Adds these states to those that other servers have stored. */
  async #add(states: readonly DeliveryTraceState[]): Promise<void> {
    const { notes, now } = this.parts
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const stored = await notes.find('deliveries', NAME)
      const kept: DeliveryTraceState[] = stored ? [JSON.parse(stored.body)] : []
      const body = JSON.stringify(joinTraces([...kept, ...states], now()))
      if (body === stored?.body) return
      if (await notes.save({ kind: 'deliveries', name: NAME, body, replaces: stored?.revision ?? 0 })) return
    }
    throw new Error(`Other servers have saved it during ${ATTEMPTS} attempts.`)
  }
}

/** The trace that the servers of a ledger have saved: none or one. */
export async function readStoredTraces(notes: Pick<NoteStore, 'find'>): Promise<DeliveryTraceState[]> {
  const stored = await notes.find('deliveries', NAME)
  return stored ? [JSON.parse(stored.body)] : []
}

/** @returns undefined if there is none, or it is damaged */
function readOlderFile(path: string): DeliveryTraceState | undefined {
  try {
    const kept: unknown = JSON.parse(readRegularFile(path, MAX_OLDER_BYTES))
    return check.Check(kept) ? kept : undefined
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (isAbsent || error instanceof SyntaxError) return undefined
    throw error
  }
}
