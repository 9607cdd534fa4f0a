import type { Writable } from 'node:stream'
import { AppError } from '../../model/app-error.js'
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
  #failure: unknown
  #report: ((error: Error) => void) | undefined

  constructor(readonly stream: OutputStream) {
    // oclif has a listener of its own, which throws.
    stream.removeAllListeners('error').on('error', error => this.#fail(error))
  }

  /** For a process that continues without output. Reports a full disk or a closed pipe instead of throwing. */
  reportFailures(report: (error: Error) => void): void {
    this.#report = report
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

  /**
   * Resolves when the text is written, or the reader has closed the output. Adds a newline if the text lacks one.
   *
   * @throws AppError `unavailable/output_full`
   */
  async print(text: string | Uint8Array): Promise<void> {
    if (text.length === 0) return
    const ends = typeof text === 'string' ? text.endsWith('\n') : text.at(-1) === 0x0a
    await Promise.all(ends ? [this.write(text)] : [this.write(text), this.write('\n')])
  }

  /** The same, without a newline. */
  async write(text: string | Uint8Array): Promise<void> {
    const { signal } = this.#closed
    if (signal.aborted) return
    await new Promise<void>(resolve => {
      const done = () => {
        signal.removeEventListener('abort', done)
        resolve()
      }
      signal.addEventListener('abort', done)
      this.stream.write(text, error => {
        if (error) this.#fail(error)
        done()
      })
    })
    if (this.#failure) throw this.#failure
  }

  /** Called with the error of a write, and with the stream's: a write fails before the stream does. */
  #fail(error: Error): void {
    if (this.#closed.signal.aborted || this.#failure) return
    const isLeft = 'code' in error && error.code === 'EPIPE'
    // The reader of a pipe may exit early (`… | head -1`). This is not a failure.
    if (!isLeft && !this.#report) this.#failure = toOutputError(error)
    else this.#closed.abort()
    this.#report?.(error)
  }
}

/** Translates the failure of a write to standard output, if the disk is full; other errors are returned as they are. */
export function toOutputError(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT'))) return error
  const detail = 'The disk of standard output is full: the output is incomplete.'
  return new AppError('unavailable', 'output_full', detail, { hint: 'Make room and run it again.', cause: error })
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
