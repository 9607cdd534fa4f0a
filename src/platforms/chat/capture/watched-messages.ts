import { messagePlaceOf, type StreamPlace } from '../place.js'
import { currentFollowedPlace, type FollowedPlace, sameName, type WatchedPlace } from '../watched-place.js'
import type { ChatApi, ChatMessage, MessagePage, MessageQuery, NarrowTerm } from './chat-api.js'
import { isRefusedNarrow } from './chat-refusals.js'

/** First feature level with the narrow `with`, which selects the topic that now contains a message. */
const LEVEL_OF_WITH = 271

type Window = Omit<MessageQuery, 'narrow'>

/** The messages of one watch, wherever its topic has moved. */
export class WatchedMessages {
  #followed: FollowedPlace | undefined
  /** The stream was renamed, so the server does not know its old name. Its id is still valid. */
  #byId = false

  constructor(
    private readonly api: ChatApi,
    private readonly place: WatchedPlace,
    followed: FollowedPlace | undefined,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.#followed = currentFollowedPlace(place, followed)
  }

  /** Where the place was found; undefined until a message of it has been read. */
  get followed(): FollowedPlace | undefined {
    return this.#followed
  }

  /**
   * The next messages after an id. For a topic also that message, which shows whether the topic is still the same.
   *
   * @param known.readTo everything up to this id is known to belong to the place; at least `id`
   */
  async after(id: number, known: { readTo: number; count: number }): Promise<MessagePage> {
    const { readTo, count } = known
    const window: Window = { anchor: id, before: 0, after: count, withAnchor: this.#followed?.topic !== undefined }
    const page = await this.#read(window, readTo)
    return page.messages.length === 0 && (await this.#isRenamed(readTo)) ? this.#read(window, readTo) : page
  }

  newest(count: number): Promise<MessagePage> {
    return this.#read({ anchor: 'newest', before: count, after: 0, withAnchor: true }, 0)
  }

  /** Used to find where reading starts. The watch then follows the oldest of these messages. */
  async before(id: number, count: number): Promise<MessagePage> {
    const page = await this.#read({ anchor: id, before: count, after: 0, withAnchor: false }, 0)
    const [oldest] = page.messages
    if (oldest && this.#followed) this.#followed = { ...this.#followed, message_id: Math.min(oldest.id, id) }
    return page
  }

  /** @param readTo everything up to this id is known to belong to the place */
  async #read(window: Window, readTo: number): Promise<MessagePage> {
    const page = await this.#ask(window)
    const isOfPlace = await this.#isOfPlace(page, readTo)
    const read = isOfPlace ? page : await this.#ask(window)
    const [first] = read.messages
    if (first) this.#learn(first)
    return read
  }

  /**
   * Whether the messages found belong to the watched place. Under another name they do, unless messages remain under
   * the old name: the followed message was then moved out of the place, and another one replaces it. The same applies
   * if not even the last read message is found.
   */
  async #isOfPlace({ messages: [first] }: MessagePage, readTo: number): Promise<boolean> {
    const followed = this.#followed
    if (!followed || !(await this.#followsMessage()) || (first && isIn(followed, first))) return true
    const left = await this.#messageUnderName(followed, readTo)
    if (left === undefined || left === followed.message_id) return true
    this.#followed = { ...followed, message_id: left }
    return false
  }

  /**
   * Asks servers that cannot follow a message for its current place. If no message remains under the old name, the
   * watch follows its topic to the new one.
   */
  async #isRenamed(readTo: number): Promise<boolean> {
    const followed = this.#followed
    if (followed?.topic === undefined || (await this.#followsMessage())) return false
    const { stream, message_id } = followed
    const window: Window = { anchor: message_id, before: 0, after: 0, withAnchor: true }
    const message = await this.#findOne({ ...window, narrow: narrowByName({ stream }) }, id => id === message_id)
    if (!message || isIn(followed, message)) return false
    const left = await this.#messageUnderName(followed, readTo)
    const topic = streamPlaceOf(message)?.topic ?? followed.topic
    this.#followed = left === undefined ? { ...followed, topic } : { ...followed, message_id: left }
    return left === undefined
  }

  async #messageUnderName(followed: FollowedPlace, readTo: number): Promise<number | undefined> {
    const window: Window = { anchor: readTo, before: 1, after: 0, withAnchor: true }
    return (await this.#findOne({ ...window, narrow: narrowByName(followed) }, id => id <= readTo))?.id
  }

  /** @returns undefined also if the server no longer knows the narrow */
  async #findOne(query: MessageQuery, isWanted: (id: number) => boolean): Promise<ChatMessage | undefined> {
    try {
      const { messages } = await this.api.messages(query, this.signal)
      return messages.find(({ id }) => isWanted(id))
    } catch (error) {
      if (isRefusedNarrow(error)) return undefined
      throw error
    }
  }

  async #ask(window: Window): Promise<MessagePage> {
    const narrow = await this.#narrow()
    try {
      return await this.api.messages({ ...window, narrow }, this.signal)
    } catch (error) {
      const id = this.#followed?.stream_id
      if (!isRefusedNarrow(error) || id === undefined || this.#byId) throw error
      this.#byId = true
      return this.#ask(window)
    }
  }

  async #narrow(): Promise<NarrowTerm[]> {
    const followed = this.#followed
    if (!followed) return narrowByName(this.place)
    const terms = narrowByName(followed).map((term): NarrowTerm => {
      return this.#byId && term.operator === 'stream' ? { ...term, operand: followed.stream_id ?? term.operand } : term
    })
    return (await this.#followsMessage()) ? [...terms, { operator: 'with', operand: followed.message_id }] : terms
  }

  /** Only topics need this: a stream has an id. */
  async #followsMessage(): Promise<boolean> {
    return this.#followed?.topic !== undefined && (await this.api.featureLevel(this.signal)) >= LEVEL_OF_WITH
  }

  #learn(first: ChatMessage): void {
    const { place } = this
    const found = streamPlaceOf(first)
    if (!found) return
    const streamId = Number(found.streamId)
    this.#followed = {
      watched: place,
      message_id: this.#followed?.message_id ?? first.id,
      ...(Number.isSafeInteger(streamId) ? { stream_id: streamId } : {}),
      stream: found.streamName ?? this.#followed?.stream ?? place.stream,
      ...(place.topic === undefined ? {} : { topic: found.topic ?? this.#followed?.topic ?? place.topic }),
    }
  }
}

function isIn(followed: FollowedPlace, message: ChatMessage): boolean {
  const { streamId, topic } = streamPlaceOf(message) ?? {}
  const isSameStream = followed.stream_id === undefined || String(followed.stream_id) === streamId
  return isSameStream && sameName(topic, followed.topic)
}

function streamPlaceOf({ payload }: ChatMessage): StreamPlace | undefined {
  const place = messagePlaceOf(payload)
  return place?.type === 'stream' ? place : undefined
}

/** A narrow by names alone, which every server supports. */
function narrowByName({ stream, topic }: WatchedPlace): NarrowTerm[] {
  const inStream: NarrowTerm = { operator: 'stream', operand: stream }
  return topic === undefined ? [inStream] : [inStream, { operator: 'topic', operand: topic }]
}
