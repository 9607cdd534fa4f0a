import type { NewEvent } from '../../model/events/event.js'
import { toWord } from '../mapping/identifiers.js'
import { type MappedEvent, toEvent } from '../mapping/mapped-event.js'
import { memberOf, type Payload } from '../mapping/payload.js'
import { canonicalVerb } from '../mapping/words.js'
import { baseUrlOf, type ChatContext, hostOf } from './context.js'
import { type Person, senderMembers, toActor } from './person.js'

/** One event of the chat server, extracted from its envelope. */
export interface NativeEvent {
  /** The `type` of a queue event; `message` for a message by any route. */
  type: string
  /** The unchanged `op`, or the trigger of an outgoing webhook. */
  action: string | undefined
  /** The queue that numbered it, if sent. Each queue has its own numbers. */
  queueId?: string | undefined
  /** What is recorded: the event or message as received. */
  body: Payload
  /** The message in the event. If the body is itself a message, the body. */
  message?: Payload | undefined
}

/** A native event with its known origin, as input of the mappings. */
export interface ChatEvent extends NativeEvent {
  host: string
  /** Address of the server, such as `https://chat.example.org`, if known. */
  baseUrl: string | undefined
  context: ChatContext
}

/** The result of a mapping for a native event. Everything else is the same for all mappings. */
export interface Mapped extends MappedEvent {
  /** Who did it. */
  person: Person
  /** Recorded in place of the body, if the body would be repeated too often. */
  kept?: Payload
}

export function readChatEvent(native: NativeEvent, context: ChatContext): ChatEvent {
  return { ...native, host: hostOf(context, native.message ?? native.body), baseUrl: baseUrlOf(context), context }
}

export function toChatEvent(event: ChatEvent, mapped: Mapped): NewEvent {
  const { person, kept = event.body, ...rest } = mapped
  const native = {
    source: 'chat',
    host: event.host,
    event: event.type,
    action: event.action,
    // The platform does not number deliveries.
    deliveryId: undefined,
    actor: toActor(person),
    actorRole: person.role,
    payload: withMembers(kept, { ...senderMembers(person), base_url: event.baseUrl ?? null }),
  } as const
  return toEvent(native, rest, asDelivery(kept))
}

/** Adds members to the received ones without replacing any. */
function withMembers(sent: Payload, members: Payload): Record<string, unknown> {
  const added = Object.entries(members).filter(([name]) => (memberOf(sent, name) ?? null) === null)
  return { ...sent, ...Object.fromEntries(added) }
}

/**
 * Identity of an event without an identifier: its own text, which is the same whether it arrives alone or with others.
 * Serialised only on demand.
 */
function asDelivery(body: Payload) {
  return {
    headers: {},
    get body(): Uint8Array {
      return Buffer.from(JSON.stringify(body))
    },
  }
}

/** Words specific to this platform. */
const OWN: ReadonlyMap<string, string> = new Map([
  ['add_members', 'members_added'],
  ['remove_members', 'members_removed'],
  ['add_subgroups', 'subgroups_added'],
  ['remove_subgroups', 'subgroups_removed'],
  ['occupy', 'occupied'],
  ['vacate', 'vacated'],
  ['peer_add', 'peer_added'],
  ['peer_remove', 'peer_removed'],
  ['update_dict', 'updated'],
  ['update_one', 'updated'],
  ['change', 'changed'],
  ['reorder', 'reordered'],
])

/** The verb of an event from its operation; without one, the neutral `received`. */
export function verbOf({ action }: NativeEvent): string {
  const word = toWord(action) ?? 'received'
  return OWN.get(word) ?? canonicalVerb(word)
}
