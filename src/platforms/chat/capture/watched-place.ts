import type { Subscription } from '../../../model/subscription.js'
import { known, memberOf, objectAt, type Payload, textAt } from '../../payload.js'
import { placeOfFilters, placeOfScope, placeOfText } from '../../target-grammar.js'
import { nameAt } from '../place.js'
import type { NarrowTerm } from './chat-api.js'

/** What a watch is set to: a topic, or a whole stream. */
export interface WatchedPlace {
  stream: string
  topic?: string
}

/**
 * Where a watched place was found last. Streams and topics are renamed, topics resolved and moved; the message goes
 * with its topic, so it finds the topic under whatever name.
 */
export interface FollowedPlace {
  /** The watch as it was set then: set to another place, it has to be found anew. */
  watched: WatchedPlace
  /** A message in it. The oldest that was read: what is said later is more likely to be moved elsewhere by itself. */
  message_id: number
  stream_id?: number
  /** The names now. */
  stream: string
  topic?: string
}

/** What a subscription watches. @returns undefined for one that names no stream */
export function watchedPlaceOf(watch: Pick<Subscription, 'target' | 'scope' | 'filters'>): WatchedPlace | undefined {
  const { filters, target, scope } = watch
  const place = placeOfFilters('chat', filters) ?? placeOfText('chat', target) ?? placeOfScope('chat', scope)
  if (place?.type === 'stream') return { stream: place.name }
  return place?.type === 'stream_topic' ? { stream: place.stream, topic: place.name } : undefined
}

/** What was kept of a followed place, unless it is not of this release. */
export function readFollowedPlace(kept: Payload | undefined): FollowedPlace | undefined {
  const watched = objectAt(kept, 'watched')
  const [messageId, streamId] = [memberOf(kept, 'message_id'), memberOf(kept, 'stream_id')]
  const [stream, watchedStream] = [textAt(kept, 'stream'), textAt(watched, 'stream')]
  if (typeof messageId !== 'number' || stream === undefined || watchedStream === undefined) return undefined
  return {
    watched: { stream: watchedStream, ...known({ topic: nameAt(watched ?? {}, 'topic') }) },
    message_id: messageId,
    ...(typeof streamId === 'number' ? { stream_id: streamId } : {}),
    stream,
    ...known({ topic: nameAt(kept ?? {}, 'topic') }),
  }
}

/** The followed place, if it is that of the watch as it is set now. */
export function stillFollowed(place: WatchedPlace, followed: FollowedPlace | undefined): FollowedPlace | undefined {
  const { stream, topic } = followed?.watched ?? {}
  return stream === place.stream && topic === place.topic ? followed : undefined
}

/** By names alone, which every server understands. */
export function narrowByName({ stream, topic }: WatchedPlace): NarrowTerm[] {
  const inStream: NarrowTerm = { operator: 'stream', operand: stream }
  return topic === undefined ? [inStream] : [inStream, { operator: 'topic', operand: topic }]
}

/** The same names, as they are wherever letter case does not count. */
export function sameName(left: string | undefined, right: string | undefined): boolean {
  return left?.toLowerCase() === right?.toLowerCase()
}
