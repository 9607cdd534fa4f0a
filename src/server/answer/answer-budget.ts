import type { ServerResponse } from 'node:http'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { AppError } from '../../model/app-error.js'
import { cutOff, hasLeft } from './slow-reader.js'

export interface AnswerLimits {
  /** Maximum memory of all answers that their readers have not received yet. */
  bytes: number
  /** How many answers may wait until there is room, and how long. */
  waiting: number
  waitMs: number
  /** While others wait for room, an answer is cut off after its reader has received nothing for this long. */
  patienceMs: number
  /** How long a reader may take for `LEAST_BYTES` while no other answer waits. */
  takenMs: number
}

export const ANSWER_LIMITS: AnswerLimits = {
  bytes: 96 * 1024 * 1024,
  waiting: 256,
  waitMs: 5_000,
  patienceMs: 2_000,
  takenMs: 30_000,
}

/** Smaller buffers are left to the garbage collector. Below half of its pool size, Node uses a shared buffer. */
const LEAST_FREED_BYTES = Math.max(16 * 1024, Buffer.poolSize / 2)

/** Bytes of a page per read. A larger event is sent whole. */
export const PIECE_BYTES = 512 * 1024

/** Maximum wait for a turn of the event loop without a new connection. */
const PIECE_WAIT_MS = 20

interface Waiting {
  room: AnswerRoom
  bytes: number
  admit: () => void
  refuse: (error: unknown) => void
}

/**
 * Limits the memory of all answers together, from when they are read until their readers have received them. When it is
 * used up, further answers wait. Readers that stopped reading are cut off to make room, and anything larger than a
 * piece may use at most half of the memory, so neither slow readers nor large events keep other readers out.
 *
 * Source: docs/decisions/0030.
 */
export class AnswerBudget {
  /** Not a Set: V8 does not clear the old hash table of a Set that grows, which keeps finished answers alive. */
  readonly #rooms: AnswerRoom[] = []
  readonly #dropped = closedPort()
  #waiting: Waiting[] = []
  #used = 0
  #pressure: NodeJS.Timeout | undefined
  readonly #pieces: (() => void)[] = []
  #admittedAt = Number.NEGATIVE_INFINITY
  #hasConnected = false

  /** @param now milliseconds of a clock that only goes forward */
  constructor(
    readonly limits: AnswerLimits = ANSWER_LIMITS,
    readonly now: () => number = () => performance.now(),
  ) {}

  /** Reserves room for an answer, and releases it when the answer ends. */
  roomFor(res: ServerResponse): AnswerRoom {
    const room = new AnswerRoom(this, res)
    if (hasLeft(res)) return room
    room.index = this.#rooms.push(room) - 1
    res.once('close', () => this.#close(room))
    return room
  }

  /**
   * When the answer is over, frees the whole buffer of bytes that no other answer uses; the bytes are empty from then
   * on. The garbage collector alone frees pieces of large pages more slowly than they are created: measured, 100
   * readers took 900 MB.
   */
  freeWith(res: ServerResponse, bytes: Uint8Array): void {
    if (bytes.length >= LEAST_FREED_BYTES) res.once('close', () => this.free(bytes))
  }

  /** Like `freeWith`, but immediately. */
  free(bytes: Uint8Array): void {
    if (bytes.length < LEAST_FREED_BYTES) return
    this.#dropped.postMessage(null, [bytes.buffer as ArrayBuffer])
  }

  /**
   * Resolves when the next piece may be written: one piece per turn of the event loop, if possible in a turn without a
   * new connection. Node accepts one connection a turn, and a piece makes a turn long.
   *
   * Source: docs/decisions/0034.
   */
  nextPiece(): Promise<void> {
    return new Promise(resolve => {
      this.#pieces.push(resolve)
      if (this.#pieces.length === 1) setImmediate(this.#admitPiece)
    })
  }

  /** A sender has connected in this turn of the event loop. */
  connected(): void {
    this.#hasConnected = true
  }

  readonly #admitPiece = () => {
    const now = this.now()
    if (!this.#hasConnected || now - this.#admittedAt >= PIECE_WAIT_MS) {
      this.#admittedAt = now
      this.#pieces.shift()?.()
    }
    this.#hasConnected = false
    if (this.#pieces.length > 0) setImmediate(this.#admitPiece)
  }

  /** Whether an answer may hold `bytes` without waiting. */
  hasRoom(bytes: number, more = bytes): boolean {
    const bound = bytes > PIECE_BYTES ? this.limits.bytes / 2 : this.limits.bytes
    return this.#used + more <= bound
  }

  /** Resolves once `room` may hold `bytes`. @throws AppError `unavailable/busy` */
  async admit(room: AnswerRoom, bytes: number): Promise<void> {
    if (room.index === -1) throw readerLeft()
    if (this.#waiting.length === 0 && this.hasRoom(bytes, bytes - room.bytes)) {
      this.resize(room, bytes)
      return
    }
    if (this.#waiting.length >= this.limits.waiting) throw busy()
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        room,
        bytes,
        admit: () => settle(resolve),
        refuse: error => settle(() => reject(error)),
      }
      const settle = (tell: () => void) => {
        clearTimeout(enough)
        this.#waiting = this.#waiting.filter(other => other !== waiting)
        tell()
      }
      const enough = setTimeout(() => waiting.refuse(busy()), this.limits.waitMs)
      this.#waiting.push(waiting)
      this.#makeRoom()
    })
  }

