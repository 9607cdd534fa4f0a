import type { MessagePort } from 'node:worker_threads'
import { AppError } from '../../../model/app-error.js'
import { toFailure } from '../../../model/failure.js'
import type { Engine } from '../engine.js'
import { OrderedReplies, PENDING } from './ordered-replies.js'
import type { StoreReply, StoreRequest, TaskCall } from './protocol.js'

type TaskRequest = { id: number } & TaskCall

/**
 * Limits of one group commit, so that its first write does not wait long. A larger write has its own commit. Small groups
 * cost batches 7 % of their rate, so groups are small only while queries wait for them.
 */
const GROUP = { rows: 1_000, rowsBesideQueries: 512, bytes: 4 * 1024 * 1024 }

/**
 * Time for all slices of one turn together, for any number of queries: as long as the writes of that turn took, within
 * these bounds, and `most` if the writes wait for the index. Writes wait for the slices, and answers wait for the end
 * of the turn. Measured: with less than `least`, turns cost more than they let through.
 */
const QUERIES_MS = { least: 1, most: 25 }

/**
 * Limits of the reads of one turn. Writes wait for them, and all their answers are in memory together, because they are
 * one message.
 */
const READS = { ms: 5, bytes: 16 * 1024 * 1024 }

/**
 * After a turn of this length, requests that arrived in that time are served first, and the search index has the next
 * turn.
 */
const LONG_TURN_MS = 10

/**
 * The search index trails the commits. After `quietMs` without a write it catches up. Between writes, it keeps up with
 * a batch every `paceMs`, or after `rest` times the duration of the last batch. A burst is faster than that pace, and
 * indexing would only slow the writers down, so the index waits for the end of the burst. If it is `largest` events
 * behind, every turn indexes as many events as it appended, so that a search never has to read many more than `largest`
 * one by one.
 */
const INDEX_PACING = { largest: 95_000, batch: 256, quietMs: 50, paceMs: 50, rest: 5 }

/** Background removal pauses for `rest` times the duration of its last slice, or `quietRest` times after `quietMs` without a write. */
const REMOVAL_PACING = { rest: 9, quietRest: 1, quietMs: 50 }

interface OpenQuery {
  id: number
  query: Generator<void, unknown>
  /** How long its slices have taken together. */
  spentMs: number
}

/**
 * Divides the time of the store's thread into turns: first all waiting writes, as one transaction; then the reads; then
 * slices of the queries, as time allows; then the search index.
 */
export class Scheduler {
  readonly #writes: TaskRequest[] = []
  readonly #reads: TaskRequest[] = []
  /** Not a Map: when a Map grows, V8 does not clear its old hash table, which keeps answered queries alive. */
  #queries: OpenQuery[] = []
  #quickIsNext = false
  #closing: number | undefined
  #turnPending = false
  /** Requests are numbered as they are sent, and arrive in that order. */
  #nextId = 1
  #wroteAt = Number.NEGATIVE_INFINITY
  /** When the pace was last checked, and how many events there were. */
  #pace = { at: Number.NEGATIVE_INFINITY, appended: 0 }
  /** Number of events in a batch of the index: fewer where they are large. */
  #batch = INDEX_PACING.batch
  #paceMs = INDEX_PACING.paceMs
  /** Number of events at the end of the last turn. */
  #appended: number
  #indexTimer: NodeJS.Timeout | undefined
  /** When the next slice of background removal may begin. */
  #removalAt = 0
  #removalTimer: NodeJS.Timeout | undefined
  /** Never twice in a row: if every turn is long, the index would never advance. */
  #indexPostponed = false

