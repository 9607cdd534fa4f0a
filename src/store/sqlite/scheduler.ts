import type { MessagePort } from 'node:worker_threads'
import { AppError } from '../../model/app-error.js'
import type { EventPage } from '../../model/events/event-query.js'
import { toFailure } from '../../model/failure.js'
import type { Engine } from './engine.js'
import type { QueryAnswer, StoreReply, StoreRequest } from './protocol.js'

type WriteRequest = Extract<StoreRequest, { kind: 'write' }>
type ReadRequest = Extract<StoreRequest, { kind: 'read' }>

/**
 * What one group commit takes at most, so that the first of them does not wait for the last. One request with more than
 * that is a transaction of its own.
 */
const GROUP = { rows: 1_000, bytes: 4 * 1024 * 1024 }

/**
 * How long the slices of one turn may go on together, however many questions there are: writes wait for them, and what
 * is answered waits for the turn's end. Measured: with less, turns cost more than they let through.
 */
const QUERIES_MS = 1

/**
 * What the reads of one turn take at most: writes wait for them, and their answers go over as one message, so all of
 * them are in memory together.
 */
const READS = { ms: 5, bytes: 16 * 1024 * 1024 }

/** After so long a turn whoever has come meanwhile goes first, and the search index with the next. */
const LONG_TURN_MS = 10

/**
 * The search index trails the commits. When nothing was written for `quietMs` it catches up; while writes go on, a
 * batch every `paceMs`, or after `rest` times what the last one took, keeps up with them. A burst is what that pace
 * cannot follow, and then it would only slow the writers down: the index waits for the burst's end. `largest` events
 * behind, every turn brings a batch, so that a search never has much more than that to read event by event.
 */
const TAIL = { largest: 200_000, batch: 256, quietMs: 50, paceMs: 50, rest: 5 }

/**
 * Whose turn it is on the store's thread: first everything that waits to be written, as one transaction; then the
 * short questions; then a slice of each long query, as time allows; then the search index.
 */
export class Scheduler {
  readonly #writes: WriteRequest[] = []
  readonly #reads: ReadRequest[] = []
  readonly #queries = new Map<number, Generator<void, QueryAnswer>>()
  #closing: number | undefined
  #turnPending = false
  /** Requests are numbered as they are sent, and arrive in that order. */
  #nextId = 1
  #wroteAt = Number.NEGATIVE_INFINITY
  /** When the pace was last looked at, and how many events there were. */
  #pace = { at: Number.NEGATIVE_INFINITY, appended: 0 }
  /** How many events a batch of the index holds: fewer where they are large. */
  #batch = TAIL.batch
  #paceMs = TAIL.paceMs
  #indexTimer: NodeJS.Timeout | undefined
  /** Never twice in a row: where every turn is long the index would not go on at all. */
  #indexPostponed = false

