import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import t, { type Test } from 'tap'
import { type ConsumePlan, consume, type Work } from '../../src/client/consume/consume.js'
import { runCommand } from '../../src/client/consume/run-command.js'
import { LedgerClient } from '../../src/client/ledger-client.js'
import type { AckBody, Batch, ConsumerCalls } from '../../src/client/library/consumer-reader.js'
import { type ConsumerOptions, runConsumer } from '../../src/client/library/run-consumer.js'
import { runs } from '../board/executor-rig.js'
import { serveConsumers } from '../server/consumers/serve-consumers.js'
import { testFolder } from '../support/test-folder.js'
import { until } from '../support/until.js'
import { type AnswerParts, standIn } from './stand-in.js'

const PLAN: Omit<ConsumePlan, 'name'> = {
  from: 'beginning',
  once: true,
  unit: 1,
  concurrency: 1,
  key: 'subject',
  retries: 0,
  onFailure: 'stop',
  onRestore: 'continue',
}

/** A ledger, and what `consume` passes on and reports. */
async function start(t: Test) {
  const served = await serveConsumers(t)
  const said: string[] = []
  const run = (name: string, plan: Partial<ConsumePlan>, work: Work) =>
    consume(
      new LedgerClient({ apiUrl: served.url }),
      { ...PLAN, ...plan, name },
      {
        work,
        signal: new AbortController().signal,
        report: sentence => said.push(sentence),
      },
    )
  const subjects = async (name: string, plan: Partial<ConsumePlan>) => {
    const printed: string[] = []
    await run(name, plan, { kind: 'print', print: async ({ subject_id }) => void printed.push(subject_id) })
    return printed
  }
  return { ...served, said, run, subjects }
}

t.test('a consumer skips old events or a long backlog, and no later events', async t => {
  const { record, subjects, time, said } = await start(t)
  time.now = (Date.now() - 7_200_000) * 1000
  await record('old', 'older')
  time.now = Date.now() * 1000
  await record('1', '2', '3', '4')
  t.same(await subjects('young', { maxAgeSeconds: 3_600 }), ['1', '2', '3', '4'])
  t.same(said, [])
  t.same(await subjects('two', { maxBacklog: 2 }), ['3', '4'])
  t.same(said.splice(0), ['More than 2 events waited. Older ones are skipped.'])
  t.same(await subjects('all', { maxBacklog: 6 }), ['old', 'older', '1', '2', '3', '4'])
  t.same(said, [])
})

t.test('a receiver verifies each request, delays the consumer by Retry-After, and ends it with 410', async t => {
  const { record, run, said, request } = await start(t)
  await record('größe', '2')
  const secret = randomBytes(24)
  const answers: AnswerParts[] = [
    { status: 503, headers: { 'retry-after': '0' } },
    { status: 429, headers: { 'retry-after': new Date().toUTCString() } },
    { status: 200, body: 'ok' },
    { status: 410 },
  ]
  const receiver = await standIn(t, () => answers.shift() ?? { status: 500 })
  const url = new URL(`${receiver.url}/hook`)
  const forward: Work = { kind: 'forward', url, secret, timeoutSeconds: 60, asList: false }
  await t.rejects(run('hook', { key: 'all' }, forward), { category: 'conflict', code: 'receiver_gone' })
  const webhook = new Webhook(`whsec_${secret.toString('base64')}`)
  const verified = receiver.arrived.map(({ body, headers }) => webhook.verify(body, headers as Record<string, string>))
  t.match(verified, [{ subject_id: 'größe' }, { subject_id: 'größe' }, { subject_id: 'größe' }, { subject_id: '2' }])
  const [first] = receiver.arrived
  t.throws(() => webhook.verify(`${first?.body} `, first?.headers as Record<string, string>), /signature/i)
  t.match(said, [/answered with 503\. Waiting\.$/, 'Continuing.'])
  t.match((await request('/api/consumers/hook')).body, {
    lag: { events: 1 },
    leased_until: null,
    last_error: /wants no more/,
  })
})

t.test('a receiver verifies the signature of a batch', async t => {
  const { record, run } = await start(t)
  await record('1', '2', '3')
  const secret = randomBytes(24)
  const receiver = await standIn(t, () => ({ status: 204, body: '' }))
  const url = new URL(receiver.url)
  await run('lists', { unit: 2 }, { kind: 'forward', url, secret, timeoutSeconds: 60, asList: true })
  const webhook = new Webhook(`whsec_${secret.toString('base64')}`)
  const lists = receiver.arrived.map(({ body, headers }) => webhook.verify(body, headers as Record<string, string>))
  t.match(lists, [[{ subject_id: '1' }, { subject_id: '2' }], [{ subject_id: '3' }]])
})