  constructor(
    private readonly engine: Engine,
    private readonly port: MessagePort,
  ) {
    this.#appended = engine.appended
    port.on('message', (request: StoreRequest) => this.#receive(request))
    port.on('messageerror', cause => this.#refuseUnreadable(cause))
    this.#wake()
  }

  #receive(request: StoreRequest): void {
    if (request.kind !== 'abort') this.#nextId = request.id + 1
    switch (request.kind) {
      case 'write':
        this.#writes.push(request)
        break
      case 'read':
        this.#reads.push(request)
        break
      case 'page':
      case 'query':
        this.#queries.push({ id: request.id, query: this.engine.query(request), spentMs: 0 })
        break
      case 'abort':
        this.#queries = this.#queries.filter(({ id }) => id !== request.id)
        break
      case 'close':
        this.#closing = request.id
    }
    this.#wake()
  }

  /** A message may nest deeper than this thread can read, although the other side could send it. */
  #refuseUnreadable(cause: unknown): void {
    const error = toFailure(new Error('A message to the store could not be read.', { cause }))
    this.#send({ replies: [{ id: this.#nextId++, error }], transfer: [] })
  }

  /** The next turn begins after all messages that have arrived are received: they become one group. */
  #wake(): void {
    if (this.#turnPending) return
    this.#turnPending = true
    setImmediate(() => {
      this.#turnPending = false
      this.#turn()
    })
  }

  #turn(): void {
    const { checkpointDue } = this.engine
    const started = performance.now()
    const indexGoesFirst = this.#indexGoesFirst
    if (!indexGoesFirst) this.#commitGroup()
    const wroteMs = performance.now() - started
    this.#answerReads()
    const { least, most } = QUERIES_MS
    this.#advanceQueries(indexGoesFirst ? most : Math.min(Math.max(wroteMs, least), most))
    const busy = this.#writes.length > 0 || this.#reads.length > 0 || this.#queries.length > 0
    if (!busy && this.#closing !== undefined) {
      this.#close(this.#closing)
      return
    }
    // Not in the turn of the large commit itself: requests that arrived during it are served first.
    if (checkpointDue) this.#attempt(() => this.engine.checkpoint())
    this.#indexPostponed = !this.#indexPostponed && performance.now() - started > LONG_TURN_MS
    if (!this.#indexPostponed) {
      this.#advanceIndex()
      this.#attempt(() => this.#advanceBackgroundRemoval())
    }
    if (busy || this.#indexPostponed || this.engine.checkpointDue) this.#wake()
  }

