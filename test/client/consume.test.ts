import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import t, { type Test } from 'tap'
import { type ConsumePlan, consume, type Work } from '../../src/client/consume/consume.js'
import { LedgerClient } from '../../src/client/ledger-client.js'
import { serveConsumers } from '../server/consumers/serve-consumers.js'
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

t.test('old events and a long backlog are skipped, and nothing after them', async t => {
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

t.test('a receiver verifies what it is sent, is waited for as it asks, and ends the consumer with 410', async t => {
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

t.test('a batch is verified as it is sent', async t => {
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
