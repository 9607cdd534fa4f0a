import { PEOPLE, type Person } from './people.js'

/** A message as the stand-in keeps it: what can change, and what its words are made from. */
export interface BookedMessage {
  id: number
  streamId: number
  topic: string
  senderId: number
  /** Epoch seconds. */
  timestamp: number
  content: string
}

export interface Place {
  stream: string
  topic: string
}

const FIRST_TIMESTAMP = 1_900_000_000
/** What the notes call an empty topic to clients that do not know it. */
const GENERAL_CHAT = 'general chat'
const RESOLVED = '✔ '

/** All messages of a realm, in the order of their ids, and the names of its streams. */
export class MessageBook {
  readonly messages: BookedMessage[] = []
  readonly #streams = new Map<number, string>()
  #nextId: number
  /** What was selected since the last change: pages of one narrow follow each other. */
  readonly #selected = new Map<string, BookedMessage[]>()

  /** @param options.gap between two ids, which one server counts for all of its streams */
  constructor(private readonly options: { firstId?: number; gap?: number; people?: readonly Person[] } = {}) {
    this.#nextId = options.firstId ?? 1
  }

  get people(): readonly Person[] {
    return this.options.people ?? PEOPLE
  }

  /** Sends `count` messages to a topic. @returns their ids */
  say({ stream, topic }: Place, count = 1, content?: string): number[] {
    const streamId = this.#ensureStream(stream)
    this.#selected.clear()
    return Array.from({ length: count }, () => {
      const id = this.#nextId
      this.#nextId += this.options.gap ?? 1
      const sender = this.people[id % this.people.length]
      this.messages.push({
        ...{ id, streamId, topic, senderId: sender?.id ?? 0, timestamp: FIRST_TIMESTAMP + id },
        content: content ?? `Step ${id} of the deploy is **done**.`,
      })
      return id
    })
  }

  /** Moves every message of a topic, or those that are named. */
  move(from: Place, to: Place, ids?: readonly number[]): void {
    const streamId = this.#ensureStream(to.stream)
    this.#selected.clear()
    for (const message of this.inTopic(from)) {
      if (ids && !ids.includes(message.id)) continue
      message.streamId = streamId
      message.topic = to.topic
    }
  }

  resolve(place: Place): Place {
    const to = { ...place, topic: RESOLVED + place.topic }
    this.move(place, to)
    return to
  }

  renameStream(from: string, to: string): void {
    const id = this.streamId(from)
    if (id !== undefined) this.#streams.set(id, to)
    this.#selected.clear()
  }

  /** Takes a message away, as one that its server has not committed yet. */
  hide(id: number): BookedMessage {
    const message = this.find(id)
    if (!message) throw new Error(`There is no message ${id}.`)
    this.delete(id)
    return message
  }

  /** Shows a message that was hidden, in the place of its id. */
  show(message: BookedMessage): void {
    const at = this.messages.findIndex(({ id }) => id > message.id)
    this.messages.splice(at === -1 ? this.messages.length : at, 0, message)
    this.#selected.clear()
  }

  delete(id: number): void {
    const at = this.messages.findIndex(message => message.id === id)
    if (at !== -1) this.messages.splice(at, 1)
    this.#selected.clear()
  }

  /** @param name of the test, by which its result is kept until something changes */
  select(name: string, test: (message: BookedMessage) => boolean): readonly BookedMessage[] {
    const selected = this.#selected.get(name) ?? this.messages.filter(test)
    this.#selected.set(name, selected)
    return selected
  }

  inTopic({ stream, topic }: Place): BookedMessage[] {
    const id = this.streamId(stream)
    return this.messages.filter(message => message.streamId === id && sameTopic(message.topic, topic))
  }

  find(id: number): BookedMessage | undefined {
    return this.messages.find(message => message.id === id)
  }

  /** By name, regardless of letter case, or by id. */
  streamId(operand: string | number): number | undefined {
    if (typeof operand === 'number') return this.#streams.has(operand) ? operand : undefined
    const wanted = operand.toLowerCase()
    return [...this.#streams].find(([, name]) => name.toLowerCase() === wanted)?.[0]
  }

  /** The message as the API answers it. */
  toAnswer(message: BookedMessage, options: { html: boolean; emptyTopic: boolean }): Record<string, unknown> {
    const { id, streamId, topic, senderId, timestamp, content } = message
    const sender = this.people.find(person => person.id === senderId)
    return {
      id,
      sender_id: senderId,
      content: options.html ? `<p>${content}</p>` : content,
      recipient_id: streamId + 100,
      timestamp,
      client: 'website',
      subject: topic === '' && !options.emptyTopic ? GENERAL_CHAT : topic,
      topic_links: [],
      is_me_message: false,
      reactions: [],
      submessages: [],
      flags: ['read'],
      sender_full_name: sender?.name ?? 'Somebody',
      sender_email: sender?.email ?? `user${senderId}@chat.example.org`,
      sender_realm_str: 'example',
      display_recipient: this.#streams.get(streamId) ?? '',
      type: 'stream',
      stream_id: streamId,
      avatar_url: null,
      content_type: options.html ? 'text/html' : 'text/x-markdown',
    }
  }

  #ensureStream(name: string): number {
    const known = this.streamId(name)
    if (known !== undefined) return known
    const id = this.#streams.size + 4
    this.#streams.set(id, name)
    return id
  }
}

export function sameTopic(left: string, right: string): boolean {
  return left === right || left.toLowerCase() === right.toLowerCase()
}
