import type { StoredEvent } from '../../../model/events/event.js'
import { targetChain } from '../../../model/events/event.js'
import type { ChatApi, ChatMessage, NarrowTerm } from '../capture/chat-api.js'
import { isRefusedNarrow } from '../capture/chat-refusals.js'
import { readChanges } from '../changes/edit-history.js'
import { messagePlaceOf, type StreamPlace } from '../place.js'
import { MessagePlaces } from './message-places.js'

/** The feature level does not affect how moves are read. */
const NO_HIDDEN_EDITS = 0

interface MessageFinderParts {
  api: ChatApi
  /** Finds the place of a message in the ledger. */
  findRecorded: (messageId: number) => Promise<FoundPlace | undefined>
}

/** A place, and the watches whose events already include the message. */
export interface FoundPlace {
  place: StreamPlace
  watches: readonly string[]
}

/** Finds the place of a message: in memory, in the ledger, then at the chat server. */
export class MessageFinder {
  readonly places = new MessagePlaces()

  constructor(private readonly parts: MessageFinderParts) {}

  /**
   * @param at when the event happened, in epoch seconds, if known: the message may have moved since, and the queue
   *   reports that move later
   * @returns undefined for a message that the account cannot see in a stream
   * @throws AppError as `ChatApi`
   */
  async find(
    id: number,
    { streamId, at }: { streamId: string | undefined; at: number | undefined },
    signal?: AbortSignal,
  ): Promise<FoundPlace | undefined> {
    const known = this.places.find(id)
    if (known !== undefined) return known ? { place: known, watches: [] } : undefined
    const recorded = await this.parts.findRecorded(id)
    if (recorded) return recorded
    const message = await this.#ask(id, streamId, signal)
    const found = message && placeAt(message, at)
    this.places.put(id, found ?? null)
    return found && { place: found, watches: [] }
  }

  /** The name of a stream, by a message in it. @throws AppError as `ChatApi` */
  async streamName(streamId: string, messageId: number, signal?: AbortSignal): Promise<string | undefined> {
    const message = await this.#ask(messageId, streamId, signal)
    const place = message && messagePlaceOf(message.payload)
    return place?.type === 'stream' ? place.streamName : undefined
  }

  /** The newest message up to an id that is still in a topic. @throws AppError as `ChatApi` */
  async lastIn(
    stream: string | number,
    topic: string,
    upTo: number,
    signal?: AbortSignal,
  ): Promise<number | undefined> {
    const narrow: NarrowTerm[] = [
      { operator: 'stream', operand: stream },
      { operator: 'topic', operand: topic },
    ]
    const found = await this.#read(narrow, { anchor: upTo, before: 1 }, signal)
    return found.filter(({ id }) => id <= upTo).at(-1)?.id
  }

  async #ask(
    id: number,
    streamId: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ChatMessage | undefined> {
    const narrow: NarrowTerm[] = streamId === undefined ? [] : [{ operator: 'stream', operand: Number(streamId) }]
    return (await this.#read(narrow, { anchor: id, before: 0 }, signal)).find(message => message.id === id)
  }

  /** For a narrow that the server does not know, returns no messages. */
  async #read(
    narrow: readonly NarrowTerm[],
    window: { anchor: number; before: number },
    signal: AbortSignal | undefined,
  ): Promise<ChatMessage[]> {
    try {
      return (await this.parts.api.messages({ narrow, ...window, after: 0, withAnchor: true }, signal)).messages
    } catch (error) {
      if (isRefusedNarrow(error)) return []
      throw error
    }
  }
}

/** The place of a message at a time, by its history; without a time, its current place. */
function placeAt({ payload }: ChatMessage, at: number | undefined): StreamPlace | undefined {
  const now = messagePlaceOf(payload)
  if (now?.type !== 'stream') return undefined
  const later = at === undefined ? undefined : readChanges(payload, NO_HIDDEN_EDITS).find(change => change.at > at)
  return later?.before ?? now
}

/** The place of a message after the event. */
export function placeOfEvent({ target }: Pick<StoredEvent, 'target'>): StreamPlace | undefined {
  const nodes = [...targetChain(target)]
  const stream = nodes.find(({ type }) => type === 'stream')
  const streamId = /^stream:(\d+)$/.exec(stream?.key ?? '')?.[1]
  if (!stream || streamId === undefined) return undefined
  const topic = nodes.find(({ type }) => type === 'topic')?.display
  return { type: 'stream', streamId, streamName: stream.display, topic }
}
