import { createParser } from 'eventsource-parser'

export interface StreamMessage {
  /** `message` if it has no name. */
  event: string
  id: string | undefined
  data: string
}

/** Limit of one message: more than the ledger sends. Characters. */
const LONGEST = 64 * 1024 * 1024

/** The server sends a keep-alive every 15 seconds. */
const SILENT_MS = 40_000

/**
 * Reads a stream of the server to its end.
 *
 * @param open requests the stream
 * @param take receives the messages that arrive; an empty list for a keep-alive
 * @throws what `open` throws, and what fetch and its streams report for a lost or silent connection
 */
export async function readEventStream(
  open: (signal: AbortSignal) => Promise<Response>,
  take: (messages: readonly StreamMessage[]) => void,
  ended: AbortSignal,
): Promise<void> {
  const silence = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const heard = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENT_MS)
  }
  try {
    heard()
    const answer = await open(AbortSignal.any([ended, silence.signal]))
    const stream = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    const messages = new SseReader()
    for (let part = await stream?.read(); part && !part.done; part = await stream?.read()) {
      heard()
      if (!ended.aborted) take(messages.take(part.value))
    }
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
}

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
