import type { Writable } from 'node:stream'
import type { SettingSources } from '../../settings/reading/setting-sources.js'
import type { TerminalStyle } from './style.js'

/** The part of a stream's terminal that we use. */
export interface OutputStream extends Writable {
  isTTY?: boolean
  columns?: number
}

const DEFAULT_COLUMNS = 80

/** Standard output: waits for a slow reader, and detects a closed one. */
export class Output {
  readonly #closed = new AbortController()

  constructor(readonly stream: OutputStream) {
    stream.on('error', error => {
      // The reader of a pipe may exit early (`… | head -1`). This is not a failure.
      if (!('code' in error) || error.code !== 'EPIPE') throw error
      this.#closed.abort()
    })
  }

  /** For a process that continues without output. Reports a full disk or a closed pipe instead of throwing. */
  reportFailures(report: (error: Error) => void): void {
    // oclif has a listener of its own, which throws.
    this.stream.removeAllListeners('error').on('error', error => {
      this.#closed.abort()
      report(error)
    })
  }

  /** Whether the output is a terminal. */
  get isTerminal(): boolean {
    return this.stream.isTTY === true
  }

  get columns(): number {
    return this.stream.columns || DEFAULT_COLUMNS
  }

  /** Aborted when the reader has closed the output. */
  get closed(): AbortSignal {
    return this.#closed.signal
  }

  /** Resolves when more may be written, or the reader has closed the output. Adds a newline if the text lacks one. */
  async print(text: string | Uint8Array): Promise<void> {
    if (text.length === 0 || this.#closed.signal.aborted) return
    const ends = typeof text === 'string' ? text.endsWith('\n') : text.at(-1) === 0x0a
    const ready = this.stream.write(text)
    if (!(ends ? ready : this.stream.write('\n'))) await this.#drained()
  }

  /** The same, without a newline. */
  async write(bytes: Uint8Array): Promise<void> {
    if (!this.#closed.signal.aborted && !this.stream.write(bytes)) await this.#drained()
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

/** Maximum width of a table in a pipe, so that `less` and `grep` see whole lines. */
const PIPE_COLUMNS = 10_000

/** The style for the user's terminal. Loads the colour library only when something is rendered. */
export async function loadTerminalStyle(
  output: Output,
  sources: SettingSources,
  flags: { 'no-color'?: boolean | undefined; local?: boolean | undefined } = {},
): Promise<TerminalStyle> {
  const [{ createTerminalStyle }, { readTerminalSettings }] = await Promise.all([
    import('./style.js'),
    import('../../settings/terminal-settings.js'),
  ])
  const { colour, columns } = readTerminalSettings(sources)
  const isColoured = !flags['no-color'] && (colour === 'always' || (colour === 'auto' && output.isTerminal))
  return createTerminalStyle({
    colour: isColoured,
    columns: output.isTerminal ? output.columns : (columns ?? PIPE_COLUMNS),
    isLocalTime: flags.local ?? false,
  })
}
