import type { LogPiece } from './run.js'

/** Joins the pieces of a log. A sentence by the executor gets a line of its own. */
export class LogText {
  #isWithinLine = false
  #lastStream: LogPiece['stream'] | undefined

  /** @returns the text that the piece adds */
  add({ stream, text }: Pick<LogPiece, 'stream' | 'text'>): string {
    const breaks = this.#isWithinLine && stream === 'note' && this.#lastStream !== 'note'
    this.#isWithinLine = !text.endsWith('\n')
    this.#lastStream = stream
    return breaks ? `\n${text}` : text
  }
}
