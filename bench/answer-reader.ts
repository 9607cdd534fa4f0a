/** Receives pieces of an answer's body: `chunk` from `from` to before `to`. The chunk is reused afterwards. */
export type TakeBody = (chunk: Buffer, from: number, to: number) => void

const MAX_HEAD = 16 * 1024
const HEAD_PIECE = 2 * 1024
const HEAD_END = '\r\n\r\n'
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i
const CONNECTION_CLOSE = /\r\nconnection: *close/i

/**
 * Reads answers of one HTTP/1.1 connection, one at a time: the status, `Content-Length` and whether the server closes
 * the connection. It reads nothing else, so that reading costs little compared with the measured work.
 */
export class AnswerReader {
  /** Status of the newest answer. */
  status = 0
  /** Whether the server closes the connection after the newest answer. */
  closes = false
  #head = ''
  /** Number of missing bytes of the body; -1 until the head is complete. */
  #missing = -1

  constructor(private readonly takeBody?: TakeBody) {}

  /** Whether part of an answer has arrived. */
  get isWithin(): boolean {
    return this.#missing >= 0 || this.#head !== ''
  }

  /** @returns whether the answer is complete */
  accept(chunk: Buffer, length: number): boolean {
    let from = 0
    if (this.#missing < 0) {
      const before = this.#head.length
      const text = this.#head + chunk.toString('latin1', 0, Math.min(length, HEAD_PIECE))
      const end = text.indexOf(HEAD_END)
      if (end < 0) {
        if (text.length > MAX_HEAD || length > HEAD_PIECE) throw new Error('An answer has too large a head.')
        this.#head = text
        return false
      }
      this.#readHead(text.slice(0, end))
      from = end + HEAD_END.length - before
    }
    const to = Math.min(length, from + this.#missing)
    if (this.takeBody && to > from) this.takeBody(chunk, from, to)
    this.#missing -= to - from
    if (this.#missing > 0) return false
    if (to < length) throw new Error('More came than one answer.')
    this.#missing = -1
    return true
  }

  #readHead(head: string): void {
    this.#head = ''
    this.status = Number(head.slice(9, 12))
    this.closes = CONNECTION_CLOSE.test(head)
    const length = CONTENT_LENGTH.exec(head)?.[1]
    if (length === undefined && this.status !== 204) throw new Error('An answer has no Content-Length.')
    this.#missing = Number(length ?? 0)
  }
}
