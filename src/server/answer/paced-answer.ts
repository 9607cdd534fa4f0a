import type { ServerResponse } from 'node:http'
import type { HttpRequest } from '../http/route.js'
import type { OpenAnswer } from '../http/shutdown.js'
import type { AnswerRoom } from './answer-budget.js'

export interface StreamTimes {
  /** After so long a sign of life is sent. */
  heartbeatMs: number
  /** How long a reader may leave unread what it was sent; also how long it then has to fetch the farewell. */
  drainMs: number
}

export const STREAM_TIMES: StreamTimes = { heartbeatMs: 15_000, drainMs: 30_000 }

export interface PacedAnswerParts {
  times: StreamTimes
  /** Ended when the reader was dropped; when it ends, nobody waits for the reader any more. */
  open: OpenAnswer
  /** What it holds of the memory for answers; nothing where it holds little. */
  room?: AnswerRoom
  /** What to send as a sign of life; nothing where it would stand in the middle of something. */
  beat: () => string | undefined
  /** The last words to a reader that is too slow; without any the connection is cut. */
  farewell: () => string | undefined
}

/**
 * An answer that goes on for long, written as fast as it is read. A reader that does not take what it was sent within
 * `drainMs` is let go, so that nothing piles up for it.
 */
export class PacedAnswer {
  readonly #heartbeat: NodeJS.Timeout
  #deadline: NodeJS.Timeout | undefined
  #onTaken: (() => void) | undefined

  constructor(
    private readonly res: ServerResponse,
    private readonly parts: PacedAnswerParts,
  ) {
    this.#heartbeat = setInterval(() => this.#beat(), parts.times.heartbeatMs)
    parts.open.signal.addEventListener('abort', () => this.#onTaken?.(), { once: true })
    res.on('drain', () => this.#taken())
    res.once('close', () => {
      clearInterval(this.#heartbeat)
      this.#taken()
    })
  }

  /** @returns whether the reader keeps up */
  write(chunk: string | Uint8Array): boolean {
    // A reader that was let go has its farewell already.
    if (this.res.writableEnded || this.res.destroyed) return false
    const taken = this.res.write(chunk)
    if (!taken) {
      this.parts.room?.leftUntaken()
      this.#deadline ??= setTimeout(() => this.#drop(), this.parts.times.drainMs)
    }
    return taken
  }

  /** Writes, and waits until it was taken or the answer is over. */
  async deliver(chunk: string | Uint8Array): Promise<void> {
    const { signal } = this.parts.open
    if (this.write(chunk) || signal.aborted) return
    await new Promise<void>(resolve => {
      this.#onTaken = resolve
    })
  }

  end(): void {
    clearInterval(this.#heartbeat)
    if (!this.res.writableEnded) this.res.end()
  }

  #taken(): void {
    clearTimeout(this.#deadline)
    this.#deadline = undefined
    this.parts.room?.taken()
    this.#onTaken?.()
  }

  #beat(): void {
    if (this.res.writableNeedDrain) return
    const sign = this.parts.beat()
    if (sign !== undefined) this.write(sign)
  }

  #drop(): void {
    clearInterval(this.#heartbeat)
    const req = this.res.req as HttpRequest
    req.cutOff = 'slow'
    const farewell = this.parts.farewell()
    if (farewell === undefined) this.res.destroy()
    else this.res.end(farewell)
    this.#deadline = setTimeout(() => this.res.destroy(), this.parts.times.drainMs)
    this.parts.open.end()
  }
}
