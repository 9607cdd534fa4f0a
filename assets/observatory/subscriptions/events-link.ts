import { href } from '../../shared/address.js'
import { toMs } from '../../shared/time.js'
import type { Subscription } from '../../shared/wire.js'

const DAY_MS = 86_400_000
/** The ranges that events offer by a button. */
const RANGES = [1, 3, 7, 30]
const LONGEST = 3650

/** The events of a subscription, over a range that the last of them is in. */
export function eventsLink({ id, last_event_at }: Pick<Subscription, 'id' | 'last_event_at'>, now: number): string {
  const days = last_event_at === null ? 1 : daysSince(toMs(last_event_at), now)
  return href('/', new URLSearchParams({ subscription_id: id, days: String(days) }))
}

function daysSince(ms: number, now: number): number {
  // A little more: it is looked at some time after it was made.
  const days = Math.floor((now + 3_600_000 - ms) / DAY_MS) + 1
  return RANGES.find(range => range >= days) ?? Math.min(days, LONGEST)
}
