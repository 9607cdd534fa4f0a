import t from 'tap'
import { CaptureSchedule, type CaptureScheduleParts } from '../../../src/runtime/capture/capture-schedule.js'
import { startGitHub } from '../../support/history-servers/github-server.js'
import { closing } from '../../support/history-servers/rest-server.js'
import { sampleRepository } from '../../support/history-servers/sample-repository.js'
import { until } from '../../support/until.js'
import { allEvents } from './capture-rig.js'
import { pollRig } from './poll-rig.js'

t.test('an outage of a platform is reported once, and polls continue after it', async t => {
  const rig = await pollRig(t)
  let status = 503
  const server = closing(
    t,
    await startGitHub(sampleRepository(), { fault: () => (status === 200 ? undefined : { status }) }),
  )
  const log: unknown[][] = []
  const write = (level: string) => (about: Record<string, unknown>, text: string) =>
    void log.push([level, about.subscription_id, about.code, text])
  const logger = { info: write('info'), warn: write('warn'), error: write('error') }
  rig.at(100)
  const schedule = new CaptureSchedule({
    captures: rig.captures,
    account: { source: 'code_a', baseUrl: server.url },
    logger: logger as unknown as CaptureScheduleParts['logger'],
    checkMs: 50,
  })
  t.teardown(() => schedule.stop())
  const failures = async () => (await rig.ledger.getSubscription('engine')).capture?.failures ?? 0
  for (const count of [1, 2]) {
    await until(async () => (await failures()) >= count)
    rig.at(100 + count * 30)
  }
  status = 200
  await until(async () => (await failures()) === 0 && (await allEvents(rig.ledger)).length === 13)
  await until(() => log.length === 3)
  t.same(log, [
    ['warn', 'engine', 'platform_unavailable', 'capture failed'],
    ['info', 'engine', undefined, 'capture works again'],
    ['info', 'engine', undefined, 'captured'],
  ])
})
