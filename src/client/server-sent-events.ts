import { StringDecoder } from 'node:string_decoder'

/** One message of a stream. */
export interface ServerSentEvent {
  /** `message` where it has no name. */
  event: string
  /** Of this message or of one before it. */
  lastId: string
  data: string
}

/**
 * The messages of an answer of server-sent events, as they arrive. Comments are signs of life.
 *
 * Source: WHATWG HTML, "Interpreting an event stream".
 */
export async function* readServerSentEvents(chunks: AsyncIterable<Buffer>): AsyncGenerator<ServerSentEvent> {
  let [event, lastId, data] = ['', '', [] as string[]]
  for await (const line of linesOf(chunks)) {
    if (line === '') {
      if (data.length > 0) yield { event: event || 'message', lastId, data: data.join('\n') }
      event = ''
      data = []
      continue
    }
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    else if (field === 'event') event = value
    else if (field === 'id') lastId = value
  }
}

/** What is not ended by a line break is no line: the connection broke within it. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let begun = ''
  for await (const chunk of chunks) {
    const lines = (begun + decoder.write(chunk)).split('\n')
    begun = lines.pop() ?? ''
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
}
