import fc from 'fast-check'
import t from 'tap'
import {
  heightLabel,
  heightTicks,
  spanWords,
  stackBands,
  timeTicks,
} from '../../assets/observatory/events/histogram/histogram-scale.js'
import { localOffset, offsetWords, toMs } from '../../assets/shared/words/time.js'

const HOUR = 3_600_000
const NOW = toMs('2026-11-20T14:31:58Z')

/** In the autumn of 2026 summer time ends on 25 October at 01:00 UTC. */
const BERLIN = 'Europe/Berlin'

const labels = (from: string, to: string, most: number) =>
  timeTicks({ from: toMs(from), to: toMs(to), most, zone: 'UTC' }).map(({ label }) => label)

t.test('labels are at round times, and a label at the beginning of a day names it', async t => {
  t.same(labels('2026-11-19T14:45:00Z', '2026-11-20T14:45:00Z', 9), [
    ...['15:00', '18:00', '21:00', 'Fri 20', '03:00', '06:00', '09:00', '12:00'],
  ])
  t.same(labels('2026-11-20T13:00:10Z', '2026-11-20T13:01:00Z', 4), ['13:00:15', '13:00:30', '13:00:45', '13:01:00'])
  t.same(labels('2026-10-24T12:00:00Z', '2026-11-20T12:00:00Z', 4), ['29 Oct', '5 Nov', '12 Nov', '19 Nov'])
  t.same(labels('2024-11-20T12:00:00Z', '2026-11-20T12:00:00Z', 5), ['2025', 'Jul', '2026', 'Jul'])
})

t.test('labels are local times, also on the day when clocks change', async t => {
  const ticks = timeTicks({
    from: toMs('2026-10-24T20:00:00Z'),
    to: toMs('2026-10-25T12:00:00Z'),
    most: 8,
    zone: BERLIN,
  })
  for (const { ms, label } of ticks) {
    const hour = new Date(ms + localOffset(ms, BERLIN)).toISOString().slice(11, 16)
    t.equal(label, hour === '00:00' ? 'Sun 25' : hour)
  }
  t.ok(ticks.length >= 5)
})

t.test('no label overlaps another', async () => {
  const range = fc.tuple(fc.integer({ min: 1, max: 4_000 * 24 * HOUR }), fc.integer({ min: 2, max: 20 }))
  fc.assert(
    fc.property(range, ([length, most]) => {
      const ticks = timeTicks({ from: NOW - length, to: NOW, most, zone: BERLIN })
      return ticks.length <= most + 1 && ticks.every(({ ms }) => ms >= NOW - length && ms <= NOW)
    }),
  )
})

t.test('a span is written in its shortest unambiguous form', async t => {
  const words = (from: string, to: string) => spanWords({ from: toMs(from), to: toMs(to) }, NOW, 'UTC')
  t.equal(words('2026-11-20T13:00:00Z', '2026-11-20T13:15:00Z'), 'Fri 13:00 – 13:15')
  t.equal(words('2026-11-19T22:00:00Z', '2026-11-20T04:00:00Z'), 'Thu 22:00 – Fri 04:00')
  t.equal(words('2026-11-19T22:00:00Z', '2026-11-20T00:00:00Z'), 'Thu 22:00 – 00:00')
  t.equal(words('2026-10-02T08:00:00Z', '2026-10-02T16:00:00Z'), 'Fri 2 Oct 08:00 – 16:00')
  t.equal(words('2026-11-19T00:00:00Z', '2026-11-20T00:00:00Z'), 'Thu 19 Nov')
  t.equal(words('2025-11-17T00:00:00Z', '2025-11-19T00:00:00Z'), 'Mon 17 Nov 2025 – Tue 18 Nov 2025')
  t.equal(words('2026-11-20T13:00:05Z', '2026-11-20T13:00:10Z'), 'Fri 13:00:05 – 13:00:10')
})

t.test('three grid lines at round heights enclose the highest bar', async t => {
  t.same(heightTicks(0), [0, 1, 2])
  t.same(heightTicks(38), [0, 20, 40])
  t.same(heightTicks(5), [0, 3, 6])
  t.same(heightTicks(901), [0, 500, 1000])
  fc.assert(
    fc.property(fc.nat(10_000_000), highest => {
      const [, half, top] = heightTicks(highest)
      return top >= highest && Number.isInteger(half) && top <= Math.max(2, highest * 2.5)
    }),
  )
  t.same([40, 1500, 2_000_000].map(heightLabel), ['40', '1.5K', '2M'])
})

t.test('bands of a bar are stacked with gaps, and every band that is not empty is visible', async t => {
  t.same(stackBands([3, 0, 1], { scale: 10, unit: 1 }), [
    { from: 0, to: 30 },
    { from: 31, to: 31 },
    { from: 31, to: 40 },
  ])
  t.same(stackBands([1, 1], { scale: 0.01, unit: 2 }), [
    { from: 0, to: 2 },
    { from: 4, to: 6 },
  ])
  fc.assert(
    fc.property(
      fc.array(fc.nat(1000), { maxLength: 5 }),
      fc.double({ min: 0, max: 50, noNaN: true }),
      (values, scale) => {
        let end = -1
        return stackBands(values, { scale, unit: 1 }).every(({ from, to }, at) => {
          const isFree = from > end || values[at] === 0
          if (values[at]) end = to
          return isFree && (values[at] === 0 ? from === to : to > from)
        })
      },
    ),
  )
})

t.test('a time zone is written as its offset from UTC', async t => {
  t.same([0, HOUR, -3.5 * HOUR, 5.75 * HOUR].map(offsetWords), ['UTC', 'UTC+1', 'UTC-3:30', 'UTC+5:45'])
})
