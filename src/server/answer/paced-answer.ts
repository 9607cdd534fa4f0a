import type { ServerResponse } from 'node:http'
import type { HttpRequest } from '../http/route.js'
import type { HeldResponse } from '../http/shutdown.js'
import type { AnswerRoom } from './answer-budget.js'

export interface StreamTimes {
  /** Between two heartbeats. */
  heartbeatMs: number
  /** How long a reader may leave sent bytes unread; also how long it then has to read the farewell. */
  drainMs: number
}

export const STREAM_TIMES: StreamTimes = { heartbeatMs: 15_000, drainMs: 30_000 }

export interface PacedAnswerParts {
  times: StreamTimes
  /** Ended when the reader was dropped; when it ends, `deliver` no longer waits for the reader. */
  open: HeldResponse
  /** Its share of the memory for answers; absent if it needs little. */
  room?: AnswerRoom
  /** The heartbeat to send; undefined in the middle of a message. */
  beat: () => string | undefined
  /** The last message to a reader that is too slow; undefined: the connection is cut. */
  farewell: () => string | undefined
}

/**
 * An answer that continues for a long time, written as fast as it is read. A reader that does not read within `drainMs` is
 * dropped, so that nothing accumulates for it.
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
    // A dropped reader already has its farewell.
    if (this.res.writableEnded || this.res.destroyed) return false
    const taken = this.res.write(chunk)
    if (!taken) {
      this.parts.room?.leftUntaken()
      this.#deadline ??= setTimeout(() => this.#drop(), this.parts.times.drainMs)
    }
    return taken
  }

  /** Writes, and waits until the reader has received it or the answer is over. */
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
