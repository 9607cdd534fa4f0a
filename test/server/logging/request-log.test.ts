import { pino } from 'pino'
import t from 'tap'
import { logRequest } from '../../../src/server/logging/request-log.js'

/** The level of the line for an answer that ended with this error. */
function levelOf(error: Error, statusCode = 200): string | undefined {
  const lines: string[] = []
  const logger = pino(
    { level: 'trace', formatters: { level: level => ({ level }) } },
    { write: line => lines.push(line) },
  )
  const parts = { logsAll: false, notable: new Set<string>(), address: () => '127.0.0.1', who: () => ({}) }
  const req = { requestId: 'r', headers: {}, method: 'GET', url: '/api/export', receivedAt: 0 }
  logRequest(logger, parts as never, { req, res: { statusCode }, error } as never)
  return JSON.parse(lines[0] ?? '{}').level
}

t.test('a reader that leaves an answer is no failure, and another error during the answer is one', async t => {
  t.equal(levelOf(new DOMException('This operation was aborted', 'AbortError')), 'debug')
  t.equal(levelOf(new Error('The disk is gone.')), 'error')
  t.equal(levelOf(new DOMException('This operation was aborted', 'AbortError'), 500), 'error')
})
