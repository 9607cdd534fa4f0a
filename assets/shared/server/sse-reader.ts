import { createParser } from 'eventsource-parser'

/** A message of an event stream. */
export interface StreamMessage {
  /** `message` if it has no name. */
  event: string
  id: string | undefined
  data: string
}

/** Limit of one message: more than the ledger sends. Characters. */
const LONGEST = 64 * 1024 * 1024

/** Parses a stream into messages. */
export class SseReader {
  #messages: StreamMessage[] = []
  #parser = createParser({
    maxBufferSize: LONGEST,
    onEvent: ({ event = 'message', id, data }) => this.#messages.push({ event, id, data }),
    onError: error => {
      if (error.type === 'max-buffer-size-exceeded') throw new RangeError('A message of the stream does not end.')
    },
  })

  /**
   * Takes the next chunk, cut anywhere.
   *
   * @returns messages complete so far, without keep-alives
   * @throws RangeError if a message does not end
   */
  take(chunk: string): StreamMessage[] {
    this.#parser.feed(chunk)
    return this.#messages.splice(0)
  }
}
