import { eventsOf } from '../model/events/event-query.js'
import type { Subscription } from '../model/subscriptions/subscription.js'
import type { SubscriptionPreview } from '../model/subscriptions/subscription-preview.js'
import { SUBSCRIPTION_PREVIEW } from '../model/subscriptions/subscription-preview.js'
import { type Micros, readTimestamp, toTimestamp } from '../model/timestamp.js'
import type { EventStore } from '../store/event-store.js'
import { SubscriptionMatcher } from './subscription-matcher.js'

const DAY = 86_400_000_000
/** Smaller than a reader's page: these events are parsed on the thread that answers all requests. */
const PAGE = 200
/** Ignores expiry: a preview shows what would match. */
const NEVER_OVER = Number.NEGATIVE_INFINITY

/**
 * The recent events that a subscription would have matched, enabled or not, by the matcher that marks incoming events.
 * Newest first, up to a bound.
 *
 * Source: decisions, section 4; docs/decisions/0014.
 */
export async function previewSubscription(
  events: Pick<EventStore, 'query'>,
  subscription: Subscription,
  now: Micros,
  signal?: AbortSignal,
): Promise<SubscriptionPreview> {
  const { days, examples: wanted, events: bound } = SUBSCRIPTION_PREVIEW
  const from = now - days * DAY
  const watching = matcherOf(subscription)
  const watchingAllKinds = matcherOf({ ...subscription, event_kinds: [] })
  const counts = new Array<number>(days).fill(0)
  const examples: PreviewedEvent[] = []
  let seen = false
  let countedFrom = from
  let looked = 0
  for (let to: Micros | undefined; ; ) {
    const page = await events.query(
      {
        sources: [subscription.source],
        from,
        order: 'desc',
        limit: PAGE,
        withoutPayload: true,
        ...(to === undefined ? {} : { to }),
      },
      signal,
    )
    for (const event of eventsOf(page)) {
      to = readTimestamp('captured_at', event.captured_at).micros - 1
      seen ||= watchingAllKinds(event)
      if (!watching(event)) continue
      // An event may be newer than the clock.
      const day = Math.min(days - 1, Math.floor((to + 1 - from) / DAY))
      counts[day] = (counts[day] as number) + 1
      if (examples.length < wanted) examples.push(event)
    }
    looked += page.count
    if (!page.hasMore) break
    if (looked >= bound && to !== undefined) {
      countedFrom = to + 1
      break
    }
  }
  const { source, target, scope, filters, event_kinds, actions } = subscription
  return {
    count: counts.reduce((total, count) => total + count, 0),
    by_day: counts.map((count, day) => ({ start: toTimestamp(from + day * DAY), count })),
    examples,
    seen,
    complete: countedFrom === from,
    counted_from: toTimestamp(countedFrom),
    understood: { source, target, scope, filters, event_kinds, actions },
  }
}

type PreviewedEvent = SubscriptionPreview['examples'][number]

function matcherOf(subscription: Subscription): (event: PreviewedEvent) => boolean {
  const matcher = new SubscriptionMatcher()
  matcher.put({ ...subscription, enabled: true })
  return event => matcher.match({ ...event, payload: {} }, NEVER_OVER).length > 0
}
