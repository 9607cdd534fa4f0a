import type { StreamPlace } from '../place.js'
import { type FollowedPlace, sameName, type WatchedPlace } from '../watched-place.js'
import type { StreamChange } from './stream-change.js'

/** A watch while queue events are read. Moves change its place. */
export interface LiveWatch {
  id: string
  place: WatchedPlace
  /** Undefined while the place has no messages. */
  followed: FollowedPlace | undefined
}

/** Whether the watch covers a place. False if it watches a topic and the topic of the place is unknown. */
export function covers(watch: LiveWatch, place: StreamPlace): boolean {
  if (!coversStream(watch, place)) return false
  const topic = topicOf(watch)
  return topic === undefined || sameName(topic, place.topic)
}

/** Whether the watch is in the stream of a place, in any topic. */
export function coversStream({ place: watched, followed }: LiveWatch, { streamId, streamName }: StreamPlace): boolean {
  const isIdKnown = followed?.stream_id !== undefined && streamId !== undefined
  return isIdKnown
    ? String(followed.stream_id) === streamId
    : streamName !== undefined && sameName(followed?.stream ?? watched.stream, streamName)
}

/** The current name of the watched topic; undefined for a whole stream. */
export function topicOf({ place, followed }: LiveWatch): string | undefined {
  return place.topic === undefined ? undefined : (followed?.topic ?? place.topic)
}

/** Follows the first message of a place that had none. */
export function followFirst(watch: LiveWatch, { message, place }: StreamChange): FollowedPlace | undefined {
  if (watch.followed || !message || !place) return watch.followed
  const streamId = Number(place.streamId)
  return {
    watched: watch.place,
    message_id: message.id,
    ...(Number.isSafeInteger(streamId) ? { stream_id: streamId } : {}),
    stream: place.streamName ?? watch.place.stream,
    ...(watch.place.topic === undefined ? {} : { topic: place.topic ?? watch.place.topic }),
  }
}

/** Whether a move takes the followed message out of a watched topic. The watch then needs another message to follow. */
export function movesFollowed(watch: LiveWatch, { place, movedTo, messageIds, isWholeTopic }: StreamChange): boolean {
  const { followed } = watch
  if (watch.place.topic === undefined || !followed || !place || !movedTo || !coversStream(watch, place)) return false
  const isTopic = place.topic === undefined || sameName(followed.topic, place.topic)
  return isTopic && ((isWholeTopic ?? false) || messageIds.includes(followed.message_id))
}

/** @param streamName of the new place */
export function followMove(followed: FollowedPlace, movedTo: StreamPlace, streamName: string): FollowedPlace {
  const streamId = Number(movedTo.streamId)
  return {
    ...followed,
    ...(Number.isSafeInteger(streamId) ? { stream_id: streamId } : {}),
    stream: streamName,
    topic: movedTo.topic ?? followed.topic ?? '',
  }
}
