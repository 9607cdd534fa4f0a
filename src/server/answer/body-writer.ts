import type { ServerResponse } from 'node:http'
import { type AnswerRoom, PIECE_BYTES } from './answer-budget.js'
import { cutOffWhenSlow, hasLeft } from './slow-reader.js'

/** Writes a large body as fast as its reader receives it, and cuts off a reader that is too slow. */
export class BodyWriter {
  #onOver = () => {}
  #isOver: boolean

  /** @param room that the body uses */
  constructor(
    private readonly res: ServerResponse,
    private readonly room: AnswerRoom,
    takenMs: number,
  ) {
    this.#isOver = hasLeft(res)
    res.once('close', () => {
      this.#isOver = true
      this.#onOver()
    })
    cutOffWhenSlow(res, takenMs)
  }

  /** The reader left or was cut off. */
  get isOver(): boolean {
    return this.#isOver
  }

  /**
   * Resolves once the system has accepted the bytes, or the answer is over. Their memory is then not needed here.
   *
   * @param before text in front of it
   */
  async write(bytes: Uint8Array, before = ''): Promise<void> {
    if (before && !this.#isOver) this.res.write(before)
    for (let from = 0; from < bytes.length && !this.#isOver; from += PIECE_BYTES) {
      await this.room.nextPiece()
      this.room.leftUntaken()
      const isTaken = await this.#writePart(bytes.subarray(from, from + PIECE_BYTES))
      if (!isTaken) await untilClosed(this.res)
      this.room.taken()
    }
  }

  async end(text: string | Uint8Array = ''): Promise<void> {
    if (this.#isOver) return
    this.room.leftUntaken()
    this.res.end(text)
    await untilClosed(this.res)
  }

  /**
   * An answer that waits behind another one on its connection may end without reporting that its bytes were written.
   */
  #writePart(bytes: Uint8Array): Promise<boolean> {
    return new Promise(resolve => {
      this.#onOver = () => resolve(false)
      this.res.write(bytes, error => resolve(!error))
    })
  }
}

export function untilClosed(res: ServerResponse): Promise<void> {
  return new Promise(resolve => (hasLeft(res) ? resolve() : res.once('close', resolve)))
}
