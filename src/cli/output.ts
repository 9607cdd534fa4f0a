import type { Writable } from 'node:stream'

/** As much of a stream's terminal as we use. */
export interface OutputStream extends Writable {
  isTTY?: boolean
  columns?: number
}

const DEFAULT_COLUMNS = 80

/** Standard output: waits for whoever reads it, and knows when nobody does any more. */
export class Output {
  readonly #closed = new AbortController()

  constructor(readonly stream: OutputStream) {
    stream.on('error', error => {
      // A pipe whose reader has gone (`… | head -1`) is not a failure.
      if (!('code' in error) || error.code !== 'EPIPE') throw error
      this.#closed.abort()
    })
  }

  /** A person is looking. */
  get isTerminal(): boolean {
    return this.stream.isTTY === true
  }

  get columns(): number {
    return this.stream.columns || DEFAULT_COLUMNS
  }

  /** Aborted once nobody reads. */
  get closed(): AbortSignal {
    return this.#closed.signal
  }

  /** Resolves when more may be written, or nobody reads. Ends the text with a newline if it has none. */
  async print(text: string | Uint8Array): Promise<void> {
    if (text.length === 0 || this.#closed.signal.aborted) return
    const ends = typeof text === 'string' ? text.endsWith('\n') : text.at(-1) === 0x0a
    const ready = this.stream.write(text)
    if (!(ends ? ready : this.stream.write('\n'))) await this.#drained()
  }

  #drained(): Promise<void> {
    return new Promise(resolve => {
      const done = () => {
        this.stream.off('drain', done)
        this.#closed.signal.removeEventListener('abort', done)
        resolve()
      }
      this.stream.once('drain', done)
      this.#closed.signal.addEventListener('abort', done)
    })
  }
}
