import type { OutputStream } from './output.js'

/** A line that changes in place while something takes its time. Only at a terminal. */
export class Progress {
  #isShown = false

  /** @param stream standard error: standard output belongs to the answer */
  constructor(private readonly stream: OutputStream) {}

  show(text: string): void {
    if (this.stream.isTTY !== true) return
    this.stream.write(`\r${text}\x1b[K`)
    this.#isShown = true
  }

  /** Takes the line away. */
  end(): void {
    if (this.#isShown) this.stream.write('\r\x1b[K')
    this.#isShown = false
  }
}
