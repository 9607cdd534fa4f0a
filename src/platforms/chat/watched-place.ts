import type { Subscription } from '../../model/subscriptions/subscription.js'
import { placeOfFilters, placeOfScope, placeOfText } from '../../model/subscriptions/target-grammar.js'
import { known, memberOf, objectAt, type Payload, textAt } from '../mapping/payload.js'
import { nameAt } from './place.js'

/** What a watch covers: a topic, or a whole stream. */
export interface WatchedPlace {
  stream: string
  topic?: string
}

/**
 * Where a watched place was last found. Streams and topics are renamed, and topics are resolved and moved. A message
 * moves with its topic, so it identifies the topic under any name.
 */
export interface FollowedPlace {
  /** The watch's setting at that time. If it changes, the place must be found again. */
  watched: WatchedPlace
  /** A message in the place: the oldest that was read, because later ones are more often moved elsewhere alone. */
  message_id: number
  stream_id?: number
  /** Current names. */
  stream: string
  topic?: string
}

/** The place that a subscription watches. @returns undefined if it names no stream */
export function watchedPlaceOf(watch: Pick<Subscription, 'target' | 'scope' | 'filters'>): WatchedPlace | undefined {
  const { filters, target, scope } = watch
  const place = placeOfFilters('chat', filters) ?? placeOfText('chat', target) ?? placeOfScope('chat', scope)
  if (place?.type === 'stream') return { stream: place.name }
  return place?.type === 'stream_topic' ? { stream: place.stream, topic: place.name } : undefined
}

/** Reads a stored followed place. @returns undefined if another release wrote it in another form */
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

/** The followed place, if the watch's setting is still the same. */
export function currentFollowedPlace(
  place: WatchedPlace,
  followed: FollowedPlace | undefined,
): FollowedPlace | undefined {
  const { stream, topic } = followed?.watched ?? {}
  return stream === place.stream && topic === place.topic ? followed : undefined
}

/** Compares names without case. */
export function sameName(left: string | undefined, right: string | undefined): boolean {
  return left?.toLowerCase() === right?.toLowerCase()
}
