/** Every event that is not about a message: recorded under the platform's own names, as far as readable. */
import type { TargetNode } from '../../model/events/event.js'
import { neutralType } from '../../model/subscriptions/target-place.js'
import { toWord } from '../mapping/identifiers.js'
import { toNode } from '../mapping/node.js'
import { idAt, known, memberOf, objectAt, objectsAt, type Payload, textAt } from '../mapping/payload.js'
import { type ChatEvent, type Mapped, verbOf } from './chat-event.js'
import { senderOf } from './person.js'
import { topicAt, toStreamPlace } from './place.js'
import { concernedPerson, settingChanges } from './setting-changes.js'
import { messageNode, realmNode, streamNode } from './target-nodes.js'

/** The object of an event, as far as readable. */
interface Own {
  objectType: string
  id: string | undefined
  name: string | undefined
  object: Payload | undefined
}

/** The members that contain an event's object, or a list of objects, and its id. */
interface Names {
  object: string
  list: string
  id: string
}

/** Types whose members are not named like the type. */
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

/** Creates one event for each of several objects that were created or removed together. */
export function mapGeneric(event: ChatEvent): Mapped[] {
  const apart = eachAlone(event)
  if (apart.length === 0) return [mapOne(event)]
  return apart.map(body => ({ ...mapOne({ ...event, body }), kept: body }))
}

/** Lists of objects that an event affects in the same way. Each object has its own kind. */
const SPLIT: ReadonlyMap<string, readonly [list: string, id: string, ids: string]> = new Map([
  ['stream', ['streams', 'stream_id', 'stream_ids']],
  ['subscription', ['subscriptions', 'stream_id', 'stream_ids']],
])
/** More than any server sends. Longer lists stay one event. */
const MOST_APART = 1_000

/** @returns the bodies with one object each; empty unless there are several */
function eachAlone({ type, action, body }: ChatEvent): Payload[] {
  const [list = '', id = '', ids = ''] = (action === undefined ? undefined : SPLIT.get(type)) ?? []
  const objects = objectsAt(body, list)
  if (objects.length < 2 || objects.length > MOST_APART) return []
  return objects.map(object => ({
    ...body,
    [list]: [object],
    ...(Object.hasOwn(body, ids) ? { [ids]: [memberOf(object, id)] } : {}),
  }))
}

function mapOne(event: ChatEvent): Mapped {
  const { body } = event
  const own = ownOf(event)
  const verb = verbOf(event)
  const target = targetOf(event, own)
  const team =
    own.objectType === 'user_group' && own.id !== undefined ? known({ id: own.id, display: own.name }) : undefined
  return {
    objectType: own.objectType,
    verb,
    subjectId: own.id ?? (own.objectType === 'realm' ? event.host : textAt(body, 'property')),
    identity: own.id,
    // No time is sent, and the number is valid only in its queue, so the content must distinguish events.
    occurrence: [undefined],
    occurredAt: undefined,
    target,
    conversation: known({ url: target.url ?? target.parent?.url }),
    person: senderOf(body, event.context),
    metadata: known({
      changes: verb === 'updated' ? settingChanges(body, own.object) : undefined,
      concerned: own.objectType === 'stream' ? undefined : concernedPerson(body, own.object),
      team,
    }),
  }
}

/** The event's own `id` is its number in the queue. */
function ownOf({ type, action, body }: ChatEvent): Own {
  const named = NAMED.get(type) ?? namesLike(type)
  // Without an operation, a list shows the current state, not what changed.
  const listed = action === undefined ? undefined : onlyObjectAt(body, named.list)
  const object = objectAt(body, named.object) ?? objectAt(body, named.list) ?? listed
  const property = textAt(body, 'property')
  const renamed = property === 'name' ? textAt(body, 'value') : undefined
  return {
    object,
    objectType: neutralType(toWord(type) ?? 'event'),
    id: idAt(body, named.id) ?? idAt(object, named.id) ?? idAt(object, 'id') ?? onlyIdAt(body, `${named.id}s`),
    name:
      renamed ??
      textAt(body, 'name') ??
      textAt(object, 'name') ??
      textAt(object, 'full_name') ??
      textAt(objectAt(body, 'data'), 'name') ??
      inWords(property),
  }
}

/** The name of a setting, in words, for an event that has no other name. */
function inWords(property: string | undefined): string | undefined {
  return toWord(property)?.replaceAll('_', ' ')
}

/** Some types are plural, such as `drafts`, whose events contain a `draft`, its `draft_id` or a list of `drafts`. */
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

function targetOf(event: ChatEvent, own: Own): TargetNode {
  const { objectType, id, name } = own
  if (objectType === 'realm') return realmNode(event)
  if (objectType === 'stream') return streamNode(event, { streamId: id, streamName: name })
  return toNode(objectType, {
    id,
    display: name,
    nativeType: event.type,
    parent: carrierOf(event, own),
  })
}

/** The message or stream that the event names in addition to its own object. */
function carrierOf(event: ChatEvent, { objectType, id, name }: Own): TargetNode {
  const { body } = event
  if (objectType === 'subscription' && id !== undefined) return streamNode(event, { streamId: id, streamName: name })
  const streamId = idAt(body, 'stream_id')
  const messageId = idAt(body, 'message_id')
  const place = streamId === undefined ? undefined : toStreamPlace(streamId, topicAt(body))
  if (messageId !== undefined) return messageNode(event, messageId, place)
  return place ? streamNode(event, place) : realmNode(event)
}
