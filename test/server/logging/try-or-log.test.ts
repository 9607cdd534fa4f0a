import pino from 'pino'
import { Counter, Histogram } from 'prom-client'
import t, { type Test } from 'tap'
import { until } from '../../support/until.js'
import { message, serve } from '../serve.js'

/** A logger whose lines cannot be serialised once they have members. */
function brokenLogger() {
  const lines: string[] = []
  const throws = () => {
    throw new Error('a serializer failed')
  }
  const logger = pino(
    { level: 'debug', serializers: { method: throws, err: throws } },
    { write: line => lines.push(line) },
  )
  return { lines, logger }
}

/** Every call of this method throws until the test ends. */
function breakMethod(t: Test, prototype: object, method: string) {
  const original = Object.getOwnPropertyDescriptor(prototype, method)
  Object.defineProperty(prototype, method, {
    configurable: true,
    value: () => {
      throw new Error('a collector failed')
    },
  })
  t.teardown(() => {
    if (original) Object.defineProperty(prototype, method, original)
    else Reflect.deleteProperty(prototype, method)
  })
}

t.test('a log line that cannot be written does not affect the answer', async t => {
  const { lines, logger } = brokenLogger()
  const { post, request, ledger } = await serve(t, { logger })
  t.equal((await post('/api/events', message(1))).status, 201)
  ledger.failure = new Error('a defect')
  t.equal((await request('/api/events')).status, 500)
  t.match(lines.at(-1), 'something could not be logged: a serializer failed')
})

t.test('a logger that always throws does not affect the answer', async t => {
  const broken = () => {
    throw new Error('no log')
  }
  const warnings: string[] = []
  const warned = ({ message }: Error) => void warnings.push(message)
  process.on('warning', warned)
  t.teardown(() => process.off('warning', warned))
  const { request } = await serve(t, { logger: pino({ level: 'debug' }, { write: broken }) })
  t.equal((await request('/api/health')).status, 200)
  // Others may warn in this process too.
  await until(() => warnings.some(text => /something could not be logged: no log/.test(text)))
  t.pass('it is reported as a warning of the process')
})

t.test('failing metrics do not affect the answer', async t => {
  const { post, request, log } = await serve(t)
  breakMethod(t, Histogram.prototype, 'labels')
  breakMethod(t, Counter.prototype, 'labels')
  t.match(await post('/api/events', message(1)), { status: 201, body: { created: true } })
  t.equal((await request('/nowhere')).status, 404)
  const messages = log.map(({ msg }) => msg)
  t.ok(messages.includes('something could not be counted: a collector failed'))
  t.ok(messages.includes('something could not be measured: a collector failed'))
})

t.test('a metric that cannot be collected is left out of the answer, and the others are in it', async t => {
  const { post, request, log } = await serve(t)
  await post('/api/events', message(1))
  breakMethod(t, Histogram.prototype, 'get')
  breakMethod(t, Histogram.prototype, 'getForPromString')
  const { status, text } = await request('/metrics')
  t.equal(status, 200)
  t.match(text, 'daybook_deliveries_total{route="api",result="created"} 1')
  t.notMatch(text, 'daybook_http_request_duration_seconds')
  const messages = log.map(({ msg }) => msg)
  t.ok(
    messages.includes('something could not be collected (daybook_http_request_duration_seconds): a collector failed'),
  )
})
