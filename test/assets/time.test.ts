import fc from 'fast-check'
import t from 'tap'
import {
  clockTime,
  dateWords,
  dayHeading,
  dayOf,
  duration,
  exactTime,
  fromLocal,
  fromMs,
  localOffset,
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

t.test('clock times, days and headings are in the selected zone', async t => {
  t.same([clockTime(AT, BERLIN), shortTime(AT, 'UTC')], ['00:31:58', '23:31'])
  t.same([dayOf(AT, BERLIN), dayOf(AT, 'UTC')], ['2026-11-21', '2026-11-20'])
  t.equal(dayHeading('2026-11-20', NOW), 'Friday 20 November')
  t.equal(dayHeading('2025-11-20', NOW), 'Thursday 20 November 2025')
  t.equal(dayHeading('2026-12-31', toMs('2026-12-31T23:30:00Z'), BERLIN), 'Thursday 31 December 2026')
})

t.test('a time is shown as an age up to one day, and after that as a date', async t => {
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

t.test('text that is not an instant is shown unchanged', async t => {
  t.same([clockTime('nonsense'), relativeTime('nonsense', NOW)], ['nonsense', 'nonsense'])
})

t.test(
  'a day has a year of four digits, so that a date can be read from it; later years are written as ISO 8601 does',
  async t => {
    t.equal(dayOf('0026-11-20T12:00:00Z', 'UTC'), '0026-11-20')
    t.equal(dayOf('9999-12-31T23:30:00Z', BERLIN), '+010000-01-01')
    for (const year of [2, 20, 202, 9999]) {
      const local = toMs(`${String(year).padStart(4, '0')}-12-31T23:30:00Z`)
      for (const zone of [BERLIN, 'America/Santiago', 'UTC']) t.equal(toLocal(fromLocal(local, zone), zone), local)
    }
  },
)

t.test('a local time that a change of clocks skips is moved forward, never to the day before', async t => {
  const skipped: [string, string, string][] = [
    ['America/Santiago', '2026-09-06T00:00', '2026-09-06T01:00'],
    ['Atlantic/Azores', '2026-03-29T00:00', '2026-03-29T01:00'],
    ['Africa/Cairo', '2026-04-24T00:00', '2026-04-24T01:00'],
    [BERLIN, '2026-03-29T02:30', '2026-03-29T03:30'],
    ['Pacific/Apia', '2011-12-30T00:00', '2011-12-31T00:00'],
  ]
  for (const [zone, local, moved] of skipped) {
    t.equal(fromMs(toLocal(fromLocal(toMs(`${local}Z`), zone), zone)).slice(0, 16), moved, zone)
  }
})

t.test(
  'an existing local time is read as an instant with that local time, and no local time as an earlier one',
  async () => {
    const zones = fc.constantFrom(
      ...[BERLIN, 'America/Santiago', 'Atlantic/Azores', 'Pacific/Apia', 'Australia/Lord_Howe'],
    )
    const days = fc.integer({ min: 0, max: 30_000 })
    const minutes = fc.integer({ min: 0, max: 1_439 })
    fc.assert(
      fc.property(zones, days, minutes, (zone, day, minute) => {
        const ms = (day * 1_440 + minute) * 60_000
        const local = toLocal(ms, zone)
        return toLocal(fromLocal(local, zone), zone) === local && toLocal(fromLocal(ms, zone), zone) >= ms
      }),
      { numRuns: 2_000 },
    )
  },
)

function toLocal(ms: number, zone: string): number {
  return ms + localOffset(ms, zone)
}
