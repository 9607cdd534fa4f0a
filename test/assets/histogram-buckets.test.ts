import fc from 'fast-check'
import t from 'tap'
import {
  bucketLength,
  closedBuckets,
  moved,
  planOpenRange,
} from '../../assets/observatory/events/histogram/histogram-buckets.js'
import { fromMs, toMs } from '../../assets/shared/words/time.js'

const NOW = toMs('2026-11-20T13:37:21.500Z')
const MINUTE = 60_000
const DAY = 86_400_000

t.test('the buckets of a range that ends now begin at round times, also in zones with odd offsets', async t => {
  const plan = planOpenRange({ from: fromMs(NOW - DAY), now: NOW, most: 96, offsetMs: 0 })
  t.same(plan, {
    from: '2026-11-19T13:30:00.000000Z',
    to: '2026-11-20T13:44:59.999999Z',
    buckets: 97,
    before: { from: '2026-11-19T13:30:00.000000Z', to: '2026-11-19T13:37:21.499999Z' },
  })
  const far = planOpenRange({ from: fromMs(NOW - 30 * DAY), now: NOW, most: 96, offsetMs: 330 * MINUTE })
  t.equal(far.from, '2026-10-21T10:30:00.000000Z', '16:00 in a zone five and a half hours ahead')
})

t.test('the same buckets are requested until the last one has ended', async t => {
  const at = (now: number) => planOpenRange({ from: '2026-11-20T12:00:00.000000Z', now, most: 96, offsetMs: 0 })
  t.equal(at(NOW).before, undefined, 'the range begins with a bucket')
  t.same(at(NOW + 20_000), at(NOW))
  t.equal(at(NOW + 3 * MINUTE).to, '2026-11-20T13:41:59.999999Z')
})

t.test('the buckets of any range fill it, have equal lengths, and are few enough for the API', async () => {
  const range = fc.record({
    length: fc.integer({ min: 0, max: 3650 * DAY }),
    offsetMs: fc.integer({ min: -48, max: 56 }).map(quarters => quarters * 15 * MINUTE),
    now: fc.integer({ min: toMs('2001-01-01T00:00:00Z'), max: toMs('2099-01-01T00:00:00Z') }),
    most: fc.constantFrom(48, 96),
  })
  fc.assert(
    fc.property(range, ({ length, offsetMs, now, most }) => {
      const from = fromMs(now - length)
      const plan = planOpenRange({ from, now, most, offsetMs })
      const micros = (BigInt(toMs(plan.to)) - BigInt(toMs(plan.from)) + 1n) * 1000n
      return (
        plan.from <= from &&
        plan.to >= fromMs(now) &&
        plan.buckets <= most + 2 &&
        micros % BigInt(plan.buckets) === 0n &&
        (plan.before === undefined ? plan.from === from : plan.before.to < from)
      )
    }),
  )
})

t.test('a range of a round length is divided into round parts', async t => {
  t.equal(bucketLength(DAY, 96), 15 * MINUTE)
  t.equal(bucketLength(3 * DAY, 96), 60 * MINUTE)
  t.equal(closedBuckets(75 * MINUTE, 96), 75)
  t.equal(closedBuckets(DAY, 48), 48)
  t.equal(closedBuckets(1, 96), 1)
})

t.test('an instant is moved without losing microseconds', async t => {
  t.equal(moved('2026-11-20T13:00:00.123456Z', -3_600_000), '2026-11-20T12:00:00.123456Z')
  t.equal(moved('2026-11-20T13:00:00+01:00', 3_600_000), '2026-11-20T13:00:00.000000Z')
})
