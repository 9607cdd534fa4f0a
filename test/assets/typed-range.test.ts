import fc from 'fast-check'
import t from 'tap'
import { relativeRange, relativeWords, rollingRange } from '../../assets/observatory/events/filters/relative-range.js'
import { readRange } from '../../assets/observatory/events/filters/typed-range.js'
import { clockTime, dayOf, fromMs, toMs } from '../../assets/shared/words/time.js'

const BERLIN = 'Europe/Berlin'
/** A Friday, 15:31 in Berlin. */
const NOW = toMs('2026-11-20T14:31:58Z')
const MINUTE = 60_000

const read = (text: string, zone = 'UTC') => readRange(text, { now: NOW, zone })
const range = (from: string, to: string) => ({ from: `2026-${from}:00.000000Z`, to: `2026-${to}:59.999999Z` })

t.test('ranges are read in the forms that people type', async t => {
  const cases: [string, unknown][] = [
    ['yesterday 14:00–15:00', range('11-19T14:00', '11-19T14:59')],
    ['yesterday 14:00-15:00', range('11-19T14:00', '11-19T14:59')],
    ['  From Yesterday 14:00  until 15:00 ', range('11-19T14:00', '11-19T14:59')],
    ['2026-11-20 14:00 to 15:30', range('11-20T14:00', '11-20T15:29')],
    ['2026-11-20T14:00 – 2026-11-20T15:30', range('11-20T14:00', '11-20T15:29')],
    ['9:05-9:10', range('11-20T09:05', '11-20T09:09')],
    ['yesterday 22:00..2:00', range('11-19T22:00', '11-20T01:59')],
    ['wed 22:00 to thu 2:00', range('11-18T22:00', '11-19T01:59')],
    ['3 nov 8:00 - 4 Nov 2026 24:00', range('11-03T08:00', '11-04T23:59')],
    ['friday', range('11-20T00:00', '11-20T23:59')],
    ['2026-11-16 to 2026-11-18', range('11-16T00:00', '11-18T23:59')],
    ['24 dec', { from: '2025-12-24T00:00:00.000000Z', to: '2025-12-24T23:59:59.999999Z' }],
    ['14:00:05 to 14:00:06', { from: '2026-11-20T14:00:05.000000Z', to: '2026-11-20T14:00:05.999999Z' }],
    ['since 9:00', { from: '2026-11-20T09:00:00.000000Z', to: '' }],
    ['9:00 to now', { from: '2026-11-20T09:00:00.000000Z', to: '' }],
    ['to 9:00', { from: '', to: '2026-11-20T08:59:59.999999Z' }],
    ['today', { last: 'today' }],
    ['Yesterday', { last: 'yesterday' }],
    ['last 3 hours', { last: '3h' }],
    ['90 min', { last: '90m' }],
    ['last hour', { last: '1h' }],
    ['past 48 h', { days: 2 }],
    ['last 2 weeks', { days: 14 }],
  ]
  for (const [text, expected] of cases) t.same(read(text), expected, text)
})

t.test('an instant with a zone keeps its zone and every digit, and is included as an end', async t => {
  t.same(read('2026-11-20T14:00:00.123456Z to 2026-11-20T10:00:00-05:00', BERLIN), {
    from: '2026-11-20T14:00:00.123456Z',
    to: '2026-11-20T15:00:00.000000Z',
  })
})

t.test('times are read in the selected zone, also on days when clocks change', async t => {
  t.same(read('yesterday 14:00–15:00', BERLIN), range('11-19T13:00', '11-19T13:59'))
  t.same(read('2026-10-25', BERLIN), range('10-24T22:00', '10-25T22:59'), 'a day of 25 hours')
  t.same(read('2026-03-28 23:00 to 4:00', BERLIN), range('03-28T22:00', '03-29T01:59'), 'a night without 02:30')
})

t.test('the last days of the year 9999 are read if their instants have years of four digits', async t => {
  const last = { from: '9999-12-31T00:00:00.000000Z', to: '9999-12-31T23:59:59.999999Z' }
  t.same(read('9999-12-31'), last)
  t.match(read('9999-12-31', 'Pacific/Kiritimati'), { to: '9999-12-31T09:59:59.999999Z' })
  for (const text of ['9999-12-31', 'to 9999-12-31', 'since 9999-12-31 23:00', '9999-12-31T23:00:00-05:00 to now']) {
    t.equal(read(text, 'America/Santiago'), undefined, text)
  }
})

t.test('text that is not a range is not read', async t => {
  const none = ['', ' ', 'to', '14:00', 'yesterday 14:00', '2026-13-01', '2026-02-30', '31 nov', '25:00 to 26:00']
  none.push('15:60 to 16:00', 'now', 'now to now', '9:00 to 10:00 to 11:00', 'last 0 hours', 'last 99999 weeks', 'm 3')
  none.push('2026-11-20 15:00 to 2026-11-20 14:00', 'since tomorrow', '9:00 to x', 'x to 9:00', 'since 15:00 to now')
  for (const text of none) t.equal(read(text), undefined, text)
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), text => void read(text)))
})

t.test('any two minutes that are written in a zone are read in that zone', async () => {
  const minute = fc.integer({ min: 0, max: 20_000_000 }).map(minutes => toMs('2000-01-01T00:00:00Z') + minutes * MINUTE)
  const zones = fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Kiritimati')
  fc.assert(
    fc.property(minute, minute, zones, (one, other, zone) => {
      const [from = 0, to = 0] = [one, other].sort((a, b) => a - b)
      const written = (ms: number) => `${dayOf(fromMs(ms), zone)} ${clockTime(fromMs(ms), zone)}`
      const found = read(`${written(from)} to ${written(to)}`, zone)
      // An hour that occurs twice is read as one of both.
      const isOf = (instant: string | undefined, ms: number) => written(toMs(instant ?? '')) === written(ms)
      return from === to ? found === undefined : isOf(found?.from, from) && isOf(fromMs(toMs(found?.to ?? '') + 1), to)
    }),
  )
})

t.test('a relative range ends now, and a day begins at midnight in the selected zone', async t => {
  const now = fromMs(NOW)
  t.same(relativeRange('15m', NOW), { from: '2026-11-20T14:16:58.000000Z', to: now, isOpen: true })
  t.same(relativeRange('6h', NOW), { from: '2026-11-20T08:31:58.000000Z', to: now, isOpen: true })
  t.same(relativeRange('today', NOW, BERLIN), { from: '2026-11-19T23:00:00.000000Z', to: now, isOpen: true })
  t.same(relativeRange('yesterday', NOW, BERLIN), {
    from: '2026-11-18T23:00:00.000000Z',
    to: '2026-11-19T22:59:59.999999Z',
    isOpen: false,
  })
})

t.test('a length of whole minutes has a name, which reads as the same length', async t => {
  t.same(
    [15, 60, 90, 1440].map(minutes => rollingRange(minutes * MINUTE)),
    [...[{ last: '15m' }, { last: '1h' }, { last: '90m' }, { days: 1 }]],
  )
  t.same([0, 20_000, 3651 * 1440 * MINUTE].map(rollingRange), [undefined, undefined, undefined])
  t.same(
    ['15m', '1h', 'today'].map(last => relativeWords({ last })),
    ['last 15 minutes', 'last hour', 'today'],
  )
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 99_999 }), minutes => {
      const found = rollingRange(minutes * MINUTE)
      t.same(read(relativeWords(found ?? {})), found)
    }),
  )
})
