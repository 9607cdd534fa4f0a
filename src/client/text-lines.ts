import { StringDecoder } from 'node:string_decoder'

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
