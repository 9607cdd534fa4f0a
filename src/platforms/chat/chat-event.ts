import type { NewEvent } from '../../model/event.js'
import { type MappedEvent, toEvent } from '../mapped-event.js'
import { memberOf, type Payload } from '../payload.js'
import { baseUrlOf, type ChatContext, hostOf } from './context.js'
import { type Person, senderMembers, toActor } from './person.js'

/** One thing that the chat server tells, taken out of whatever carried it. */
export interface NativeEvent {
  /** The `type` of an event of a queue; `message` for a message on any road. */
  type: string
  /** The untouched `op`, or the trigger of an outgoing webhook. */
  action: string | undefined
  /** What is kept: the event or message as received. */
  body: Payload
  /** The message of an event that brings one; the body itself where that is a message. */
  message?: Payload | undefined
}

/** A native event with what is known of where it comes from, as the rows of the mapping read it. */
export interface ChatEvent extends NativeEvent {
  host: string
  /** Address of the server, such as `https://chat.example.org`, where that is known. */
  baseUrl: string | undefined
  context: ChatContext
}

/** What a row makes of a native event. Everything else is the same for all rows. */
export interface Mapped extends MappedEvent {
  /** Who did it. */
  person: Person
  /** Kept in place of the body, where that would be repeated too often. */
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
    // The platform numbers no deliveries.
    deliveryId: undefined,
    actor: toActor(person),
    actorRole: person.role,
    payload: withMembers(kept, { ...senderMembers(person), base_url: event.baseUrl ?? null }),
  } as const
  return toEvent(native, rest, asDelivery(kept))
}

/** Adds to what was sent, and replaces nothing of it. */
function withMembers(sent: Payload, members: Payload): Record<string, unknown> {
  const added = Object.entries(members).filter(([name]) => (memberOf(sent, name) ?? null) === null)
  return { ...sent, ...Object.fromEntries(added) }
}

/**
 * What identifies an event that nothing in it identifies: its own text, so that it makes no difference whether it came
 * alone or among others. Only written when it is asked for.
 */
function asDelivery(body: Payload) {
  return {
    headers: {},
    get body(): Uint8Array {
      return Buffer.from(JSON.stringify(body))
    },
  }
}
