import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import type { LogPiece } from '../model/board/run.js'

export type NewLogPiece = Omit<LogPiece, 'seq'>

export interface RunLogParts {
  /** Resolves once the pieces are kept. */
  write: (pieces: readonly NewLogPiece[]) => Promise<void>
  /** UTC, six digits. */
  now: () => string
}

/** So much is written at once, or what came within so long. */
const BATCH_BYTES = 64 * 1024
const BATCH_MS = 200
/** A program that writes to both streams in turn makes a piece of each word; so many are a batch as well. */
const BATCH_PIECES = 256
/** Between two full batches nothing is read, so that a flood leaves the server time for others: about 6 MB/s are left. */
const REST_MS = 10
/** Enough for what fits into the pipes, each of these looks taking a batch at least. */
const MOST_LAST_LOOKS = 256

/**
 * The log of a run while it is written. What its program says is read no faster than it is kept: while a batch is being
 * written nothing is taken from the pipes, and the program waits as it would for a slow terminal.
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

  /** A sentence of our own. */
  note(sentence: string): void {
    this.#add('note', `${sentence}\n`)
  }

  line(text: string): void {
    this.#add('out', `${text}\n`)
  }

  /** Takes in all that comes, as UTF-8; what is none is replaced by U+FFFD. */
  read(stream: Readable, name: 'out' | 'err'): void {
    const decoder = new StringDecoder('utf8')
    this.#streams.add(stream)
    stream.on('data', (chunk: Buffer) => {
      this.#chunks++
      this.#add(name, decoder.write(chunk))
    })
    stream.on('error', error => this.note(`Its output could not be read to the end (${error.message}).`))
    stream.once('close', () => {
      this.#streams.delete(stream)
      this.#add(name, decoder.end())
    })
    if (this.#writing) stream.pause()
  }

  /**
   * Reads to the end what is in the pipes once nobody is left who writes, however long the store takes for it, and lets go
   * of them. Somebody who hides from us may hold them open: then their end is where they were found empty.
   */
  async readLast(): Promise<void> {
    for (let looks = 0; this.#streams.size > 0 && looks < MOST_LAST_LOOKS; looks++) {
      await this.#writing
      const before = this.#chunks
      // From one of these to the next, all that is there is read once.
      await turn()
      await turn()
      if (!this.#writing && this.#chunks === before) break
    }
    const closed = [...this.#streams].map(stream => new Promise(resolve => stream.once('close', resolve)))
    for (const stream of this.#streams) stream.destroy()
    await Promise.all(closed)
  }

  /** Resolves when everything is kept. @throws what writing failed with */
  async finish(): Promise<void> {
    while (this.#pending.length > 0 || this.#writing) await this.#flush()
    if (this.#failure !== undefined) throw this.#failure
  }

  #add(stream: LogPiece['stream'], text: string): void {
    if (text === '' || this.#failure !== undefined) return
    const bytes = Buffer.byteLength(text)
    const last = this.#pending.at(-1)
    // A program that writes byte by byte shall not make a row of each.
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
