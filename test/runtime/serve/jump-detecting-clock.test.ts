import t from 'tap'
import { readTimestamp } from '../../../src/model/timestamp.js'
import { jumpDetectingClock } from '../../../src/runtime/serve/jump-detecting-clock.js'

const HOUR = 3_600_000_000
const NOW = readTimestamp('now', '2031-05-04T09:00:00Z').micros

function watched() {
  const time = { wall: NOW, elapsed: 5 }
  const entries: object[] = []
  const clock = jumpDetectingClock({
    wall: () => time.wall,
    elapsed: () => time.elapsed,
    logger: { error: (line: object) => entries.push(line) },
  })
  return { time, entries, clock }
}

t.test('a clock that advances normally is not reported, even after a long time without a reading', async t => {
  const { time, entries, clock } = watched()
  t.equal(clock(), NOW)
  time.wall += 2_000 * HOUR
  time.elapsed += 2_000 * HOUR - 1_000
  t.equal(clock(), NOW + 2_000 * HOUR)
  t.same(entries, [])
})

t.test('a jump by more than a day, forward or back, is reported once', async t => {
  const { time, entries, clock } = watched()
  time.wall += 24 * HOUR
  clock()
  t.same(entries, [], 'a day is not more than a day')
  time.wall += 48 * HOUR
  t.equal(clock(), NOW + 72 * HOUR, 'the time is given as it is')
  clock()
  t.match(entries, [{ jumped_hours: 48, now: '2031-05-07T09:00:00.000000Z', detail: /correct the clock now/ }])
  time.wall -= 72 * HOUR
  clock()
  t.match(entries[1], { jumped_hours: -72, detail: /one microsecond after/ })
  t.equal(entries.length, 2)
})
