import type { TargetNode } from '../../model/events/event.js'
import { toNode } from '../mapping/node.js'
import { idAt, instantAt, known, objectAt, type Payload, textAt } from '../mapping/payload.js'
import { conversationOf, deletionOf, type Hook, IDENTIFIED_BY_BODY, type Mapped, verbOf } from './hook.js'
import { linkTo } from './instance.js'
import { describe, type Person, personAt } from './person.js'
import { categoryNode, siteNode } from './target-nodes.js'

/** Messages of the forum's own chat. Its channels are elsewhere called streams. */
export function mapChatMessage(hook: Hook): Mapped {
  const message = objectAt(hook.object, 'message') ?? objectAt(hook.body, 'message')
  const channel = objectAt(hook.object, 'channel') ?? objectAt(hook.body, 'channel')
  const verb = verbOf(hook, 'chat_message')
  const id = idAt(message, 'id')
  const channelId = idAt(channel, 'id') ?? idAt(message, 'chat_channel_id')
  const stream = streamNode(hook, channel, channelId)
  const target = toNode('message', {
    id,
    url: id === undefined ? undefined : linkToChannel(hook, channel, channelId, id),
    nativeType: 'chat_message',
    metadata: known({ thread_id: idAt(message, 'thread_id'), author: describe(personAt(message, 'user')) }),
    parent: stream,
  })
  return {
    objectType: 'message',
    verb,
    subjectId: id,
    identity: id,
    occurrence: verb === 'created' ? 'once' : verb === 'deleted' ? deletionOf(message) : IDENTIFIED_BY_BODY,
    occurredAt: messageTime(message, verb),
    target,
    conversation: conversationOf(target, textAt(message, 'message')),
    actor: messageActor(message, verb),
  }
}

function streamNode(hook: Hook, channel: Payload | undefined, id: string | undefined): TargetNode {
  const ofCategory = textAt(channel, 'chatable_type') === 'Category'
  const category = objectAt(channel, 'chatable')
  return toNode('stream', {
    id,
    display: textAt(channel, 'title') ?? textAt(channel, 'name'),
    url: linkToChannel(hook, channel, id),
    nativeType: 'channel',
    metadata: known({ private: textAt(channel, 'chatable_type') === 'DirectMessage' || undefined }),
    parent: ofCategory
      ? categoryNode(hook, {
          id: idAt(category, 'id') ?? idAt(channel, 'chatable_id'),
          name: textAt(category, 'name'),
          slug: textAt(category, 'slug'),
          parentId: idAt(category, 'parent_category_id'),
        })
      : siteNode(hook),
  })
}

/** The slug may be any text except an empty one. */
function linkToChannel(hook: Hook, channel: Payload | undefined, ...path: (string | undefined)[]): string | undefined {
  return path[0] === undefined ? undefined : linkTo(hook.instance, 'chat', 'c', textAt(channel, 'slug') ?? '-', ...path)
}

/** An edit has no time of its own. */
function messageTime(message: Payload | undefined, verb: string): string | undefined {
  if (verb === 'created') return instantAt(message, 'created_at')
  return verb === 'deleted' ? instantAt(message, 'deleted_at') : undefined
}

/** Only the author can edit a message; others can delete and restore it. */
function messageActor(message: Payload | undefined, verb: string): Person | undefined {
  const author = personAt(message, 'user')
  if (verb === 'created' || verb === 'updated') return author
  const deleter = verb === 'deleted' ? personAt(message, 'deleted_by') : undefined
  return deleter !== undefined && deleter.id === author?.id ? author : deleter
}
