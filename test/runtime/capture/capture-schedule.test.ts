import t, { type Test } from 'tap'
import { AppError } from '../../../src/model/app-error.js'
import { toFailure } from '../../../src/model/failure.js'
import type { CaptureResult, WatchCapture } from '../../../src/model/subscriptions/capture.js'
import { CaptureSchedule, type CaptureScheduleParts } from '../../../src/runtime/capture/capture-schedule.js'
import { until } from '../../support/until.js'

const CHAT = { site: 'https://chat.example.org', email: 'bot@example.org', api_key: 'hunter2' }
const COUNTS = { messages: 0, created: 0, duplicates: 0, last_cursor: null }

function failed(id: string, code: string): WatchCapture {
  const error = toFailure(new AppError('unavailable', code, `Because of ${code}.`))
  return { subscription_id: id, outcome: 'failed', ...COUNTS, error }
}

function captured(id: string, messages: number): WatchCapture {
  return { subscription_id: id, outcome: 'captured', ...COUNTS, messages, created: messages }
}

/** A schedule whose rounds have these results in order, and then find no due watch. */
function schedule(t: Test, results: (CaptureResult | Error)[]) {
  const log: [level: string, about: Record<string, unknown>, text: string][] = []
  let looks = 0
  const run: CaptureScheduleParts['captures']['run'] = async () => {
    looks += 1
    const result = results.shift() ?? { captures: [], left: 0 }
    if (result instanceof Error) throw result
    return result
  }
  const write = (level: string) => (about: Record<string, unknown>, text: string) => void log.push([level, about, text])
  const logger = { info: write('info'), warn: write('warn'), error: write('error') }
  const started = new CaptureSchedule({
    captures: { run, runAlone: (_, round) => round() },
    account: CHAT,
    logger: logger as unknown as CaptureScheduleParts['logger'],
    checkMs: 5,
  })
  t.teardown(() => started.stop())
  return { log, looks: () => looks, stop: () => started.stop() }
}

t.test('a problem is logged once, and again when it changes or ends', async t => {
  const one = (capture: WatchCapture) => ({ captures: [capture], left: 0 })
  const { log, looks } = schedule(t, [
    one(failed('a', 'chat_timeout')),
    one(failed('a', 'chat_timeout')),
    one(failed('a', 'chat_unavailable')),
    one(captured('a', 2)),
    one(captured('a', 0)),
  ])
  await until(() => looks() > 6)
  t.same(
    log.map(([level, { code, subscription_id, messages }, text]) => [level, subscription_id, code ?? messages, text]),
    [
      ['warn', 'a', 'chat_timeout', 'capture failed'],
      ['warn', 'a', 'chat_unavailable', 'capture failed'],
      ['info', 'a', undefined, 'capture works again'],
      ['info', 'a', 2, 'captured'],
    ],
  )
  t.notMatch(JSON.stringify(log), /hunter2/)
})

t.test('the schedule reports a watch that starts from the beginning on another chat server', async t => {
  const capture = { ...captured('a', 0), previous_host: 'old.example.org' }
  const { log } = schedule(t, [{ captures: [capture], left: 0 }])
  await until(() => log.length > 0)
  t.match(log, [['warn', { subscription_id: 'a', previous_host: 'old.example.org' }, /starts from the beginning/]])
})

t.test('a failure that affects every watch is not retried immediately', async t => {
  const { looks } = schedule(t, [{ captures: [failed('a', 'chat_unreachable')], left: 3 }])
  await until(() => looks() === 1)
  await new Promise(resolve => setTimeout(resolve, 50))
  t.equal(looks(), 1)
})

t.test('a defect is logged as a defect, and the schedule continues', async t => {
  const { log } = schedule(t, [new TypeError('undefined is not a message')])
  await until(() => log.length > 0)
  t.match(log, [['error', { err: { message: 'undefined is not a message' } }, 'capture failed']])
})

t.test('a schedule stops immediately while it sleeps, or after the page that is being recorded', async t => {
  const { looks, stop } = schedule(t, [])
  await until(() => looks() > 0)
  await stop()
  const looked = looks()
  await new Promise(resolve => setTimeout(resolve, 30))
  t.equal(looks(), looked)

  let recorded = false
  const run: CaptureScheduleParts['captures']['run'] = async (_, call) => {
    await new Promise(resolve => call?.signal?.addEventListener('abort', resolve))
    await new Promise(resolve => setTimeout(resolve, 30))
    recorded = true
    throw call?.signal?.reason
  }
  const logger = { info: t.fail, warn: t.fail, error: t.fail } as unknown as CaptureScheduleParts['logger']
  const busy = new CaptureSchedule({
    captures: { run, runAlone: (_, round) => round() },
    account: CHAT,
    logger,
    checkMs: 5,
  })
  await busy.stop()
  t.ok(recorded)
})
