import type { ChildProcess } from 'node:child_process'
import { createInterface, type Interface } from 'node:readline'

const KEPT_ERRORS = 4_000

/** Reads the lines that a child process prints, one by one. Keeps its last output for the message of a failure. */
export class ChildLines {
  readonly #lines: AsyncIterator<string>
  readonly #reader: Interface
  #errors = ''

  /** @param child with pipes for standard output and standard error */
  constructor(
    private readonly child: ChildProcess,
    private readonly name: string,
  ) {
    if (!child.stdout || !child.stderr) throw new Error(`${name} was started without pipes.`)
    child.once('error', error => this.#keep(error.message))
    // If the process ended earlier, the next read of a line reports the reason.
    child.stdin?.once('error', error => this.#keep(error.message))
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.#keep(text))
    this.#reader = createInterface({ input: child.stdout })
    this.#lines = this.#reader[Symbol.asyncIterator]()
  }

  /** @throws when the process ends without another line */
  async next(): Promise<string> {
    const line = await this.#lines.next()
    if (!line.done) return line.value
    throw new Error(`${this.name} ended${this.#exit()}. ${this.#errors.trim()}`)
  }

  #keep(text: string): void {
    this.#errors = (this.#errors + text).slice(-KEPT_ERRORS)
  }

  #exit(): string {
    const { exitCode, signalCode } = this.child
    return exitCode === null && signalCode === null ? '' : ` with ${signalCode ?? exitCode}`
  }
}
