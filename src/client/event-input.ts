import { AppError } from '../model/app-error.js'
import { EVENT_LIMITS } from '../model/events/event-limits.js'
import { startingWith } from './lines.js'

/** Input of `api record-json`. */
type EventInput =
  /** One JSON text: an event, or an array of them. */
  | { kind: 'document'; json: Buffer }
  /** Any number of events, one per line. */
  | { kind: 'lines'; chunks: AsyncIterable<Uint8Array> }

const FEED = 0x0a
const OPENING_BRACKET = 0x5b
/** A byte order mark counts as blank: no JSON text begins with its bytes. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, FEED, 0x0d, 0xef, 0xbb, 0xbf])

/**
 * Distinguishes one JSON text from one event per line, and reads no more lines than necessary. A first line that is a
 * whole JSON text, followed by more, means lines. Input that begins with an array is one text.
 *
 * @param chunks of UTF-8
 * @throws AppError `invalid/invalid_json` for empty input, `too_large/body_too_large` for a text that no ledger accepts
 */
export async function readEventInput(chunks: AsyncIterable<Uint8Array>): Promise<EventInput> {
  const source = chunks[Symbol.asyncIterator]()
  const { head, firstLine, more } = await readHead(source)
  if (more && isJson(firstLine)) return { kind: 'lines', chunks: startingWith(head, source) }
  const json = await readAll(startingWith(head, source))
  if (json.every(byte => BLANKS.has(byte))) {
    throw new AppError('invalid', 'invalid_json', 'There is nothing to record: the input is empty.')
  }
  return { kind: 'document', json }
}

interface Head {
  head: Buffer
  /** The first line that is not blank, as far as it has been read. */
  firstLine: Buffer
  /** Whether anything follows the first line. */
  more: boolean
}

/** Reads until it is clear whether anything follows the first line. */
async function readHead(source: AsyncIterator<Uint8Array>): Promise<Head> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  let start = -1
  let end = -1
  const result = (more: boolean): Head => {
    const head = Buffer.concat(chunks)
    return { head, firstLine: head.subarray(Math.max(start, 0), end === -1 ? undefined : end), more }
  }
  for (let next = await source.next(); !next.done; next = await source.next()) {
    const chunk = next.value
    chunks.push(chunk)
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] ?? 0
      if (start === -1) {
        if (BLANKS.has(byte)) continue
        start = bytes + i
        if (byte === OPENING_BRACKET) return result(false)
      } else if (end === -1) {
        if (byte === FEED) end = bytes + i
      } else if (!BLANKS.has(byte)) {
        return result(true)
      }
    }
    bytes += chunk.length
    if (bytes > EVENT_LIMITS.batchBytes) throw tooLarge()
  }
  return result(false)
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'))
    return true
  } catch {
    return false
  }
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const read: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    read.push(chunk)
    bytes += chunk.length
    if (bytes > EVENT_LIMITS.batchBytes) throw tooLarge()
  }
  return Buffer.concat(read, bytes)
}

function tooLarge(): AppError {
  const detail = 'The input is one JSON text of more than 32 MiB.'
  return new AppError('too_large', 'body_too_large', detail, {
    hint: 'Write one event per line instead; their number is not limited.',
  })
}
