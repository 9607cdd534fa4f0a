import { textLines } from './lines.js'

/** One message of an event stream. */
export interface ServerSentEvent {
  /** `message` if it has no name. */
  event: string
  /** Of this message or the last one that had an id. */
  lastId: string
  data: string
}

/**
 * The messages of a server-sent event stream, as they arrive. Comments are keep-alives.
 *
 * Source: WHATWG HTML, "Interpreting an event stream".
 */
export async function* readServerSentEvents(chunks: AsyncIterable<Buffer>): AsyncGenerator<ServerSentEvent> {
  let [event, lastId, data] = ['', '', [] as string[]]
  for await (const line of textLines(chunks)) {
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
