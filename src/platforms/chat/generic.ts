/** Every event that is not about a message: kept under the platform's own words, as far as they can be read. */
import type { TargetNode } from '../../model/event.js'
import { toWord } from '../identity.js'
import { toNode } from '../node.js'
import { idAt, memberOf, objectAt, objectsAt, type Payload, textAt } from '../payload.js'
import { neutralType } from '../target-place.js'
import type { ChatEvent, Mapped } from './chat-event.js'
import { messageNode, realmNode, streamNode } from './nodes.js'
import { senderOf } from './person.js'
import { topicAt, toStreamPlace } from './place.js'
import { verbOf } from './verb.js'

/** What an event is about, as far as it can be read. */
interface Own {
  objectType: string
  id: string | undefined
  name: string | undefined
}

/** The members that hold the object of an event, or a list of such objects, and its id. */
interface Names {
  object: string
  list: string
  id: string
}

/** Where they are not named like the type of the event. */
const NAMED: ReadonlyMap<string, Names> = new Map([
  ['realm_bot', { object: 'bot', list: 'bots', id: 'user_id' }],
  ['realm_emoji', { object: 'emoji', list: 'emojis', id: 'emoji_id' }],
  ['realm_export_consent', { object: 'user', list: 'users', id: 'user_id' }],
  ['realm_user', { object: 'person', list: 'persons', id: 'user_id' }],
  ['stream', { object: 'stream', list: 'streams', id: 'stream_id' }],
  ['subscription', { object: 'subscription', list: 'subscriptions', id: 'stream_id' }],
  ['user_group', { object: 'group', list: 'groups', id: 'group_id' }],
  ['user_status', { object: 'user', list: 'users', id: 'user_id' }],
])

export function mapGeneric(event: ChatEvent): Mapped[] {
  const own = ownOf(event)
  return [
    {
      objectType: own.objectType,
      verb: verbOf(event),
      subjectId: own.id ?? (own.objectType === 'realm' ? event.host : undefined),
      identity: own.id,
      // No time is told and the number counts in its queue only, so what was sent has to tell.
      occurrence: [undefined],
      occurredAt: undefined,
      target: targetOf(event, own),
      conversation: {},
      person: senderOf(event.body, event.context),
    },
  ]
}

/** The `id` of the event itself is its number in the queue. */
function ownOf({ type, action, body }: ChatEvent): Own {
  const named = NAMED.get(type) ?? namesLike(type)
  // Without an operation, a list tells how everything is now, and not which of it changed.
  const listed = action === undefined ? undefined : onlyObjectAt(body, named.list)
  const object = objectAt(body, named.object) ?? objectAt(body, named.list) ?? listed
  const renamed = textAt(body, 'property') === 'name' ? textAt(body, 'value') : undefined
  return {
    objectType: neutralType(toWord(type) ?? 'event'),
    id: idAt(body, named.id) ?? idAt(object, named.id) ?? idAt(object, 'id') ?? onlyIdAt(body, `${named.id}s`),
    name: renamed ?? textAt(body, 'name') ?? textAt(object, 'name') ?? textAt(object, 'full_name'),
  }
}

/** Some types are in the plural, such as `drafts`, whose events hold a `draft`, its `draft_id` or a list of `drafts`. */
function namesLike(type: string): Names {
  const object = type.replace(/s$/u, '')
  return { object, list: type, id: `${object}_id` }
}

function onlyObjectAt(body: Payload, name: string): Payload | undefined {
  const [first, ...others] = objectsAt(body, name)
  return others.length === 0 ? first : undefined
}

function onlyIdAt(body: Payload, name: string): string | undefined {
  const list = memberOf(body, name)
  return Array.isArray(list) && list.length === 1 ? idAt({ id: list[0] }, 'id') : undefined
}

function targetOf(event: ChatEvent, { objectType, id, name }: Own): TargetNode {
  if (objectType === 'realm') return realmNode(event)
  if (objectType === 'stream') return streamNode(event, { streamId: id, streamName: name })
  return toNode(objectType, {
    id,
    display: name,
    nativeType: event.type,
    parent: carrierOf(event, { objectType, id, name }),
  })
}

/** The message or the stream that an event names besides its own object. */
function carrierOf(event: ChatEvent, { objectType, id, name }: Own): TargetNode {
  const { body } = event
  if (objectType === 'subscription' && id !== undefined) return streamNode(event, { streamId: id, streamName: name })
  const streamId = idAt(body, 'stream_id')
  const messageId = idAt(body, 'message_id')
  const place = streamId === undefined ? undefined : toStreamPlace(streamId, topicAt(body))
  if (messageId !== undefined) return messageNode(event, messageId, place)
  return place ? streamNode(event, place) : realmNode(event)
}
