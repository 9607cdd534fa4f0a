import t from 'tap'
import {
  clockTime,
  dateWords,
  dayHeading,
  dayOf,
  duration,
  exactTime,
  fromMs,
  relativeTime,
  shortTime,
  toMs,
} from '../../assets/shared/words/time.js'

const AT = '2026-11-20T23:31:58.204117Z'
const BERLIN = 'Europe/Berlin'
const NOW = toMs('2026-11-21T12:00:00Z')

t.test('the exact time keeps all six digits, in the local zone and in UTC', async t => {
  t.equal(exactTime(AT, BERLIN), 'Saturday 21 November 2026, 00:31:58.204117 CET\n2026-11-20 23:31:58.204117 UTC')
  t.match(exactTime('2026-11-20T23:31:58.000001Z', 'UTC'), '23:31:58.000001 UTC')
})

t.test('clock, day and heading are those of the zone', async t => {
  t.same([clockTime(AT, BERLIN), shortTime(AT, 'UTC')], ['00:31:58', '23:31'])
  t.same([dayOf(AT, BERLIN), dayOf(AT, 'UTC')], ['2026-11-21', '2026-11-20'])
  t.equal(dayHeading('2026-11-20', NOW), 'Friday 20 November')
  t.equal(dayHeading('2025-11-20', NOW), 'Thursday 20 November 2025')
  t.equal(dayHeading('2026-12-31', toMs('2026-12-31T23:30:00Z'), BERLIN), 'Thursday 31 December 2026')
})

t.test('time is relative up to a day, then it is the date', async t => {
  const ago = (ms: number) => relativeTime(fromMs(NOW - ms), NOW, 'UTC')
  const cases: [number, string][] = [
    [0, 'just now'],
    [59_000, 'just now'],
    [120_000, '2\u202fmin ago'],
    [3 * 3_600_000 + 59 * 60_000, '3\u202fh ago'],
    [86_399_999, '23\u202fh ago'],
    [86_400_000, '20 Nov'],
    [400 * 86_400_000, '17 Oct 2025'],
    [-10_000, 'just now'],
    [-30_000, 'in less than a minute'],
    [-120_000, 'in 2\u202fmin'],
  ]
  for (const [ms, words] of cases) t.equal(ago(ms), words)
  t.equal(dateWords('2026-09-03T12:00:00Z', NOW, 'UTC'), '3 Sep')
})

t.test('a duration is cut to its largest units', async t => {
  const cases: [number, string][] = [
    [0, '0 s'],
    [999, '0 s'],
    [8_900, '8 s'],
    [47 * 60_000, '47 min'],
    [132 * 60_000, '2 h 12 min'],
    [2 * 3_600_000, '2 h'],
    [49 * 3_600_000, '2 d 1 h'],
    [-5, '0 s'],
  ]
  for (const [ms, words] of cases) t.equal(duration(ms).replaceAll('\u202f', ' '), words)
})

t.test('anything other than an instant is shown as it came', async t => {
  t.same([clockTime('nonsense'), relativeTime('nonsense', NOW)], ['nonsense', 'nonsense'])
})
