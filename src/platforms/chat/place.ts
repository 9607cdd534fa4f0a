import { idAt, memberOf, objectsAt, type Payload, REDACTED, textAt } from '../mapping/payload.js'

/** Where a message was posted, as far as known. */
export type Place = StreamPlace | DirectPlace

export interface StreamPlace {
  type: 'stream'
  streamId: string | undefined
  streamName: string | undefined
  /** The current name. May be empty, which is a valid topic. */
  topic: string | undefined
}

export interface DirectPlace {
  type: 'direct'
  /** All participants, ascending; undefined if one of them has no id. */
  userIds: readonly string[] | undefined
  names: readonly string[]
}

/** The place of a message. `type` is not always sent, so the recipients count as well. */
export function messagePlaceOf(message: Payload): Place | undefined {
  const type = textAt(message, 'type')
  const recipient = memberOf(message, 'display_recipient')
  if (type === 'private' || type === 'direct' || Array.isArray(recipient)) return directPlace(message)
  const streamId = idAt(message, 'stream_id')
  const streamName = textAt(message, 'display_recipient')
  if (type !== 'stream' && type !== 'channel' && streamId === undefined && streamName === undefined) return undefined
  return { type: 'stream', streamId, streamName, topic: topicAt(message) }
}

/** A place that an event names without the stream's name. */
export function toStreamPlace(streamId: string, topic: string | undefined): StreamPlace {
  return { type: 'stream', streamId, streamName: undefined, topic }
}

/** The topic. Servers still send it under its old member name in most places. */
export function topicAt(from: Payload): string | undefined {
  return nameAt(from, 'subject') ?? nameAt(from, 'topic')
}

/** The name of a topic, which may be empty. */
export function nameAt(from: Payload, member: string): string | undefined {
  const name = memberOf(from, member)
  return typeof name === 'string' && name !== REDACTED ? name : undefined
}

/** Includes the sender, whom not every server lists among the recipients. */
function directPlace(message: Payload): DirectPlace {
  const people = objectsAt(message, 'display_recipient')
  const ids = people.map(person => idAt(person, 'id') ?? idAt(person, 'user_id'))
  const known = ids.filter(id => id !== undefined)
  const complete = people.length > 0 && known.length === ids.length
  const sender = idAt(message, 'sender_id')
  const all = new Set(sender === undefined ? known : [...known, sender])
  const names = people.map(person => textAt(person, 'full_name') ?? textAt(person, 'email'))
  return {
    type: 'direct',
    userIds: complete ? [...all].sort(byNumber) : undefined,
    names: names.filter(name => name !== undefined),
  }
}

function byNumber(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : 1)
}
