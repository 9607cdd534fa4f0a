import type { ServerResponse } from 'node:http'
import { type AnswerRoom, PIECE_BYTES } from './answer-budget.js'
import { cutOffWhenSlow, hasLeft } from './slow-reader.js'

/** Writes a large body as fast as its reader takes it, and cuts off one that is too slow. */
export class BodyWriter {
  #onTaken: (() => void) | undefined
  #isOver: boolean

  /** @param room that the body takes */
  constructor(
    private readonly res: ServerResponse,
    private readonly room: AnswerRoom,
    takenMs: number,
  ) {
    this.#isOver = hasLeft(res)
    res.on('drain', () => this.#onTaken?.())
    res.once('close', () => {
      this.#isOver = true
      this.#onTaken?.()
    })
    cutOffWhenSlow(res, takenMs)
  }

  /** The reader left or was cut off. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Resolves once the reader has taken it, or the answer is over. @param before text in front of it */
  async write(bytes: Uint8Array, before = ''): Promise<void> {
    if (before && !this.#isOver) this.res.write(before)
    for (let from = 0; from < bytes.length && !this.#isOver; from += PIECE_BYTES) {
      if (!this.res.write(bytes.subarray(from, from + PIECE_BYTES))) await this.#untilTaken()
    }
  }

  async end(text = ''): Promise<void> {
    if (this.#isOver) return
    this.room.leftUntaken()
    this.res.end(text)
    await untilClosed(this.res)
  }

  async #untilTaken(): Promise<void> {
    this.room.leftUntaken()
    await new Promise<void>(resolve => {
      this.#onTaken = resolve
    })
    this.room.taken()
  }
}

export function untilClosed(res: ServerResponse): Promise<void> {
  return new Promise(resolve => (hasLeft(res) ? resolve() : res.once('close', resolve)))
}
