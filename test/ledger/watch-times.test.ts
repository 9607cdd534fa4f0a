import t from 'tap'
import { canBeCaptured, captureEndReason, dueAt, isPolled, readToOf } from '../../src/ledger/watch-times.js'
import { usesPolling } from '../../src/model/subscriptions/polling.js'
import type { Subscription } from '../../src/model/subscriptions/subscription.js'
import { toTimestamp } from '../../src/model/timestamp.js'
import { storedSubscription } from '../support/subscription.js'

const NOON = 1_800_000_000_000_000
const SECOND = 1_000_000
const at = (seconds: number) => NOON + seconds * SECOND
const instant = (seconds: number) => toTimestamp(at(seconds))

const watch = (changes: Partial<Subscription> = {}): Subscription =>
  storedSubscription({
    id: 'w',
    target: 'stream:eng',
    capture_modes: ['poll'],
    created_at: instant(0),
    updated_at: instant(0),
    ...changes,
  })

t.test('a watch is polled if its capture modes and its target allow it', async t => {
  t.ok(isPolled(watch()))
  t.ok(isPolled(watch({ capture_modes: ['webhook', 'api_cursor'] })))
  t.notOk(isPolled(watch({ capture_modes: ['webhook'] })))
  t.notOk(isPolled(watch({ source: 'forum' })))
  t.notOk(isPolled(watch({ target: '' })), 'a capture of everything is not possible')
})

t.test('a subscription that asks for polling may be impossible to capture', async t => {
  t.ok(usesPolling(watch({ source: 'builds', target: 'topic:7' })))
  t.notOk(canBeCaptured(watch({ source: 'builds', target: 'topic:7' })))
  for (const [source, target, isPlace] of [
    ['forum', 'topic:7', true],
    ['forum', '', true],
    ['code_a', 'repo:ada/engine', true],
    ['code_b', 'project:ada/tools/engine/merge_request:3', true],
    ['code_a', '', false],
    ['code_a', 'repo:../user', false],
  ] as const) {
    t.equal(canBeCaptured(watch({ source, target, filters: {} })), isPlace, `${source} ${target}`)
  }
  t.notOk(canBeCaptured(watch({ target: '' })))
  t.ok(canBeCaptured(watch({ capture_modes: [] })))
})

t.test('a watch ends when it is disabled or expires', async t => {
  t.equal(captureEndReason(watch(), NOON), undefined)
  t.equal(captureEndReason(watch({ enabled: false }), NOON), 'disabled')
  t.equal(captureEndReason(watch({ metadata: { expires_at: instant(0) } }), NOON), 'expired')
  t.equal(
    captureEndReason(watch({ metadata: { expires_at: '2027-01-15T09:00:01+01:00' } }), NOON),
    undefined,
    'in any zone',
  )
  t.equal(captureEndReason(watch({ metadata: { expires_at: 'never' } }), NOON), undefined, 'as an older ledger may say')
})

const captured = { last_attempt_at: instant(0), last_success_at: instant(0), last_error: null }
const failed = { last_attempt_at: instant(0), last_success_at: null, last_error: 'Gone.' }
const dues = [
  { what: 'a watch that was never captured', metadata: { interval_seconds: 60 }, capture: {}, now: 5, due: 5 },
  { what: 'a hot watch', metadata: { interval_seconds: 60, hot_until: instant(100) }, now: 10, due: 60 },
  { what: 'a watch that is always hot', metadata: { interval_seconds: 7 }, now: 10, due: 7 },
  { what: 'a watch that has cooled', metadata: { interval_seconds: 60, hot_until: instant(10) }, now: 10, due: 600 },
  { what: 'a busy watch that has cooled', metadata: { interval_seconds: 5, hot_until: instant(0) }, now: 1, due: 300 },
  { what: 'a watch that failed', metadata: { interval_seconds: 60 }, capture: failed, now: 10, due: 60 },
  {
    what: 'a watch whose capture was interrupted',
    metadata: { interval_seconds: 60 },
    capture: { ...captured, last_attempt_at: instant(5) },
    now: 10,
    due: 10,
  },
  {
    what: 'a watch that the platform asked to wait',
    metadata: { interval_seconds: 60 },
    capture: { ...failed, wait_until: instant(300) },
    now: 10,
    due: 300,
  },
  {
    what: 'a watch that the platform asked to wait for less than its interval',
    metadata: { interval_seconds: 60 },
    capture: { ...failed, wait_until: instant(30) },
    now: 10,
    due: 60,
  },
  {
    what: 'a watch that was captured before the clock was set back',
    metadata: { interval_seconds: 60 },
    capture: { ...captured, last_attempt_at: instant(31_536_000), last_success_at: instant(31_536_001) },
    now: 10,
    due: 10,
  },
  {
    what: 'a watch that was asked to wait before the clock was set back',
    metadata: { interval_seconds: 60 },
    capture: { ...captured, wait_until: instant(31_536_000) },
    now: 10,
    due: 60,
  },
  { what: 'a watch without an interval', metadata: {}, now: 1, due: 60 },
  { what: 'a watch with an interval of an older ledger', metadata: { interval_seconds: '5' }, now: 1, due: 60 },
  {
    what: 'a watch with an interval of thousands of years',
    metadata: { interval_seconds: 1e15 },
    now: 1,
    due: 31_536_000,
  },
]
for (const { what, metadata, capture = captured, now, due } of dues) {
  t.test(`${what} is due ${due} seconds after noon`, async t => {
    t.equal((dueAt(watch({ metadata, capture }), at(now)) - NOON) / SECOND, due)
  })
}

t.test('capture continues after the last read message, or from the cursor if that message is unknown', async t => {
  t.equal(readToOf(watch({ last_cursor: '9' })), '9')
  t.equal(readToOf(watch({ last_cursor: '9', capture: { read_to: '7' } })), '7')
  t.equal(readToOf(watch({ last_cursor: '9', capture: { read_to: null } })), null)
})
