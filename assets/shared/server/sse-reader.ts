/** A message of an event stream. */
export interface StreamMessage {
  /** `message` if it has no name. */
  event: string
  id: string | undefined
  data: string
}

/** Limit of one message: more than the ledger sends. Characters. */
const LONGEST = 64 * 1024 * 1024

/**
 * Parses a stream into messages. For the ledger's own streams: lines end with line feeds, and an id belongs to its
 * message only.
 *
 * Source: WHATWG HTML, "Server-sent events".
 */
export class SseReader {
  #pieces: string[] = []
  #length = 0

  /**
   * Takes the next chunk, cut anywhere.
   *
   * @returns messages complete so far, without keep-alives
   * @throws RangeError if a message does not end
   */
  take(piece: string): StreamMessage[] {
    if (piece === '') return []
    // The end of a message may span two chunks.
    const isSplitEnd = piece.startsWith('\n') && this.#pieces.at(-1)?.endsWith('\n')
    this.#pieces.push(piece)
    this.#length += piece.length
    if (this.#length > LONGEST) throw new RangeError('A message of the stream does not end.')
    if (!isSplitEnd && !piece.includes('\n\n')) return []
    const blocks = this.#pieces.join('').split('\n\n')
    const rest = blocks.pop() ?? ''
    this.#pieces = rest === '' ? [] : [rest]
    this.#length = rest.length
    return blocks.flatMap(readBlock)
  }
}

function readBlock(block: string): StreamMessage[] {
  const message: StreamMessage = { event: 'message', id: undefined, data: '' }
  const data: string[] = []
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    if (colon === 0 || line === '') continue
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(line.startsWith(' ', colon + 1) ? colon + 2 : colon + 1)
    if (name === 'data') data.push(value)
    else if (name === 'event') message.event = value
    else if (name === 'id') message.id = value
  }
  return data.length > 0 ? [{ ...message, data: data.join('\n') }] : []
}
