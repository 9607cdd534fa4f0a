import { AppError } from '../model/app-error.js'
import { EVENT_LIMITS } from '../model/events/event-limits.js'

/** Some lines of an input, recorded together. */
export interface LineBatch {
  /** Without blank lines. */
  body: Buffer
  /** The number of each line in the input, starting at 1. */
  lines: number[]
}

export interface BatchLimits {
  events: number
  bytes: number
}

const FEED = 0x0a

/**
 * Splits JSON lines into batches within the server's limits. Holds one batch at a time.
 *
 * @throws AppError `too_large/body_too_large` for a line that fits into no batch, after yielding the batches before it
 */
export async function* toLineBatches(
  chunks: AsyncIterable<Uint8Array>,
  limits: BatchLimits = { events: EVENT_LIMITS.batchEvents, bytes: EVENT_LIMITS.batchBytes },
): AsyncGenerator<LineBatch> {
  let batch: Uint8Array[] = []
  let lines: number[] = []
  let bytes = 0
  for await (const { number, text } of numberedLines(chunks, limits.bytes)) {
    if (lines.length === limits.events || bytes + text.length > limits.bytes) {
      yield { body: Buffer.concat(batch, bytes), lines }
      batch = []
      lines = []
      bytes = 0
    }
    batch.push(text)
    lines.push(number)
    bytes += text.length
  }
  if (lines.length > 0) yield { body: Buffer.concat(batch, bytes), lines }
}

interface NumberedLine {
  number: number
  /** With its line feed, which is added if the last line has none. */
  text: Buffer
}

/** Yields the lines that are not blank. */
async function* numberedLines(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<NumberedLine> {
  let number = 1
  let begun: Uint8Array[] = []
  let begunBytes = 0
  const line = (rest: Uint8Array) => {
    const text = Buffer.concat([...begun, rest])
    begun = []
    begunBytes = 0
    return text
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let feed = chunk.indexOf(FEED); feed !== -1; feed = chunk.indexOf(FEED, start)) {
      const text = line(chunk.subarray(start, feed + 1))
      if (text.length > maxBytes) throw tooLong(number)
      if (!isBlank(text)) yield { number, text }
      number += 1
      start = feed + 1
    }
    begun.push(chunk.subarray(start))
    begunBytes += chunk.length - start
    if (begunBytes >= maxBytes) throw tooLong(number)
  }
  const last = line(Buffer.of(FEED))
  if (!isBlank(last)) yield { number, text: last }
}

function isBlank(line: Buffer): boolean {
  return line.every(byte => byte === 0x20 || byte === 0x09 || byte === FEED || byte === 0x0d)
}

function tooLong(line: number): AppError {
  return new AppError('too_large', 'body_too_large', `Line ${line} is larger than a ledger accepts.`)
}
