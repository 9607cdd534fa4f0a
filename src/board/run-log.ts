import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { LogPiece } from '../model/board/run.js'

export type NewLogPiece = Omit<LogPiece, 'seq'>

interface RunLogParts {
  /** Resolves when the pieces are stored. */
  write: (pieces: readonly NewLogPiece[]) => Promise<void>
  /** UTC, six digits. */
  now: () => string
}

/** A batch is written when it reaches this size, or after `BATCH_MS`. */
const BATCH_BYTES = 64 * 1024
const BATCH_MS = 200
/**
 * A batch is also written when it reaches this many pieces: a program that alternates between both streams may make a
 * piece of each word.
 */
const BATCH_PIECES = 256
/** Pause between two full batches, so that a flood of output leaves the server time: it is limited to about 6 MB/s. */
const REST_MS = 10
/** Enough for the content of the pipes, because each of these reads yields at least a batch. */
const MAX_LAST_READS = 256

/**
 * The log of a run while it is written. Output is read no faster than it is stored: while a batch is written, the pipes
 * are not read, and the program waits as it would for a slow terminal.
 */
export class RunLog {
  readonly #streams = new Set<Readable>()
  #pending: NewLogPiece[] = []
  #pendingBytes = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #failure: unknown
  #chunks = 0

  constructor(private readonly parts: RunLogParts) {}

  /** A sentence of the server. */
  note(sentence: string): void {
    this.#add('note', `${sentence}\n`)
  }

  line(text: string): void {
    this.#add('out', `${text}\n`)
  }

  /** Reads all output as UTF-8; invalid bytes become U+FFFD. */
  read(stream: Readable, name: 'out' | 'err'): void {
    const decoder = new StringDecoder('utf8')
    this.#streams.add(stream)
    stream.on('data', (chunk: Buffer) => {
      this.#chunks++
      this.#add(name, decoder.write(chunk))
    })
    stream.on('error', error => this.note(`The output could not be read to its end (${error.message}).`))
    stream.once('close', () => {
      this.#streams.delete(stream)
      this.#add(name, decoder.end())
    })
    if (this.#writing) stream.pause()
  }

  /**
   * Reads the rest of the pipes when no writer is left, however long the store takes, and closes them. If a process
   * that was not found keeps them open, they end where they were found empty.
   */
  async readLast(): Promise<void> {
    for (let reads = 0; this.#streams.size > 0 && reads < MAX_LAST_READS; reads++) {
      await this.#writing
      const before = this.#chunks
      // Between these two turns all available output is read once.
      await nextTurn()
      await nextTurn()
      if (!this.#writing && this.#chunks === before) break
    }
    const closed = [...this.#streams].map(stream => new Promise(resolve => stream.once('close', resolve)))
    for (const stream of this.#streams) stream.destroy()
    await Promise.all(closed)
  }

  /** Resolves when everything is stored. @throws the error of a failed write */
  async finish(): Promise<void> {
    while (this.#pending.length > 0 || this.#writing) await this.#flush()
    if (this.#failure !== undefined) throw this.#failure
  }

  #add(stream: LogPiece['stream'], text: string): void {
    if (text === '' || this.#failure !== undefined) return
    const bytes = Buffer.byteLength(text)
    const last = this.#pending.at(-1)
    // A program that writes byte by byte must not create a row for each byte.
    if (last?.stream === stream && this.#pendingBytes + bytes <= BATCH_BYTES) last.text += text
    else this.#pending.push({ at: this.parts.now(), stream, text })
    this.#pendingBytes += bytes
    if (this.#isFull()) void this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS)
  }

  #isFull(): boolean {
    return this.#pendingBytes >= BATCH_BYTES || this.#pending.length >= BATCH_PIECES
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing ??= this.#writePending()
      .catch(error => {
        this.#failure = error
        this.#pending = []
      })
      .finally(() => {
        this.#writing = undefined
      })
    return this.#writing
  }

  async #writePending(): Promise<void> {
    for (const stream of this.#streams) stream.pause()
    try {
      while (this.#pending.length > 0) {
        const [pieces, wasFull] = [this.#pending, this.#isFull()]
        this.#pending = []
        this.#pendingBytes = 0
        await this.parts.write(pieces)
        if (wasFull) await delay(REST_MS)
      }
    } finally {
      for (const stream of this.#streams) stream.resume()
    }
  }
}
