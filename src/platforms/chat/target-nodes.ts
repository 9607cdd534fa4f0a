/** The nodes of target chains: message, topic, stream or recipients, realm. */
import type { TargetNode } from '../../model/events/event.js'
import { toNode } from '../mapping/node.js'
import type { ChatEvent } from './chat-event.js'
import { messageLink, streamLink, topicLink } from './link.js'
import type { DirectPlace, Place, StreamPlace } from './place.js'

export function messageNode(event: ChatEvent, id: string | undefined, place: Place | undefined): TargetNode {
  return toNode('message', {
    id,
    url: id === undefined ? undefined : messageLink(event.baseUrl, place, id),
    parent: placeNode(event, id, place),
  })
}

/** The identifiable parent of the conversation: the stream, or the participants. */
export function carrierNode(event: ChatEvent, place: Place | undefined): TargetNode | undefined {
  if (place === undefined) return undefined
  return place.type === 'stream' ? streamNode(event, place) : directNode(event, place)
}

export function streamNode(
  event: ChatEvent,
  { streamId, streamName }: Pick<StreamPlace, 'streamId' | 'streamName'>,
): TargetNode {
  return toNode('stream', {
    id: streamId,
    display: streamName,
    url: streamId === undefined ? undefined : streamLink(event.baseUrl, streamId, streamName),
    nativeType: 'channel',
    parent: realmNode(event),
  })
}

/** The whole server, as one organisation sees it. */
export function realmNode({ host, baseUrl }: ChatEvent): TargetNode {
  return toNode('realm', { id: host, display: host, url: baseUrl })
}

function placeNode(event: ChatEvent, id: string | undefined, place: Place | undefined): TargetNode {
  const carrier = carrierNode(event, place)
  if (carrier === undefined) return realmNode(event)
  if (place?.type !== 'stream' || place.topic === undefined) return carrier
  // Without a key: a topic's only identity is its name, and this changes when it is renamed or resolved.
  return toNode('topic', {
    display: place.topic,
    url: id === undefined ? undefined : topicLink(event.baseUrl, place, id),
    parent: carrier,
  })
}

function directNode(event: ChatEvent, { userIds, names }: DirectPlace): TargetNode {
  return toNode('direct_conversation', {
    id: userIds?.join(','),
    display: names.join(', ') || undefined,
    parent: realmNode(event),
  })
}
