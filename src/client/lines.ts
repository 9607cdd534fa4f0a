import { Answer } from './answer.js'

const FEED = 0x0a
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, FEED, 0x0d])

/**
 * The lines of a stream, as they arrive, each with its line feed; the last one may have none.
 *
 * @param maxBytes a line that reaches this length without a line feed is yielded in pieces
 */
export async function* byteLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer> {
  let begun: Uint8Array[] = []
  let begunBytes = 0
  const take = (rest: Uint8Array = new Uint8Array()) => {
    const line = Buffer.concat([...begun, rest])
    begun = []
    begunBytes = 0
    return line
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let feed = chunk.indexOf(FEED); feed !== -1; feed = chunk.indexOf(FEED, start)) {
      yield take(chunk.subarray(start, feed + 1))
      start = feed + 1
    }
    begun.push(chunk.subarray(start))
    begunBytes += chunk.length - start
    if (begunBytes >= maxBytes) yield take()
  }
  if (begunBytes > 0) yield take()
}

/** What has been read from the source, then the rest of it. Ends the source with itself. */
export async function* startingWith<Part>(head: Part, source: AsyncIterator<Part>): AsyncGenerator<Part> {
  try {
    yield head
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value
  } finally {
    await source.return?.()
  }
}

export function endsWithFeed(line: Uint8Array): boolean {
  return line.at(-1) === FEED
}

export function isBlank(line: Uint8Array): boolean {
  return line.every(byte => BLANKS.has(byte))
}

/**
 * The values of a JSON Lines response, as they arrive. Blank lines are keep-alives; a line without a line feed is
 * dropped, because the connection broke within it.
 *
 * @throws AppError `unavailable/not_a_ledger` for a line that is not JSON
 */
export async function* readJsonLines(status: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<unknown> {
  for await (const line of byteLines(chunks)) {
    if (endsWithFeed(line) && !isBlank(line)) yield new Answer(status, line).json()
  }
}