  constructor(
    private readonly engine: Engine,
    private readonly port: MessagePort,
  ) {
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
      case 'query':
        this.#queries.set(request.id, this.engine.query(request.task))
        break
      case 'abort':
        this.#queries.delete(request.id)
        break
      case 'close':
        this.#closing = request.id
    }
    this.#wake()
  }

  /** A message may nest deeper than this thread can read it, although it could be sent. */
  #refuseUnreadable(cause: unknown): void {
    const error = toFailure(new Error('A message to the store could not be read.', { cause }))
    this.#send({ replies: [{ id: this.#nextId++, error }], transfer: [] })
  }

  /** The next turn begins after the messages that have already arrived were received: they become one group. */
  #wake(): void {
    if (this.#turnPending) return
    this.#turnPending = true
    setImmediate(() => {
      this.#turnPending = false
      this.#turn()
    })
  }

  #turn(): void {
    const { mustFold } = this.engine
    const started = performance.now()
    this.#commitGroup()
    this.#answerReads()
    this.#advanceQueries()
    const busy = this.#writes.length > 0 || this.#reads.length > 0 || this.#queries.size > 0
    if (!busy && this.#closing !== undefined) {
      this.#close(this.#closing)
      return
    }
    // Not in the turn of the commit that calls for it: what has arrived meanwhile goes first.
    if (mustFold) this.#attempt(() => this.engine.fold())
    this.#indexPostponed = !this.#indexPostponed && performance.now() - started > LONG_TURN_MS
    if (!this.#indexPostponed) this.#advanceIndex()
    if (busy || this.#indexPostponed || this.engine.mustFold) this.#wake()
  }

  #commitGroup(): void {
    let rows = 0
    let bytes = 0
    let size = 0
    for (const { task } of this.#writes) {
      rows += task.task === 'record' ? task.rows.count : 1
      bytes += task.task === 'record' ? task.rows.buffer.byteLength : 0
      if (size > 0 && (rows > GROUP.rows || bytes > GROUP.bytes)) break
      size++
    }
    if (size === 0) return
    this.#wroteAt = performance.now()
    this.#commit(this.#writes.splice(0, size))
  }

  /** Where a defect of one of them fails them all, each is tried alone: the others are not to fail with it. */
  #commit(group: WriteRequest[]): void {
    try {
      const results = this.engine.commit(group.map(request => request.task))
      this.#send({ replies: group.map((request, at) => ({ id: request.id, result: results[at] })), transfer: [] })
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
    const answers = new Answers()
    let answered = 0
    for (const { id, task } of this.#reads) {
      answers.add(id, () => this.engine.read(task))
      answered++
      if (answers.bytes > READS.bytes || performance.now() - started > READS.ms) break
    }
    this.#reads.splice(0, answered)
    this.#send(answers)
  }

  /** A slice of each, as many as one turn has time for; those that had theirs stand at the end of the line. */
  #advanceQueries(): void {
    const started = performance.now()
    const answers = new Answers()
    for (const [id, query] of [...this.#queries]) {
      this.#queries.delete(id)
      answers.add(id, () => {
        const step = query.next()
        if (step.done) return step.value
        this.#queries.set(id, query)
        return NOT_YET
      })
      if (performance.now() - started > QUERIES_MS) break
    }
    this.#send(answers)
  }

  #advanceIndex(): void {
    clearTimeout(this.#indexTimer)
    const { unindexed, appended } = this.engine
    if (unindexed === 0) return
    const now = performance.now()
    const untilQuiet = this.#wroteAt + TAIL.quietMs - now
    let untilPace = this.#pace.at + this.#paceMs - now
    let isDue = unindexed >= TAIL.largest || untilQuiet <= 0
    if (untilPace <= 0) {
      isDue ||= unindexed >= this.#batch && appended - this.#pace.appended <= this.#batch
      this.#pace = { at: now, appended }
      untilPace = this.#paceMs
    }
    if (isDue) this.#index()
    else this.#indexTimer = setTimeout(() => this.#wake(), Math.min(untilQuiet, untilPace))
  }

  #index(): void {
    this.#attempt(() => {
      const wanted = Math.min(this.engine.unindexed, TAIL.batch)
      const started = performance.now()
      const taken = this.engine.advanceIndex(wanted)
      this.#batch = taken < wanted ? taken : TAIL.batch
      this.#paceMs = Math.max(TAIL.paceMs, TAIL.rest * (performance.now() - started))
      this.#wake()
    })
  }

  /** What fails here is tried again with the next turn that a write or a question brings. */
  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
  }

  #close(id: number): void {
    clearTimeout(this.#indexTimer)
    const answers = new Answers()
    answers.add(id, () => this.engine.close())
    this.#send(answers)
    this.port.close()
  }

  #send({ replies, transfer }: Pick<Answers, 'replies' | 'transfer'>): void {
    if (replies.length > 0) this.port.postMessage(replies, transfer)
  }
}

/** A question that needs another slice. */
const NOT_YET = Symbol('not yet')

/** Answers of one turn, which go over as one message; what one of them failed of is its own answer. */
class Answers {
  readonly replies: StoreReply[] = []
  /** Buffers that change hands. */
  readonly transfer: ArrayBuffer[] = []
  /** Of those buffers. */
  bytes = 0

  add(id: number, work: () => unknown): void {
    try {
      const result = work()
      if (result === NOT_YET) return
      this.replies.push({ id, result })
      const bytes = isPage(result) ? result.items : result
      if (!(bytes instanceof Uint8Array)) return
      this.transfer.push(bytes.buffer as ArrayBuffer)
      this.bytes += bytes.byteLength
    } catch (error) {
      this.replies.push({ id, error: toFailure(error) })
    }
  }
}

function isPage(result: unknown): result is EventPage {
  return typeof result === 'object' && result !== null && 'items' in result
}
