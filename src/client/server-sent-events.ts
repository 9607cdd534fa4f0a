import { createParser, type EventSourceMessage } from 'eventsource-parser'

/** One message of an event stream. */
export interface ServerSentEvent {
  /** `message` if it has no name. */
  event: string
  /** Id of this message, or of the last message that had one. */
  lastId: string
  data: string
}

/** The messages of a server-sent event stream, as they arrive. Comments are keep-alives. */
export async function* readServerSentEvents(chunks: AsyncIterable<Buffer>): AsyncGenerator<ServerSentEvent> {
  const messages: EventSourceMessage[] = []
  const parser = createParser({ onEvent: message => messages.push(message) })
  const decoder = new TextDecoder()
  let lastId = ''
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    for (const { event = 'message', id = lastId, data } of messages.splice(0)) {
      lastId = id
      yield { event, lastId, data }
    }
  }
}
