import t from 'tap'
import { AppError, type ErrorCategory } from '../../../src/model/app-error.js'
import { HTTP_STATUS, toProblemReply } from '../../../src/server/answer/problem.js'

const EXPECTED: Record<ErrorCategory, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  outdated: 412,
  too_large: 413,
  unsupported_type: 415,
  misdirected: 421,
  throttled: 429,
  headers_too_large: 431,
  unavailable: 503,
  configuration: 500,
  internal: 500,
}

t.test('every category of failure has its status', async t => t.same(HTTP_STATUS, EXPECTED))

t.test('a problem names the failure, its reason and the fields', async t => {
  const errors = [{ field: '/actor/id', detail: '/actor/id must be string.' }]
  const error = new AppError('invalid', 'invalid_field', 'It is wrong.', { hint: 'Do better.', errors })
  const reply = toProblemReply(error, 'id-1')
  t.match(reply, { status: 400, type: 'application/problem+json', headers: { length: 0 } })
  t.same(JSON.parse(String(reply.body)), {
    type: 'about:blank',
    title: 'Bad Request',
    status: 400,
    code: 'invalid_field',
    detail: 'It is wrong. Do better.',
    errors,
  })
})

t.test('throttled answers have Retry-After, unauthenticated ones WWW-Authenticate', async t => {
  const headers = (category: ErrorCategory, retryAfterSeconds?: number) =>
    toProblemReply(new AppError(category, 'a', 'b', retryAfterSeconds === undefined ? {} : { retryAfterSeconds }), 'id')
      .headers
  t.same(headers('throttled', 12.2), ['Retry-After', '13'])
  t.same(headers('unavailable'), ['Retry-After', '5'])
  t.same(headers('unauthenticated'), ['WWW-Authenticate', 'Bearer'])
  t.same(headers('forbidden'), [])
})

t.test('a defect, and a failure that only the operator can repair, show only their request id', async t => {
  const failures = [
    new TypeError('secret'),
    'secret',
    null,
    new AppError('internal', 'secret', 'secret'),
    new AppError('configuration', 'secret', 'secret'),
  ]
  for (const failure of failures) {
    const reply = toProblemReply(failure, 'id-7')
    t.equal(reply.status, 500)
    t.notMatch(reply.body, /secret/)
    t.match(JSON.parse(String(reply.body)), { code: 'internal', request_id: 'id-7' })
  }
})
