import { StringDecoder } from 'node:string_decoder'
import { Answer } from './answer.js'

/**
 * The values of a JSON Lines response, as they arrive. Blank lines are keep-alives.
 *
 * @throws AppError `unavailable/not_a_ledger` for a line that is not JSON
 */
export async function* readJsonLines(status: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<unknown> {
  for await (const line of textLines(chunks)) {
    if (line.trim() !== '') yield new Answer(status, Buffer.from(line)).json()
  }
}

/** The lines of a UTF-8 stream, as they arrive. Text without a line break at its end is dropped: the connection broke within the line. */
export async function* textLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let begun = ''
  for await (const chunk of chunks) {
    const lines = (begun + decoder.write(chunk)).split('\n')
    begun = lines.pop() ?? ''
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
}
