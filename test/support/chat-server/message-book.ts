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
  /** Newest first. */
  history: HistoryEntry[]
}

/** A change of a message, as the platform keeps it. */
interface HistoryEntry {
  user_id: number | undefined
  timestamp: number
  prev_content?: string
  prev_rendered_content?: string
  prev_topic?: string
  topic?: string
  prev_stream?: number
  stream?: number
}

/** What the book reports to the queues: a new message, or any other event. */
export interface BookEvent {
  message?: BookedMessage
  event?: Record<string, unknown>
}

export interface Place {
  stream: string
  topic: string
}

/** What a realm shows of the changes of messages. */
export type HistoryPolicy = 'all' | 'moves' | 'none'

/** Newest servers: what `last_edit_timestamp` is has changed. */
const LEVEL_OF_MOVED_TIMESTAMP = 365
const NEWEST_LEVEL = 400
const FIRST_TIMESTAMP = 1_900_000_000
/** What the notes call an empty topic to clients that do not know it. */
const GENERAL_CHAT = 'general chat'
const RESOLVED = '✔ '

interface BookOptions {
  firstId?: number
  /** Between two ids, which one server counts for all of its streams. */
  gap?: number
  people?: readonly Person[]
  historyPolicy?: HistoryPolicy
  /** Epoch seconds; absent: far ahead, one second for each change. */
  now?: () => number
}

/** All messages of a realm, in the order of their ids, and the names of its streams. */
export class MessageBook {
  readonly messages: BookedMessage[] = []
  readonly #streams = new Map<number, string>()
  #nextId: number
  #nextTimestamp = FIRST_TIMESTAMP + 1_000_000
  /** Called with what happens, in its order. */
  onEvent: (event: BookEvent) => void = () => {}
  /** What was selected since the last change: pages of one narrow follow each other. */
  readonly #selected = new Map<string, BookedMessage[]>()

  constructor(private readonly options: BookOptions = {}) {
    this.#nextId = options.firstId ?? 1
  }

  get people(): readonly Person[] {
    return this.options.people ?? PEOPLE
  }

  /** Sends `count` messages to a topic. @returns their ids */
  say({ stream, topic }: Place, count = 1, content?: string): number[] {
    this.#selected.clear()
    return Array.from({ length: count }, () => {
      const message = this.reserve({ stream, topic }, content)
      this.messages.push(message)
      this.onEvent({ message })
      return message.id
    })
  }

  /** A message with an id that its server has not committed yet; `show` makes it visible. */
  reserve({ stream, topic }: Place, content?: string): BookedMessage {
    const streamId = this.#ensureStream(stream)
    const id = this.#nextId
    this.#nextId += this.options.gap ?? 1
    const sender = this.people[id % this.people.length]
    return {
      id,
      streamId,
      topic,
      senderId: sender?.id ?? 0,
      timestamp: this.options.now?.() ?? FIRST_TIMESTAMP + id,
      content: content ?? `Step ${id} of the deploy is **done**.`,
      history: [],
    }
  }

