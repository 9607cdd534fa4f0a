import { LedgerClient } from '../../client/ledger-client.js'
import { withCapture } from '../../ledger/watch-times.js'
import { counted } from '../../model/counted.js'
import { type Finding, ok, warning } from '../../model/diagnosis.js'
import type { Subscription } from '../../model/subscriptions/subscription.js'
import { findTimestamp, type Micros, toTimestamp } from '../../model/timestamp.js'

const ANSWER_SECONDS = 10
/** Watches with a finding of their own. */
const MOST_LISTED = 5
const MINUTE: Micros = 60 * 1_000_000
/** For how long a watch may be due: the server captures it within minutes, a timer once a day or more often. */
const OVERDUE = { neverCaptured: 15 * MINUTE, capturedBefore: 24 * 60 * MINUTE }

/** Whether the watches that are polled are captured, from the server that has the ledger open. */
export async function checkWatches(socketPath: string, now: Micros): Promise<Finding[]> {
  const client = new LedgerClient({ socketPath }, { idleSeconds: ANSWER_SECONDS })
  const { follows } = (await client.health()).json() as { follows?: object }
  // The ledger that it follows captures them.
  if (follows) return []
  return judgeWatches(((await client.subscriptions()).json() as { items: Subscription[] }).items, now)
}

export function judgeWatches(subscriptions: readonly Subscription[], now: Micros): Finding[] {
  const polled = subscriptions.map(each => withCapture(each, now)).filter(each => each.capture?.next_due_at != null)
  if (polled.length === 0) return []
  const found = polled.flatMap(watch => findingOf(watch, now) ?? [])
  const more = found.length - MOST_LISTED
  if (more > 0) {
    const detail = `${counted(more, 'further watch', 'further watches')} cannot be captured.`
    found.splice(MOST_LISTED, more, warning(detail, '"daybook api subscriptions" lists all.'))
  }
  return found.length > 0 ? found : [ok(`Watches that are polled: ${polled.length}. No capture of them fails.`)]
}

function findingOf({ id, capture = {}, updated_at }: Subscription, now: Micros): Finding | undefined {
  const { failures = 0, last_error, last_attempt_at, next_due_at } = capture
  const due = findTimestamp(next_due_at)?.micros ?? now
  if (failures > 0) {
    const often = failures === 1 ? '' : ` ${failures} times in a row`
    const advice =
      due > now ? `It is tried next at ${next_due_at}.` : `"daybook capture subscription-once ${id}" tries it now.`
    return warning(`The watch ${id} could not be captured${often}. ${last_error ?? ''}`, advice)
  }
  if (due > now) return undefined
  // One that was never captured, or whose last capture was interrupted, is always due now.
  const since = due < now ? due : (findTimestamp(last_attempt_at ?? updated_at)?.micros ?? now)
  if (now - since <= (last_attempt_at ? OVERDUE.capturedBefore : OVERDUE.neverCaptured)) return undefined
  const detail = `The watch ${id} has been due since ${toTimestamp(since)}, and nothing captures it.`
  return warning(detail, `"daybook capture subscription-once ${id}" shows why.`)
}
