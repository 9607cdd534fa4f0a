import type { NewEvent } from '../../../model/events/event.js'
import { kindMatches } from '../../../model/events/event-match.js'
import type { CaptureState } from '../../../model/subscriptions/subscription.js'
import {
  covers,
  coversStream,
  followFirst,
  followMove,
  type LiveWatch,
  movesFollowed,
  topicOf,
} from '../../../platforms/chat/live/live-watch.js'
import type { MessageFinder } from '../../../platforms/chat/live/message-finder.js'
import type { StreamChange } from '../../../platforms/chat/live/stream-change.js'
import type { StreamPlace } from '../../../platforms/chat/place.js'
import type { FollowedPlace } from '../../../platforms/chat/watched-place.js'
import { numberAt } from '../../../platforms/mapping/payload.js'

/** A watch, updated by the events that are read. */
export interface TrackedWatch extends LiveWatch {
  kinds: readonly string[]
  /** Whether it was captured since the queue was registered. Only then do events move it. */
  isCaughtUp: boolean
  /** The newest message of it that is recorded. */
  readTo: number
  /** When its settings were saved. */
  saved: string
  /** How far changes of its messages are recorded, as stored in the watch. */
  tracked: CaptureState['tracked'] | undefined
  before: { readTo: number; followed: FollowedPlace | undefined; reread: CaptureState['reread'] | undefined }
}

/** Whether the watch asks for events of this kind. */
export function selectsKind({ kinds }: TrackedWatch, { kind }: NewEvent): boolean {
  return kinds.length === 0 || kinds.some(pattern => kindMatches(kind, pattern))
}

export interface PlacedStreamChange {
  streamChange: StreamChange
  /** The watches in whose place it happened. */
  watches: TrackedWatch[]
}

interface Parts {
  watches: readonly TrackedWatch[]
  finder: MessageFinder
  signal: AbortSignal
}

/**
 * Finds the watches in whose places something happened, in the order of the events, so that a moved topic is followed
 * before the next message.
 *
 * @returns `undoMoves` returns the messages to their earlier places, so that the same changes can be placed again
 * @throws AppError as `ChatApi`; then the messages are in their earlier places
 */
export async function placeStreamChanges(
  streamChanges: readonly StreamChange[],
  parts: Parts,
): Promise<{ placed: PlacedStreamChange[]; tracked: readonly TrackedWatch[]; undoMoves: () => void }> {
  const placed: PlacedStreamChange[] = []
  const moves: (() => void)[] = []
  const undoMoves = () => {
    for (const undo of moves.reverse()) undo()
  }
  try {
    for (const streamChange of streamChanges) {
      const { message, place, movedTo, messageIds } = streamChange
      const { places } = parts.finder
      if (message && place) places.put(message.id, place)
      const watches = await watchesOf(streamChange, parts)
      for (const watch of watches) await follow(watch, streamChange, parts)
      if (movedTo) moves.push(places.move(messageIds, movedTo, watches.length > 0))
      if (watches.length > 0) placed.push({ streamChange, watches })
    }
  } catch (error) {
    undoMoves()
    throw error
  }
  return { placed, tracked: parts.watches, undoMoves }
}

async function watchesOf(streamChange: StreamChange, { watches, finder, signal }: Parts): Promise<TrackedWatch[]> {
  const { body, place, movedTo, messageIds, isOfStream } = streamChange
  if (isOfStream && place) return watches.filter(watch => coversStream(watch, place))
  const direct = (watch: TrackedWatch) =>
    (place !== undefined && covers(watch, place)) || (movedTo !== undefined && covers(watch, movedTo))
  const isUnclear = (watch: TrackedWatch) => place === undefined || isTopicUnknown(watch, place)
  const found = new Set(watches.filter(direct))
  const [first] = messageIds
  if (first !== undefined && watches.some(watch => !found.has(watch) && isUnclear(watch))) {
    const at = numberAt(body, 'edit_timestamp')
    const message = await finder.find(first, { streamId: place?.streamId, at }, signal)
    for (const watch of watches) {
      if (message && (covers(watch, message.place) || message.watches.includes(watch.id))) found.add(watch)
    }
  }
  return [...found]
}

/** Whether the watch is of a topic of the stream, and the event does not name the topic. */
function isTopicUnknown(watch: TrackedWatch, place: StreamPlace): boolean {
  return place.topic === undefined && topicOf(watch) !== undefined && coversStream(watch, place)
}

async function follow(watch: TrackedWatch, streamChange: StreamChange, { finder, signal }: Parts): Promise<void> {
  if (!watch.isCaughtUp) return
  const { movedTo, renamedTo, isWholeTopic, messageIds } = streamChange
  watch.followed = followFirst(watch, streamChange)
  const { followed, readTo } = watch
  if (!followed) return
  if (renamedTo !== undefined) watch.followed = { ...followed, stream: renamedTo }
  if (!movedTo || !movesFollowed(watch, streamChange)) return
  // If some messages have stayed, the watch stays with them, and follows one of them.
  const left = isWholeTopic
    ? undefined
    : await finder.lastIn(followed.stream_id ?? followed.stream, followed.topic ?? '', Math.max(readTo, 1), signal)
  if (left !== undefined) {
    watch.followed = { ...followed, message_id: left }
    return
  }
  const isSameStream = movedTo.streamId === String(followed.stream_id)
  const [first] = messageIds
  const name =
    isSameStream || movedTo.streamId === undefined || first === undefined
      ? followed.stream
      : ((await finder.streamName(movedTo.streamId, first, signal)) ?? followed.stream)
  watch.followed = followMove(followed, movedTo, name)
}
