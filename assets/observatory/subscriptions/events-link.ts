import type { Subscription } from '#model/subscriptions/subscription'
import { href } from '../../shared/server/address.js'
import { toMs } from '../../shared/words/time.js'

const DAY_MS = 86_400_000
/** The preset ranges of the events view. */
const RANGES = [1, 3, 7, 30]
const LONGEST = 3650

/** The events of a subscription, over a range that includes its last one. */
export function eventsLink({ id, last_event_at }: Pick<Subscription, 'id' | 'last_event_at'>, now: number): string {
  const days = last_event_at === null ? 1 : daysSince(toMs(last_event_at), now)
  return href('/', new URLSearchParams({ subscription_id: id, days: String(days) }))
}

function daysSince(ms: number, now: number): number {
  // With a margin, because the link is followed some time later.
  const days = Math.floor((now + 3_600_000 - ms) / DAY_MS) + 1
  return RANGES.find(range => range >= days) ?? Math.min(days, LONGEST)
}