const AT = '2031-05-04T09:00:00.000001Z'
const EVENT = { dedupe_key: 'a', captured_at: AT, source: 'demo', kind: 'a.b', subject_type: 'x', subject_id: '1' }
const BATCH: Batch = { items: [EVENT], has_more: false, epoch: 'e', ack: { fence: 1, checkpoint: AT } }
const AWAY = new Error('The server is away.')

/** A consumer of a server that always has one event, except for the given calls. */
function startOne(calls: Partial<ConsumerCalls>, options: Partial<ConsumerOptions> = {}) {
  const ending = new AbortController()
  const sent: AckBody[] = []
  const said: string[] = []
  const handled: string[] = []
  const ended = runConsumer({
    ...PLAN,
    create: {},
    limit: 1,
    leaseSeconds: 15,
    signal: ending.signal,
    report: sentence => said.push(sentence),
    sleep: async () => {},
    keyOf: () => '',
    handle: async events => void handled.push(...events.map(({ subject_id }) => subject_id)),
    calls: {
      save: async () => {},
      next: async () => BATCH,
      seek: async () => {},
      isTransient: error => error === AWAY,
      ...calls,
      acknowledge: async (body, signal) => {
        sent.push(body)
        await calls.acknowledge?.(body, signal)
      },
    },
    ...options,
  })
  return { ending, sent, said, handled, ended }
}

t.test('a stop that cancels the last acknowledgement of a batch releases the lease with the checkpoint', async t => {
  const { ending, sent, said, ended } = startOne({
    acknowledge: (body, signal) =>
      new Promise((resolve, reject) => {
        if (body.release) return resolve(undefined)
        signal.addEventListener('abort', () => reject(signal.reason))
        ending.abort()
      }),
  })
  await ended
  t.match(sent, [{ checkpoint: AT }, { checkpoint: AT, release: true }])
  t.same(said, [])
})

t.test(
  'a consumer that stops during an outage ends without an error, and reports its unacknowledged events',
  async t => {
    const batches = [BATCH]
    const { ending, said, ended } = startOne({
      next: async () => {
        const batch = batches.shift()
        if (!batch) ending.abort()
        return batch ?? Promise.reject(AWAY)
      },
      acknowledge: body => (body.release ? Promise.reject(AWAY) : Promise.resolve()),
    })
    await ended
    t.match(said, [/until the lease expires: The server is away\.$/])
  },
)

t.test('a consumer measures a long backlog again after a failure of the server', async t => {
  const failures = [AWAY, AWAY]
  const batches = [BATCH, BATCH, BATCH]
  const empty: Batch = { ...BATCH, items: [] }
  const { said, handled, ended } = startOne(
    { next: async () => batches.shift() ?? empty },
    { skip: async () => (failures.length > 0 ? Promise.reject(failures.pop()) : false) },
  )
  await ended
  t.same(handled, ['1'])
  t.same(said, ['The server is away. Waiting.', 'Continuing.'])
})

const EXEC = { environment: process.env, stderr: { write: () => {} } }

t.test(
  'a command that takes too long is ended with its processes before a retry, even if one ignores SIGTERM',
  async t => {
    const file = join(testFolder(t), 'pid')
    const child = `trap "" TERM; echo $$ > ${file}; exec sleep 600`
    const running = runCommand([EVENT], { ...EXEC, command: `sh -c '${child}' & wait`, timeoutSeconds: 2 })
    await t.rejects(running, { message: 'The command failed: took longer than 2 s.' })
    const pid = Number(readFileSync(file, 'utf8'))
    t.teardown(() => runs(pid) && process.kill(pid, 'SIGKILL'))
    await until(() => !runs(pid))
  },
)

t.test('a command of another user that takes too long fails when it ends', async t => {
  const file = join(testFolder(t), 'waits')
  writeFileSync(file, '')
  const { kill } = process
  t.intercept(process, 'kill', {
    value: (pid: number, signal: NodeJS.Signals) => {
      rmSync(file, { force: true })
      if (signal !== 'SIGTERM') return kill.call(process, pid, signal)
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' })
    },
  })
  const command = `while [ -e ${file} ]; do sleep 0.01; done`
  const running = runCommand([EVENT], { ...EXEC, command, timeoutSeconds: 0.1 })
  await t.rejects(running, { message: 'The command failed: took longer than 0.1 s.' })
})
