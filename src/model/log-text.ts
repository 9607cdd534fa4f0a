import type { LogPiece } from './run.js'

/** Puts the pieces of a log one after the other: a sentence of the executor's stands on a line of its own. */
export class LogText {
  #isWithinLine = false
  #lastStream: LogPiece['stream'] | undefined

  /** @returns what the piece adds to the text */
  add({ stream, text }: Pick<LogPiece, 'stream' | 'text'>): string {
    const breaks = this.#isWithinLine && stream === 'note' && this.#lastStream !== 'note'
    this.#isWithinLine = !text.endsWith('\n')
    this.#lastStream = stream
    return breaks ? `\n${text}` : text
  }
}