  resize(room: AnswerRoom, bytes: number): void {
    if (room.index === -1) return
    const isLess = bytes < room.bytes
    this.#used += bytes - room.bytes
    room.bytes = bytes
    if (isLess || this.#used > this.limits.bytes) this.#makeRoom()
  }

  #close(room: AnswerRoom): void {
    for (const waiting of this.#waiting) if (waiting.room === room) waiting.refuse(readerLeft())
    this.resize(room, 0)
    this.#remove(room)
  }

  #remove(room: AnswerRoom): void {
    if (room.index === -1) return
    const last = this.#rooms.pop()
    if (last && last !== room) {
      this.#rooms[room.index] = last
      last.index = room.index
    }
    room.index = -1
  }

  #makeRoom(): void {
    this.#admitWaiting()
    while (this.#isShort) {
      const stalled = this.#longestUntaken()
      if (!stalled) break
      cutOff(stalled.res, 'memory')
      this.#used -= stalled.bytes
      stalled.bytes = 0
      this.#remove(stalled)
      this.#admitWaiting()
    }
    clearTimeout(this.#pressure)
    if (this.#isShort) this.#pressure = setTimeout(() => this.#makeRoom(), this.limits.patienceMs / 4).unref()
  }

  get #isShort(): boolean {
    return this.#waiting.length > 0 || this.#used > this.limits.bytes
  }

  #admitWaiting(): void {
    for (const { room, bytes, admit, refuse } of this.#waiting) {
      if (room.index === -1) {
        refuse(readerLeft())
        continue
      }
      if (!this.hasRoom(bytes, bytes - room.bytes)) continue
      this.#used += bytes - room.bytes
      room.bytes = bytes
      admit()
    }
  }

  #longestUntaken(): AnswerRoom | undefined {
    let longest: AnswerRoom | undefined
    for (const room of this.#rooms) {
      const { untakenSince = Number.POSITIVE_INFINITY } = room
      if (room.bytes > 0 && untakenSince < (longest?.untakenSince ?? this.now() - this.limits.patienceMs))
        longest = room
    }
    return longest
  }
}

/** The share of the budget that one answer holds until it ends. */
export class AnswerRoom {
  /** Set by the budget, like `index`. */
  bytes = 0
  /** Its index among the rooms; -1 once its answer is over or cut off. */
  index = -1
  /** Since when written bytes have been unread. */
  untakenSince: number | undefined

  constructor(
    private readonly budget: AnswerBudget,
    readonly res: ServerResponse,
  ) {}

  /** Resolves once the bytes are reserved. @throws AppError `unavailable/busy` where that takes too long */
  async reserve(bytes: number): Promise<void> {
    const counted = this.#counted(bytes)
    if (counted > this.bytes) await this.budget.admit(this, counted)
  }

  /** Reserves the bytes even if there is no room. */
  hold(bytes: number): void {
    this.budget.resize(this, this.#counted(bytes))
  }

  /** Resolves when the next piece may be written. */
  nextPiece(): Promise<void> {
    return this.budget.nextPiece()
  }

  leftUntaken(): void {
    this.untakenSince ??= this.budget.now()
  }

  taken(): void {
    this.untakenSince = undefined
  }

  /** An event that is larger than one answer may use is still read, alone. */
  #counted(bytes: number): number {
    return Math.min(bytes, Math.max(PIECE_BYTES, this.budget.limits.bytes / 2))
  }
}

/** A message to a closed port is dropped, together with the memory that is transferred with it. */
function closedPort(): MessagePort {
  const { port1 } = new MessageChannel()
  port1.close()
  return port1
}

function readerLeft(): Error {
  return new Error('The reader left.')
}

export function busy(): AppError {
  return new AppError('unavailable', 'busy', 'Too many large answers are being read. Ask again in a moment.', {
    retryAfterSeconds: 1,
  })
}
