import { toMs } from '../shared/time.js'
import type { LogPiece } from './wire.js'

export interface LogLine {
  /** Rises by one from line to line. */
  number: number
  /** Since the run began, in milliseconds. */
  atMs: number
  stream: LogPiece['stream']
  text: string
}

/** What the page keeps of a log; the oldest lines go. */
export const MOST_LINES = 5_000
/** A longer line is shown as several. */
const LINE_CHARACTERS = 4_000

/** Escape sequences of terminals: colours, titles, and what moves the cursor. */
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])?/g
/** Controls but the tab, and what turns or hides what stands beside it. */
const CONTROLS =
  /[\x00-\x08\x0a-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu
/** What a tower of marks has above five; it would cover other lines. Joiners do not end it. */
const TOWERS = /(?<=[\p{Mn}\p{Me}\u200c\u200d]{5})[\p{Mn}\p{Me}\u200c\u200d]+/gu

/** A line as one reads it: without controls; of what was written over itself, the last. */
export function plainLine(text: string): string {
  const written = text.replace(SEQUENCES, '').replace(/\r+$/, '')
  return written
    .slice(written.lastIndexOf('\r') + 1)
    .replace(CONTROLS, '')
    .replace(TOWERS, '')
}

/** Cuts the pieces of a log into lines: a line may lie in several pieces, and a piece may hold many. */
export class LogLines {
  readonly #startedMs: number
  #number = 0
  #lastSeq = 0
  /** Of the line that has no end yet. */
  #rest = ''
  #open: LogLine | undefined

  /** @param startedAt when the run began */
  constructor(startedAt: string) {
    this.#startedMs = toMs(startedAt)
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  /** @returns the lines that are new or have become longer; the first may be the last one of before */
  add({ seq, at, stream, text }: LogPiece): LogLine[] {
    if (seq <= this.#lastSeq) return []
    const isGap = seq > this.#lastSeq + 1
    this.#lastSeq = seq
    const atMs = Math.max(0, toMs(at) - this.#startedMs)
    const changed: LogLine[] = []
    if (isGap) {
      this.#open = undefined
      changed.push(this.#line(atMs, 'note', 'What stood here is not kept any more.'))
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
        const line = this.#open ?? this.#line(atMs, stream, '')
        line.text = plainLine(piece)
        changed.push(line)
        this.#rest = piece
        // What is too long goes on in another line.
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

  #line(atMs: number, stream: LogPiece['stream'], text: string): LogLine {
    this.#number += 1
    return { number: this.#number, atMs, stream, text }
  }
}

function chunks(text: string): string[] {
  if (text.length <= LINE_CHARACTERS) return [text]
  const found: string[] = []
  for (let at = 0; at < text.length; at += LINE_CHARACTERS) found.push(text.slice(at, at + LINE_CHARACTERS))
  return found
}
