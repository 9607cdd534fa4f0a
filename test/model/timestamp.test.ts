import fc from 'fast-check'
import t from 'tap'
import { AppError } from '../../src/model/app-error.js'
import { readTimestamp, toTimestamp } from '../../src/model/timestamp.js'

t.test('a timestamp is read as UTC, rounded down to microseconds', async t => {
  const cases = [
    ['2026-11-20T13:00:00Z', '2026-11-20T13:00:00.000000Z'],
    ['2026-11-20t13:00z', '2026-11-20T13:00:00.000000Z'],
    ['2026-11-20T13:00:00.1234567899Z', '2026-11-20T13:00:00.123456Z'],
    ['2026-11-20T13:00:00.5+02:00', '2026-11-20T11:00:00.500000Z'],
    ['2026-01-01T00:30:00-05:30', '2026-01-01T06:00:00.000000Z'],
    ['2024-02-29T23:59:59.999999+00:00', '2024-02-29T23:59:59.999999Z'],
    ['0099-03-01T00:00:00Z', '0099-03-01T00:00:00.000000Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
  ] as const
  for (const [given, text] of cases) t.equal(readTimestamp('since', given).text, text)
})

t.test('text that is not an instant is refused with the reason', async t => {
  const cases: [unknown, RegExp][] = [
    ['2026-11-20T13:00:00', /has no zone/],
    ['2026-11-20', /has no zone/],
    ['2026-11-20T13:00:00 02:00', /"\+" arrived as a space: write it as %2B/],
    ['2026-02-30T00:00:00Z', /not a day/],
    ['2023-02-29T00:00:00Z', /not a day/],
    ['2026-13-01T00:00:00Z', /not a day/],
    ['2026-01-01T24:00:00Z', /impossible time/],
    ['2026-01-01T00:00:60Z', /impossible time/],
    ['2026-01-01T00:00:00+24:00', /impossible zone/],
    ['0000-01-01T00:00:00Z', /not a day/],
    ['0001-01-01T00:00:00+01:00', /years 1 to 9999/],
    ['9999-12-31T23:59:59-01:00', /years 1 to 9999/],
    ['foo 1Z', /timestamp with a zone/],
    ['2024Z', /timestamp with a zone/],
    ['', /timestamp with a zone/],
    [`2026-01-01T00:00:00.${'1'.repeat(60)}Z`, /timestamp with a zone/],
    [1_700_000_000, /timestamp with a zone/],
    [null, /timestamp with a zone/],
  ]
  for (const [given, message] of cases) {
    t.throws(
      () => readTimestamp('since', given),
      { category: 'invalid', code: 'invalid_timestamp', message },
      String(given),
    )
  }
})

t.test('an instant keeps its microseconds when it is rendered and read', async t => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9_000_000_000_000_000 }), micros => {
      t.equal(readTimestamp('x', toTimestamp(micros)).micros, micros)
    }),
    { numRuns: 200 },
  )
})

t.test('every day is rendered as in the calendar', async t => {
  fc.assert(
    fc.property(fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }), seconds => {
      return toTimestamp(seconds * 1_000_000).slice(0, 19) === new Date(seconds * 1000).toISOString().slice(0, 19)
    }),
    { numRuns: 2_000 },
  )
  t.pass()
})

t.test('text order is time order', async t => {
  const instant = fc.integer({ min: 0, max: 9_000_000_000_000_000 })
  fc.assert(fc.property(instant, instant, (left, right) => toTimestamp(left) < toTimestamp(right) === left < right))
  t.pass()
})

t.test('any text is either an instant or refused', async t => {
  fc.assert(
    fc.property(fc.string(), text => {
      try {
        readTimestamp('x', text)
      } catch (error) {
        t.type(error, AppError)
      }
    }),
  )
  t.pass()
})
