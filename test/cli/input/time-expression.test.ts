import t from 'tap'
import { readDuration, readTime } from '../../../src/cli/input/time-expression.js'

const NOW = Date.UTC(2031, 4, 4, 9, 30, 15)
const read = (text: string) => readTime('--since', text, { isLocal: false, now: NOW })

const times: [written: string, time: string][] = [
  ['now', '2031-05-04T09:30:15.000000Z'],
  ['90s', '2031-05-04T09:28:45.000000Z'],
  ['15m', '2031-05-04T09:15:15.000000Z'],
  ['1h30m', '2031-05-04T08:00:15.000000Z'],
  ['7d', '2031-04-27T09:30:15.000000Z'],
  ['2w', '2031-04-20T09:30:15.000000Z'],
  ['today', '2031-05-04T00:00:00.000000Z'],
  ['yesterday', '2031-05-03T00:00:00.000000Z'],
  ['2026-11-20', '2026-11-20T00:00:00.000000Z'],
  ['2026-11-20 09:30', '2026-11-20T09:30:00.000000Z'],
  ['2026-11-20T09:30:15', '2026-11-20T09:30:15.000000Z'],
  ['2026-11-20T09:30:15.123456Z', '2026-11-20T09:30:15.123456Z'],
  ['2026-11-20T09:30:15+02:00', '2026-11-20T09:30:15+02:00'],
]
for (const [written, time] of times) {
  t.test(`"${written}" is ${time}`, async t => t.equal(read(written), time))
}

t.test('a day of this machine begins at its midnight', async t => {
  const local = (text: string) => Date.parse(readTime('--since', text, { isLocal: true, now: NOW }))
  t.equal(local('2026-11-20'), new Date(2026, 10, 20).getTime())
  t.equal(local('2026-11-20 09:30'), new Date(2026, 10, 20, 9, 30).getTime())
  const { year, month, day } = {
    year: new Date(NOW).getFullYear(),
    month: new Date(NOW).getMonth(),
    day: new Date(NOW).getDate(),
  }
  t.equal(local('yesterday'), new Date(year, month, day - 1).getTime())
  t.equal(local('1h'), NOW - 3_600_000, 'a duration has no zone')
})

t.test('anything other than a time is refused, with examples', async t => {
  for (const text of [
    '',
    '1',
    'h',
    '1y',
    '-1h',
    'tomorrow',
    '2026-02-30',
    '2026-13-01',
    '20.11.2026',
    '2026-11-20T25:00',
  ])
    t.throws(
      () => read(text),
      { code: 'wrong_usage', message: /^--since is not a time: .* Write it like 1h, yesterday/ },
      text,
    )
})

t.test('an age is a duration', async t => {
  t.equal(readDuration('--max-age', '15m'), 900)
  t.equal(readDuration('--max-age', '1d12h'), 129_600)
  t.throws(() => readDuration('--max-age', 'yesterday'), { code: 'wrong_usage' })
})