  /** Without this, an index that is far behind would have only every second turn next to writes of large batches. */
  get #indexGoesFirst(): boolean {
    return this.#indexPostponed && this.engine.unindexed >= INDEX_PACING.largest
  }

  #commitGroup(): void {
    let rows = 0
    let bytes = 0
    const mostRows = this.#queries.length > 0 ? GROUP.rowsBesideQueries : GROUP.rows
    let size = 0
    for (const request of this.#writes) {
      const load = this.engine.loadOf(request)
      rows += load.rows
      bytes += load.bytes
      if (size > 0 && (rows > mostRows || bytes > GROUP.bytes)) break
      size++
    }
    if (size === 0) return
    this.#wroteAt = performance.now()
    this.#commit(this.#writes.splice(0, size))
  }

  /** If a defect in one write fails the transaction, each write is tried alone: the others must not fail with it. */
  #commit(group: TaskRequest[]): void {
    try {
      const results = this.engine.commit(group)
      this.#send({ replies: group.map(({ id }, at) => toReply(id, results[at])), transfer: [] })
    } catch (error) {
      if (group.length > 1 && !(error instanceof AppError)) {
        for (const request of group) this.#commit([request])
        return
      }
      const failure = toFailure(error)
      this.#send({ replies: group.map(({ id }) => ({ id, error: failure })), transfer: [] })
    }
  }

  #answerReads(): void {
    const started = performance.now()
    const replies = new OrderedReplies()
    let answered = 0
    for (const request of this.#reads) {
      replies.add(request.id, () => this.engine.read(request))
      answered++
      if (replies.bytes > READS.bytes || performance.now() - started > READS.ms) break
    }
    this.#reads.splice(0, answered)
    this.#send(replies)
  }

  /**
   * A slice of one query after the other, as long as the turn has time.
   *
   * @param mostMs no further slice begins after this time
   */
  #advanceQueries(mostMs: number): void {
    const started = performance.now()
    const replies = new OrderedReplies()
    let now = started
    for (let entry = this.#takeQuery(); entry; entry = this.#takeQuery()) {
      const { id, query, spentMs } = entry
      const began = now
      replies.add(id, () => {
        const step = query.next()
        if (step.done) return step.value
        this.#queries.push({ id, query, spentMs: spentMs + performance.now() - began })
        return PENDING
      })
      now = performance.now()
      if (now - started > mostMs) break
    }
    this.#send(replies)
  }

  /**
   * The query whose slice is next: in turns the one that has waited longest, and the one whose slices took least. So a quick
   * query does not wait for a slice of each slow one, and a slow one advances however many quick ones come.
   */
  #takeQuery(): OpenQuery | undefined {
    this.#quickIsNext = !this.#quickIsNext
    if (!this.#quickIsNext) return this.#queries.shift()
    let least = 0
    for (const [at, { spentMs }] of this.#queries.entries()) {
      if (spentMs < (this.#queries[least] as OpenQuery).spentMs) least = at
    }
    return this.#queries.splice(least, 1)[0]
  }

  #advanceIndex(): void {
    clearTimeout(this.#indexTimer)
    const { unindexed, appended } = this.engine
    const appendedNow = appended - this.#appended
    this.#appended = appended
    const { unchained } = this.engine
    if (unindexed === 0 && unchained === 0) return
    const now = performance.now()
    const untilQuiet = this.#wroteAt + INDEX_PACING.quietMs - now
    let untilPace = this.#pace.at + this.#paceMs - now
    let isDue = unindexed >= INDEX_PACING.largest || untilQuiet <= 0
    if (untilPace <= 0) {
      isDue ||= Math.max(unindexed, unchained) >= this.#batch && appended - this.#pace.appended <= this.#batch
      this.#pace = { at: now, appended }
      untilPace = this.#paceMs
    }
    if (isDue && unindexed === 0) this.#chain()
    else if (isDue) this.#index(unindexed >= INDEX_PACING.largest ? appendedNow : 0)
    else this.#indexTimer = setTimeout(() => this.#wake(), Math.min(untilQuiet, untilPace))
  }

  /** Indexes batches until at least `atLeast` events are indexed, but at least one batch. */
  #index(atLeast: number): void {
    this.#attempt(() => {
      const wanted = Math.min(this.engine.unindexed, INDEX_PACING.batch)
      const started = performance.now()
      const taken = this.engine.advanceIndex(wanted)
      for (let left = atLeast - taken; left > 0; ) left -= this.engine.advanceIndex(left)
      this.#batch = taken < wanted ? taken : INDEX_PACING.batch
      this.#paceMs = Math.max(INDEX_PACING.paceMs, INDEX_PACING.rest * (performance.now() - started))
      this.#wake()
    })
  }

  /** Events of an older release receive their digests when the search index has nothing to do. */
  #chain(): void {
    this.#attempt(() => {
      this.engine.advanceChain(INDEX_PACING.batch)
      this.#wake()
    })
  }

  #advanceBackgroundRemoval(): void {
    clearTimeout(this.#removalTimer)
    if (!this.engine.backgroundRemovalDue) return
    const started = performance.now()
    if (started >= this.#removalAt) {
      this.#attempt(() => this.engine.advanceBackgroundRemoval())
      const ended = performance.now()
      const { rest, quietRest, quietMs } = REMOVAL_PACING
      this.#removalAt = ended + (ended - started) * (started - this.#wroteAt < quietMs ? rest : quietRest)
    }
    if (this.engine.backgroundRemovalDue) {
      this.#removalTimer = setTimeout(() => this.#wake(), this.#removalAt - performance.now())
    }
  }

  /** Work that fails here is tried again in the next turn that a request starts. */
  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
  }

  #close(id: number): void {
    clearTimeout(this.#indexTimer)
    clearTimeout(this.#removalTimer)
    const replies = new OrderedReplies()
    replies.add(id, () => this.engine.close())
    this.#send(replies)
    this.port.close()
  }

  #send({ replies, transfer }: Pick<OrderedReplies, 'replies' | 'transfer'>): void {
    if (replies.length > 0) this.port.postMessage(replies, transfer)
  }
}

/** A write that is refused returns its error (`Task`). */
function toReply(id: number, result: unknown): StoreReply {
  return result instanceof AppError ? { id, error: toFailure(result) } : { id, result }
}
