import t from 'tap'
import { exitCodeOf } from '../../src/cli/exit-codes.js'
import { toReport } from '../../src/cli/report.js'
import { AppError, type ErrorCategory } from '../../src/model/app-error.js'

const PEOPLE = { json: false, stacks: false }

const EXPECTED: Record<ErrorCategory, number> = {
  internal: 1,
  invalid: 2,
  too_large: 2,
  unsupported_type: 2,
  not_found: 3,
  unauthenticated: 4,
  forbidden: 4,
  conflict: 5,
  gone: 3,
  outdated: 5,
  headers_too_large: 2,
  misdirected: 78,
  unavailable: 75,
  throttled: 75,
  configuration: 78,
}
for (const [category, exitCode] of Object.entries(EXPECTED) as [ErrorCategory, number][]) {
  t.test(`a failure that is ${category} ends with ${exitCode}`, async t => {
    t.equal(exitCodeOf(new AppError(category, 'some_code', 'x')), exitCode)
  })
}

t.test('a missing ledger and a busy one have different exit codes', async t => {
  t.equal(exitCodeOf(new AppError('unavailable', 'server_unreachable', 'x')), 69)
  t.equal(exitCodeOf(new AppError('unavailable', 'not_a_ledger', 'x')), 69)
  t.equal(exitCodeOf(new AppError('unavailable', 'server_timeout', 'x')), 75)
})

t.test('an expected failure is one line, and one for each field', async t => {
  const plain = new AppError('not_found', 'event_unknown', 'No event has the key "x".')
  t.same(toReport(plain, PEOPLE), { exitCode: 3, err: 'No event has the key "x".' })
  const errors = [
    { field: 'EVENT_PORT', detail: 'EVENT_PORT "x" is not a number.' },
    { field: '/actor/id', detail: 'must be a string.' },
    { field: '', detail: 'It is not an object.' },
  ]
  const several = new AppError('configuration', 'settings_invalid', '3 settings are invalid.', { errors })
  t.equal(
    toReport(several, PEOPLE).err,
    [
      '3 settings are invalid.',
      '  EVENT_PORT "x" is not a number.',
      '  /actor/id: must be a string.',
      '  It is not an object.',
    ].join('\n'),
  )
})

t.test('a problem that is the whole message is not repeated', async t => {
  const errors = [{ field: 'limit', detail: 'limit is not a number.' }]
  t.equal(
    toReport(new AppError('invalid', 'invalid_field', 'limit is not a number.', { errors }), PEOPLE).err,
    'limit is not a number.',
  )
})

t.test('a report lists a bounded number of problems', async t => {
  const errors = Array.from({ length: 5000 }, (_, i) => ({ field: `/${i}`, detail: 'is wrong' }))
  const lines = toReport(new AppError('invalid', 'invalid_field', 'Many.', { errors }), PEOPLE).err?.split('\n') ?? []
  t.equal(lines.length, 52)
  t.equal(lines.at(-1), '  … and 4950 more.')
})

t.test('a message of a server cannot control the terminal', async t => {
  const errors = [{ field: '/\x1b[2J', detail: 'a\nb\x07' }]
  const { err } = toReport(new AppError('invalid', 'x', 'Hello\x1b]0;owned\x07\r\nthere.', { errors }), PEOPLE)
  t.equal(err, 'Hello there.\n  /: a b')
})

t.test('with --json, a failure is JSON on standard output', async t => {
  const errors = [{ field: '/kind', detail: 'is missing' }]
  const { exitCode, out, err } = toReport(new AppError('invalid', 'invalid_field', 'No.', { errors }), {
    json: true,
    stacks: false,
  })
  t.equal(exitCode, 2)
  t.equal(err, undefined)
  t.notMatch(out, /\n/)
  t.same(JSON.parse(out ?? ''), { error: { code: 'invalid_field', detail: 'No.', errors } })
})

t.test('a defect is reported in one short line, regardless of the length of its message', async t => {
  const defect = new TypeError(`x is not a function\n${'minified;'.repeat(10_000)}`)
  const { exitCode, err = '' } = toReport(defect, PEOPLE)
  t.equal(exitCode, 1)
  t.match(err, /^Internal error in daybook \(TypeError: x is not a function\)\./)
  t.notMatch(err, /\n|minified/)
  const long = toReport(new Error('minified;'.repeat(10_000)), PEOPLE).err ?? ''
  t.ok(long.length < 500)
  t.equal(toReport('a string', PEOPLE).exitCode, 1)
  t.equal(toReport(undefined, PEOPLE).exitCode, 1)
})

t.test('a defect is reported with its stack if stacks are requested', async t => {
  const { err } = toReport(new TypeError('oops'), { json: false, stacks: true })
  t.match(err, /report\.test/)
  const { out, err: stack } = toReport(new TypeError('oops'), { json: true, stacks: true })
  t.match(JSON.parse(out ?? ''), { error: { code: 'internal' } })
  t.match(stack, /report\.test/)
})
