import { AppError } from '../../../model/app-error.js'
import { placeOf, type StreamPlace } from '../place.js'
import type { ChatApi, ChatMessage, MessagePage, MessageQuery, NarrowTerm } from './chat-api.js'
import { type FollowedPlace, narrowByName, sameName, stillFollowed, type WatchedPlace } from './watched-place.js'

/** From here on a narrow may say `with`: the topic in which that message is now. */
const LEVEL_OF_WITH = 271

type Window = Omit<MessageQuery, 'narrow'>

/** The messages of one watch, wherever its topic has gone. */
export class WatchedMessages {
  #followed: FollowedPlace | undefined
  /** The stream is renamed, and its name unknown to the server: its id still is. */
  #byId = false

  constructor(
    private readonly api: ChatApi,
    private readonly place: WatchedPlace,
    followed: FollowedPlace | undefined,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.#followed = stillFollowed(place, followed)
  }

  /** Where the place was found; undefined while nothing was read of it. */
  get followed(): FollowedPlace | undefined {
    return this.#followed
  }

  /** The next messages after an id; that message as well where it tells whether the place is still the same. */
  async after(id: number, count: number): Promise<MessagePage> {
    return this.#read({ anchor: id, before: 0, after: count, withAnchor: await this.#followsMessage() }, id)
  }

  newest(count: number): Promise<MessagePage> {
    return this.#read({ anchor: 'newest', before: count, after: 0, withAnchor: true }, 0)
  }

  /** On the way back to where reading is going to begin: the oldest of them is the one that is followed. */
  async before(id: number, count: number): Promise<MessagePage> {
    const page = await this.#read({ anchor: id, before: count, after: 0, withAnchor: false }, 0)
    const [oldest] = page.messages
    if (oldest && this.#followed) this.#followed = { ...this.#followed, message_id: Math.min(oldest.id, id) }
    return page
  }

  /** @param readTo everything up to this id is known to be of the place */
  async #read(window: Window, readTo: number): Promise<MessagePage> {
    const page = await this.#ask(window)
    const isOfPlace = await this.#isOfPlace(page, readTo)
    const read = isOfPlace ? page : await this.#ask(window)
    const [first] = read.messages
    if (first) this.#learn(first)
    return read
  }

  /**
   * Whether what was found is the watched place. Under another name it is, unless the place is still there under its
   * own: then the message by which it was followed was moved out of it, and another has to take its part. So it is when
   * not even the message is found that was read last.
   */
  async #isOfPlace({ messages: [first] }: MessagePage, readTo: number): Promise<boolean> {
    const followed = this.#followed
    if (!followed || !(await this.#followsMessage()) || (first && isIn(followed, first))) return true
    const left = await this.#messageUnderName(followed, readTo)
    if (left === undefined || left === followed.message_id) return true
    this.#followed = { ...followed, message_id: left }
    return false
  }

  async #messageUnderName(followed: FollowedPlace, readTo: number): Promise<number | undefined> {
    const window: Window = { anchor: readTo, before: 1, after: 0, withAnchor: true }
    try {
      const { messages } = await this.api.messages({ ...window, narrow: narrowByName(followed) }, this.signal)
      return messages.find(({ id }) => id <= readTo)?.id
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

  /** A stream has an id, so only topics need it. */
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
  const place = placeOf(payload)
  return place?.type === 'stream' ? place : undefined
}

/** Servers before version 5 do not say what they refuse. */
function isRefusedNarrow(error: unknown): boolean {
  return error instanceof AppError && ['chat_narrow_refused', 'chat_request_refused'].includes(error.code)
}
