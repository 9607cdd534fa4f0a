import { idAt, memberOf, type Payload } from '../../mapping/payload.js'
import type { Mapped } from '../chat-event.js'

/** Up to this many messages of one move or deletion get an event each. More than that share one event. */
const MOST_APART = 5_000
/** Up to this many ids are repeated in each payload: the total size grows with the square of the number. */
const MOST_REPEATED = 200

/**
 * The events of an action on several messages, one for each. If there are too many, they share one event, whose payload
 * has all ids, so nothing is lost.
 */
export function forEachMessage(body: Payload, map: (id: string | undefined) => Mapped): Mapped[] {
  const sent = messagesIn(body)
  if (sent.length > MOST_APART) return [map(toId(sent[0]))]

  const ids = new Map<string, unknown>()
  for (const one of sent) {
    const id = toId(one)
    if (id !== undefined) ids.set(id, one)
  }
  if (ids.size === 0) return [map(undefined)]
  if (ids.size <= MOST_REPEATED) return [...ids.keys()].map(map)
  return [...ids].map(([id, one]) => {
    const mapped = map(id)
    const metadata = { ...mapped.metadata, message_count: ids.size }
    return { ...mapped, metadata, kept: { ...body, message_ids: [one] } }
  })
}

/** The affected message, then those that moved with it. */
function messagesIn(body: Payload): unknown[] {
  const list = memberOf(body, 'message_ids')
  const own = memberOf(body, 'message_id')
  const others = Array.isArray(list) ? list.filter(id => id !== own) : []
  return own === undefined ? others : [own, ...others]
}

function toId(sent: unknown): string | undefined {
  return idAt({ sent }, 'sent')
}
