import type { ReadPage } from '../../ledger/wait-for-events.js'
import type { EventPage, EventQuery } from '../../model/events/event-query.js'
import { type AnswerRoom, PIECE_BYTES } from '../answer/answer-budget.js'

/**
 * Reads pages of events no larger than a piece, once there is room for one. An event that is larger than a piece is
 * read alone. Later pages use the same room.
 */
export function createPageReader(read: ReadPage, room: AnswerRoom): ReadPage {
  return async (query, signal) => {
    const { maxBytes = Number.POSITIVE_INFINITY } = query
    await room.reserve(PIECE_BYTES)
    let page = await read(Object.assign({}, query, { maxBytes: Math.min(PIECE_BYTES, maxBytes) }), signal)
    // A repeat may make an event larger while it waits for room.
    while (page.neededBytes !== undefined && page.neededBytes <= maxBytes) {
      await room.reserve(page.neededBytes)
      page = await read({ ...query, limit: 1, maxBytes: page.neededBytes }, signal)
    }
    const held = page.items.byteLength
    room.hold(isPiece(query, page) ? Math.max(held, PIECE_BYTES) : held)
    return page
  }
}

/** Whether the page ended only because of its size, so that requested events are left. */
export function isPiece({ limit }: EventQuery, { hasMore, count }: Pick<EventPage, 'hasMore' | 'count'>): boolean {
  return hasMore && count < limit
}
