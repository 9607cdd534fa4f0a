import type { OutputStream } from './output.js'

/** A status line that changes in place during a long operation. Only at a terminal. */
export class Progress {
  #isShown = false

  /** @param stream standard error, because standard output is for results */
  constructor(private readonly stream: OutputStream) {}

  show(text: string): void {
    if (this.stream.isTTY !== true) return
    this.stream.write(`\r${text}\x1b[K`)
    this.#isShown = true
  }

  /** Removes the line. */
  end(): void {
    if (this.#isShown) this.stream.write('\r\x1b[K')
    this.#isShown = false
  }
}
