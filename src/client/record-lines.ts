import { AppError, type FieldProblem } from '../model/app-error.js'
import { EVENT_LIMITS } from '../model/events/event-limits.js'
import type { Answer } from './answer.js'
import type { LedgerClient } from './ledger-client.js'
import { byteLines, endsWithFeed, isBlank } from './lines.js'

/** A batch that has been recorded. */
interface RecordedBatch {
  answer: Answer
  events: number
  created: number
  duplicates: number
}

/**
 * Records events line by line, in batches. A batch is recorded as a whole or not at all, so a refusal can name the
 * lines that are in the ledger; recording those again would only count them as repeats.
 *
 * @throws AppError as the ledger refuses, with the input's line numbers
 */
export async function* recordLines(
  client: Pick<LedgerClient, 'record'>,
  chunks: AsyncIterable<Uint8Array>,
  limits?: BatchLimits,
): AsyncGenerator<RecordedBatch> {
  let recordedTo = 0
  try {
    for await (const batch of toLineBatches(chunks, limits)) {
      const answer = await client.record(batch.body, 'application/x-ndjson').catch(error => {
        throw error instanceof AppError ? inLines(error, batch) : error
      })
      recordedTo = batch.lines.at(-1) ?? recordedTo
      yield { answer, events: batch.lines.length, ...readCounts(answer) }
    }
  } catch (error) {
    throw error instanceof AppError && recordedTo > 0 ? afterLine(error, recordedTo) : error
  }
}

function readCounts(answer: Answer): { created: number; duplicates: number } {
  const { created, duplicates } = Object(answer.json())
  if (typeof created === 'number' && typeof duplicates === 'number') return { created, duplicates }
  throw answer.mismatch('a count of recorded events')
}

/** Converts positions within a batch, from 0, to line numbers of the file. */
function inLines(error: AppError, { lines }: LineBatch): AppError {
  const [first, last] = [lines[0], lines.at(-1)]
  const where = first === last ? `Line ${first} is not recorded` : `Lines ${first} to ${last} are not recorded`
  const errors = error.errors.map(problem => atLine(problem, lines))
  // The problems below have the right line numbers.
  const message =
    errors.length > 0 ? `${where}: ${lines.length === 1 ? 'it is' : 'some are'} refused.` : `${where}. ${error.message}`
  return rewritten(error, message, errors)
}

function atLine({ field, detail }: FieldProblem, lines: number[]): FieldProblem {
  const [, index, rest = ''] = /^\/(\d+)(\/.*)?$/s.exec(field) ?? []
  const line = index === undefined ? undefined : lines[Number(index)]
  return line === undefined ? { field, detail } : { field: `line ${line}${rest && ` ${rest}`}`, detail }
}

function afterLine(error: AppError, recordedTo: number): AppError {
  const recorded = recordedTo === 1 ? 'Line 1 is recorded.' : `Lines 1 to ${recordedTo} are recorded.`
  return rewritten(error, `${error.message} ${recorded}`, error.errors)
}

function rewritten(error: AppError, message: string, errors: FieldProblem[]): AppError {
  const { category, code, retryAfterSeconds } = error
  return new AppError(category, code, message, {
    errors,
    cause: error,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}

/** Some lines of an input, recorded together. */
interface LineBatch {
  /** Without blank lines. */
  body: Buffer
  /** The number of each line in the input, starting at 1. */
  lines: number[]
}

interface BatchLimits {
  events: number
  bytes: number
}

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
  for await (const line of byteLines(chunks, maxBytes)) {
    const text = endsWithFeed(line) ? line : Buffer.concat([line, Buffer.from('\n')])
    if (text.length > maxBytes) throw tooLong(number)
    if (!isBlank(text)) yield { number, text }
    number += 1
  }
}

function tooLong(line: number): AppError {
  return new AppError('too_large', 'body_too_large', `Line ${line} is larger than a ledger accepts.`)
}
