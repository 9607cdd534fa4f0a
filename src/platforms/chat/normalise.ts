import { AppError } from '../../model/app-error.js'
import type { NewEvent } from '../../model/events/event.js'
import type { DeliveryContext, NormalisedDelivery, WebhookDelivery } from '../adapter.js'
import { readBody, withoutToken } from './body.js'
import { readChatEvent, toChatEvent } from './chat-event.js'
import { MAPPINGS } from './event-mappings.js'
import { mapGeneric } from './generic.js'
import { nativeEventsIn } from './native-events.js'

/** Twice the platform's maximum per response. */
const MOST_EVENTS = 10_000

/**
 * Creates the events of one delivery. Every JSON object yields at least one event, however incomplete, or counts as
 * ignored. An event without a mapping is recorded under the platform's own names.
 *
 * @throws AppError `invalid/invalid_json`, `too_large/body_too_large` for more than 10,000 events
 */
export function normaliseChat(delivery: WebhookDelivery, { site, verified }: DeliveryContext): NormalisedDelivery {
  const body = readBody(delivery)
  // Removes a token that verified the delivery: readers of the event could post with it. An unverified token is content.
  const found = nativeEventsIn(verified === 'token' ? withoutToken(body) : body)
  const events: NewEvent[] = []
  let ignored = found.unreadable
  for (const native of found.events) {
    const event = readChatEvent(native, { site })
    const mapped = (MAPPINGS.get(native.type)?.map ?? mapGeneric)(event)
    if (mapped.length === 0) ignored++
    if (events.length + mapped.length > MOST_EVENTS) throw tooMany()
    for (const one of mapped) events.push(toChatEvent(event, one))
  }
  // A response without events counts as one ignored entry.
  return { events, ignored: events.length === 0 ? Math.max(1, ignored) : ignored }
}

function tooMany(): AppError {
  const detail = `A delivery holds at most ${MOST_EVENTS} events.`
  return new AppError('too_large', 'body_too_large', detail, { hint: 'Send several.' })
}
