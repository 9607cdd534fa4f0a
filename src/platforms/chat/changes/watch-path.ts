import type { StreamPlace } from '../place.js'
import { type FollowedPlace, sameName } from '../watched-place.js'
import type { MessageChange } from './edit-history.js'

/**
 * The place of a watch at any time. A watched topic is the topic of the followed message, so the moves of that message
 * are the moves of the topic.
 */
export class WatchPath {
  readonly #now: StreamPlace
  readonly #isTopic: boolean
  readonly #moves: readonly MessageChange[]

  /** @param changes of the followed message, oldest first; none if it is not known */
  constructor({ stream_id, stream, topic }: FollowedPlace, changes: readonly MessageChange[] = []) {
    const streamId = stream_id === undefined ? undefined : String(stream_id)
    this.#now = { type: 'stream', streamId, streamName: stream, topic }
    this.#isTopic = topic !== undefined
    const last = changes.at(-1)
    // A followed message that is now elsewhere has left the topic.
    this.#moves = last && this.#isSame(last.after, this.#now) ? changes : []
  }

  /** Whether the change happened in the watched place, or moved a message into it or out of it. */
  covers({ at, before, after }: MessageChange): boolean {
    return this.#isSame(before, this.#before(at)) || this.#isSame(after, this.#after(at))
  }

  /** Whether the watch is, or was, in this place. */
  includes(place: StreamPlace): boolean {
    return this.#isSame(place, this.#now) || this.#moves.some(({ before }) => this.#isSame(place, before))
  }

  #before(at: number): StreamPlace {
    return this.#moves.find(move => move.at >= at)?.before ?? this.#now
  }

  #after(at: number): StreamPlace {
    const last = this.#moves.findLast(move => move.at <= at)
    return last?.after ?? this.#moves[0]?.before ?? this.#now
  }

  #isSame(left: StreamPlace, right: StreamPlace): boolean {
    return left.streamId === right.streamId && (!this.#isTopic || sameName(left.topic, right.topic))
  }
}
