import { StringDecoder } from 'node:string_decoder'
import { Answer } from './answer.js'

/**
 * The values of an answer of JSON lines, as they arrive. Blank lines are signs of life.
 *
 * @throws AppError `unavailable/not_a_ledger` for a line that is not JSON
 */
export async function* readJsonLines(status: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<unknown> {
  const decoder = new StringDecoder('utf8')
  let begun = ''
  for await (const chunk of chunks) {
    const lines = (begun + decoder.write(chunk)).split('\n')
    begun = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') yield new Answer(status, Buffer.from(line)).json()
  }
}
