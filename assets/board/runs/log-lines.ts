import type { LogPiece } from '#model/board/run'
import { plainText } from '../../shared/words/text.js'
import { toMs } from '../../shared/words/time.js'

export interface LogLine {
  /** Increases by one per line. */
  number: number
  /** When its first piece was written. */
  at: string
  /** Milliseconds since the start of the run. */
  atMs: number
  stream: LogPiece['stream']
  text: string
}

/** Lines of a log that the page keeps; the oldest are dropped. */
export const MOST_LINES = 5_000
/** A longer line is split. */
const LINE_CHARACTERS = 4_000

/** Terminal escape sequences: colours, titles, cursor movements. */
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])?/g
/** The readable form of a line, without control characters. Of overwritten text, only the last version stays. */
export function plainLine(text: string): string {
  const written = text.replace(SEQUENCES, '').split('\r')
  const last = written.findLast(piece => piece !== '') ?? ''
  // Applied twice, because characters that the first pass removes may have separated the marks of a stack.
  return plainText(plainText(last, last.length), last.length)
}

/**
 * How long a piece was in progress, in whole seconds. Zero for a keep-alive, which follows all earlier pieces, and for
 * a piece written before the connection was made.
 *
 * @param clock the server's clock, in epoch milliseconds
 */
export function secondsBehind(piece: LogPiece | undefined, clock: { openedAt: number; now: number }): number {
  const at = piece === undefined ? Number.NaN : toMs(piece.at)
  return at >= clock.openedAt ? Math.max(0, Math.floor((clock.now - at) / 1000)) : 0
}

/** Splits the pieces of a log into lines: a line may span several pieces, and a piece may contain many. */
export class LogLines {
  readonly #startedMs: number
  #number = 0
  #lastSeq = 0
  #rest = ''
  #open: LogLine | undefined

  constructor(startedAt: string) {
    this.#startedMs = toMs(startedAt)
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  /** @returns the new or extended lines; the first may be the previous last one */
  add({ seq, at, stream, text }: LogPiece): LogLine[] {
    if (seq <= this.#lastSeq) return []
    const isGap = seq > this.#lastSeq + 1
    this.#lastSeq = seq
    const changed: LogLine[] = []
    if (isGap) {
      this.#open = undefined
      changed.push(this.#line(at, 'note', 'This part of the log was dropped.'))
    }
    if (this.#open && this.#open.stream !== stream) this.#open = undefined
    if (!this.#open) this.#rest = ''
    const parts = text.split('\n')
    parts.forEach((part, index) => {
      const isLast = index === parts.length - 1
      if (isLast && part === '') {
        this.#open = undefined
        return
      }
      for (const piece of chunks(this.#rest + part)) {
        const line = this.#open ?? this.#line(at, stream, '')
        line.text = plainLine(piece)
        changed.push(line)
        this.#rest = piece
        // A line that is too long continues in another.
        this.#open = piece.length < LINE_CHARACTERS ? line : undefined
      }
      if (!this.#open) this.#rest = ''
      if (!isLast) {
        this.#open = undefined
        this.#rest = ''
      }
    })
    return [...new Set(changed)]
  }

  #line(at: string, stream: LogPiece['stream'], text: string): LogLine {
    this.#number += 1
    return { number: this.#number, at, atMs: Math.max(0, toMs(at) - this.#startedMs), stream, text }
  }
}

function chunks(text: string): string[] {
  if (text.length <= LINE_CHARACTERS) return [text]
  const found: string[] = []
  for (let at = 0; at < text.length; at += LINE_CHARACTERS) found.push(text.slice(at, at + LINE_CHARACTERS))
  return found
}