  /** Changes the text of a message. @returns the time of the edit */
  edit(id: number, content: string): number {
    const message = this.#get(id)
    const edit_timestamp = this.#changedAt()
    const orig_content = message.content
    const prev = { prev_content: orig_content, prev_rendered_content: `<p>${orig_content}</p>` }
    message.history.unshift({ ...this.#entry(edit_timestamp), ...prev })
    message.content = content
    this.#selected.clear()
    const change = {
      orig_content,
      orig_rendered_content: `<p>${orig_content}</p>`,
      content,
      rendered_content: `<p>${content}</p>`,
    }
    this.onEvent({ event: { ...this.#update(message, [id], edit_timestamp), ...change } })
    return edit_timestamp
  }

  react(id: number, op: 'add' | 'remove', emoji = { emoji_name: 'bell', emoji_code: '1f514' }): void {
    const [person] = this.people
    const user = { user_id: person?.id, full_name: person?.name, email: person?.email }
    const event = { type: 'reaction', op, message_id: id, ...emoji, reaction_type: 'unicode_emoji' }
    this.onEvent({ event: { ...event, user_id: person?.id, user } })
  }

  #update({ streamId }: BookedMessage, ids: readonly number[], edit_timestamp: number): Record<string, unknown> {
    const [person] = this.people
    return {
      type: 'update_message',
      user_id: person?.id,
      edit_timestamp,
      rendering_only: false,
      message_id: ids[0],
      message_ids: [...ids],
      stream_id: streamId,
      stream_name: this.#streams.get(streamId),
      is_me_message: false,
      flags: ['read'],
    }
  }

  #changedAt(): number {
    return this.options.now?.() ?? this.#nextTimestamp++
  }

  #entry(timestamp: number): HistoryEntry {
    return { user_id: this.people[0]?.id, timestamp }
  }

  #get(id: number): BookedMessage {
    const message = this.find(id)
    if (!message) throw new Error(`There is no message ${id}.`)
    return message
  }

  /** Moves every message of a topic, or those that are named. */
  move(from: Place, to: Place, ids?: readonly number[]): void {
    const streamId = this.#ensureStream(to.stream)
    this.#selected.clear()
    const all = this.inTopic(from)
    const moved = all.filter(({ id }) => !ids || ids.includes(id))
    const [first] = moved
    if (!first) return
    const at = this.#changedAt()
    const event = {
      ...this.#update(
        first,
        moved.map(({ id }) => id),
        at,
      ),
      propagate_mode: moved.length === all.length ? 'change_all' : 'change_one',
      orig_subject: from.topic,
      subject: to.topic,
      topic_links: [],
      ...(streamId === first.streamId ? {} : { new_stream_id: streamId }),
    }
    for (const message of moved) {
      const topic = message.topic === to.topic ? {} : { prev_topic: message.topic, topic: to.topic }
      const stream = message.streamId === streamId ? {} : { prev_stream: message.streamId, stream: streamId }
      message.history.unshift({ ...this.#entry(at), ...topic, ...stream })
      message.streamId = streamId
      message.topic = to.topic
    }
    this.onEvent({ event })
  }

  resolve(place: Place): Place {
    const to = { ...place, topic: RESOLVED + place.topic }
    this.move(place, to)
    return to
  }

  renameStream(from: string, to: string): void {
    const id = this.streamId(from)
    if (id === undefined) return
    this.#streams.set(id, to)
    this.#selected.clear()
    this.onEvent({ event: { type: 'stream', op: 'update', stream_id: id, name: from, property: 'name', value: to } })
  }

  /** Hides a message, like one that its server has not committed yet. */
  hide(id: number): BookedMessage {
    const message = this.#get(id)
    this.#remove(id)
    return message
  }

  /** Shows a message that was hidden, in the place of its id. */
  show(message: BookedMessage): void {
    const at = this.messages.findIndex(({ id }) => id > message.id)
    this.messages.splice(at === -1 ? this.messages.length : at, 0, message)
    this.#selected.clear()
    this.onEvent({ message })
  }

  delete(id: number): void {
    const message = this.find(id)
    this.#remove(id)
    if (!message) return
    const { streamId: stream_id, topic } = message
    this.onEvent({ event: { type: 'delete_message', message_ids: [id], message_type: 'stream', stream_id, topic } })
  }

  #remove(id: number): void {
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
  toAnswer(
    message: BookedMessage,
    options: { html: boolean; emptyTopic: boolean; level?: number },
  ): Record<string, unknown> {
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
      ...this.#changesOf(message, options.level ?? NEWEST_LEVEL),
      content_type: options.html ? 'text/html' : 'text/x-markdown',
    }
  }

  /** As the platform shows them; a topic that was only resolved counts as not moved. */
  #changesOf({ history }: BookedMessage, level: number): Record<string, unknown> {
    if (history.length === 0) return {}
    const { historyPolicy = 'all' } = this.options
    const isMove = ({ prev_topic, topic, prev_stream }: HistoryEntry) =>
      prev_stream !== undefined || (prev_topic !== undefined && unresolved(prev_topic) !== unresolved(topic ?? ''))
    const isEdit = ({ prev_content }: HistoryEntry) => prev_content !== undefined
    const [newest] = history
    const [edited, moved] = [history.find(isEdit), history.find(isMove)]
    const times =
      level < LEVEL_OF_MOVED_TIMESTAMP
        ? { last_edit_timestamp: newest?.timestamp }
        : {
            ...(edited ? { last_edit_timestamp: edited.timestamp } : {}),
            ...(moved ? { last_moved_timestamp: moved.timestamp } : {}),
          }
    if (historyPolicy === 'none') return times
    return { ...times, edit_history: historyPolicy === 'all' ? history : history.filter(entry => !isEdit(entry)) }
  }

  #ensureStream(name: string): number {
    const known = this.streamId(name)
    if (known !== undefined) return known
    const id = this.#streams.size + 4
    this.#streams.set(id, name)
    return id
  }
}

function unresolved(topic: string): string {
  return topic.startsWith(RESOLVED) ? topic.slice(RESOLVED.length) : topic
}

export function sameTopic(left: string, right: string): boolean {
  return left === right || left.toLowerCase() === right.toLowerCase()
}
