import type { NewEvent } from '../../model/events/event.js'
import type { Micros } from '../../model/timestamp.js'
import { adapterOf } from '../../platforms/adapters.js'
import type { ChatContext, ChatUser } from '../../platforms/chat/context.js'
import { toMessageEvent } from '../../platforms/chat/messages/message.js'
import { SECOND } from '../durations.js'
import { CHAT_BOT, emailOf, type Person, STAFF } from '../people.js'
import type { Random } from '../random.js'
import { deliver, type Hook, type HookDelivery } from './hook.js'

const HOST = 'chat.brindlequay.example'
const SITE = `https://${HOST}`
/** Number of messages before the demo starts. */
const FIRST = { message: 88_120, queueEvent: 4_100 } as const

const EMOJI = {
  '+1': '1f44d',
  tada: '1f389',
  eyes: '1f440',
  heart: '2764',
  sailboat: '26f5',
  whale: '1f433',
  joy: '1f602',
} as const
export const EMOJI_NAMES = Object.keys(EMOJI) as (keyof typeof EMOJI)[]

/** A topic of a stream. */
interface ChatPlace {
  stream: { id: number; name: string }
  topic: string
}

export interface ChatMessage extends ChatPlace {
  id: number
  /** In the form of the messages API. */
  object: Record<string, unknown>
}

/** The company's chat platform, with a program that forwards its events. */
export class ChatServer {
  readonly host = HOST
  readonly #hook: Hook
  readonly #context: ChatContext = { site: SITE, users: usersById() }
  #messages: number = FIRST.message
  #queueEvents: number = FIRST.queueEvent

  /**
   * @param hear notes a message, and returns whether a capture will read it
   * @param firstId added to all ids of messages and events
   */
  constructor(
    private readonly random: Random,
    private readonly send: (at: Micros, delivery: HookDelivery) => void,
    private readonly hear: (message: ChatMessage) => boolean,
    firstId = 0,
  ) {
    this.#messages += firstId
    this.#queueEvents += firstId
    this.#hook = { adapter: adapterOf('chat'), context: { site: SITE }, secret: random.hex(32) }
  }

  say({ stream, topic }: ChatPlace, person: Person, content: string, at: Micros): ChatMessage {
    this.#messages += this.random.integer(1, 4)
    const id = this.#messages
    const object = {
      id,
      sender_id: person.number,
      sender_email: emailOf(person),
      sender_full_name: person.name,
      sender_realm_str: 'brindlequay',
      type: 'stream',
      stream_id: stream.id,
      display_recipient: stream.name,
      subject: topic,
      content,
      content_type: 'text/x-markdown',
      timestamp: Math.floor(at / SECOND),
      client: person.hours === 'always' ? 'website' : this.random.pick(['website', 'ZulipMobile', 'ZulipElectron']),
      is_me_message: false,
      reactions: [],
      topic_links: [],
    }
    const message = { id, stream, topic, object }
    // Captured messages are not always forwarded, so some arrive by one route and others by both.
    const isAskedFor = this.hear(message)
    if (!isAskedFor || this.random.chance(0.6)) this.#forward({ type: 'message', message: object, flags: [] }, at)
    return message
  }

  react({ id }: ChatMessage, person: Person, emoji: keyof typeof EMOJI, at: Micros): void {
    const user = { user_id: person.number, email: emailOf(person), full_name: person.name }
    const about = { op: 'add', user_id: person.number, user, message_id: id, reaction_type: 'unicode_emoji' }
    this.#forward({ type: 'reaction', ...about, emoji_name: emoji, emoji_code: EMOJI[emoji] }, at)
  }

  edit({ id, stream, topic }: ChatMessage, person: Person, content: string, at: Micros): void {
    const change = { message_id: id, message_ids: [id], stream_id: stream.id, stream_name: stream.name, content }
    const when = { user_id: person.number, edit_timestamp: Math.floor(at / SECOND), rendering_only: false }
    this.#forward({ type: 'update_message', ...change, ...when, topic }, at)
  }

  /** The same message as captured. */
  asCaptured({ object }: ChatMessage): NewEvent[] {
    return [toMessageEvent(object, this.#context)].filter(event => event !== undefined)
  }

  /** Two programs forward events, one of them without a token. */
  #forward(event: Record<string, unknown>, at: Micros): void {
    this.#queueEvents++
    const hook = this.random.chance(0.12) ? { ...this.#hook, secret: undefined } : this.#hook
    this.send(at, deliver(hook, {}, { ...event, id: this.#queueEvents }))
  }
}

function usersById(): Map<string, ChatUser> {
  const staff = STAFF.map((person): [string, ChatUser] => {
    const role = person.role === 'admin' ? 'administrator' : person.role
    return [String(person.number), { isBot: false, role, email: emailOf(person) }]
  })
  return new Map([...staff, [String(CHAT_BOT.number), { isBot: true, role: 'member', email: emailOf(CHAT_BOT) }]])
}
