import { Answer } from './answer.js'
import { textLines } from './text-lines.js'

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
