import { AppError } from '../../model/app-error.js'
import type { NewEvent } from '../../model/event.js'
import type { DeliveryContext, NormalisedDelivery, WebhookDelivery } from '../adapter.js'
import { readBody } from './body.js'
import { readChatEvent, toChatEvent } from './chat-event.js'
import { mapGeneric } from './generic.js'
import { nativeEventsIn } from './native-events.js'
import { ROWS } from './rows.js'
import { withoutToken } from './secrets.js'

/** Twice what the platform puts into one answer. */
const MOST_EVENTS = 10_000

/**
 * Makes the events of one delivery. Every JSON object gives at least one, whatever is missing from it, or is counted as
 * ignored: what no row knows is kept under the platform's own words.
 *
 * @throws AppError `invalid/invalid_json`, `too_large/body_too_large` for more than 10,000 events
 */
export function normaliseChat(delivery: WebhookDelivery, { site, verified }: DeliveryContext): NormalisedDelivery {
  const body = readBody(delivery)
  // Whoever reads an event could send more with the token that let it in. One that proved nothing is part of what was sent.
  const found = nativeEventsIn(verified === 'token' ? withoutToken(body) : body)
  const events: NewEvent[] = []
  let ignored = found.unreadable
  for (const native of found.events) {
    const event = readChatEvent(native, { site })
    const mapped = (ROWS.get(native.type)?.map ?? mapGeneric)(event)
    if (mapped.length === 0) ignored++
    if (events.length + mapped.length > MOST_EVENTS) throw tooMany()
    for (const one of mapped) events.push(toChatEvent(event, one))
  }
  // An answer that holds nothing is itself what carries nothing to keep.
  return { events, ignored: events.length === 0 ? Math.max(1, ignored) : ignored }
}

function tooMany(): AppError {
  const detail = `A delivery holds at most ${MOST_EVENTS} events.`
  return new AppError('too_large', 'body_too_large', detail, { hint: 'Send several.' })
}
