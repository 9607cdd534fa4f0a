import { createHmac } from 'node:crypto'
import t from 'tap'
import { createForwarder } from '../../src/client/consume/forward-events.js'
import type { LedgerEvent } from '../../src/client/library/ledger-event.js'
import { NotNow, WorkEnds } from '../../src/client/library/ordered-work.js'
import { type AnswerParts, standIn } from './stand-in.js'

const SECRET = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
const EVENT: LedgerEvent = {
  dedupe_key: 'chat:größe/1',
  captured_at: '2031-05-04T09:00:00.000000Z',
  source: 'chat',
  kind: 'a.b',
  subject_type: 'x',
  subject_id: '1',
  text: 'Größe',
}

async function receiver(t: import('tap').Test, answer: AnswerParts, asList = false) {
  const server = await standIn(t, () => answer)
  const url = new URL(`${server.url}/hook?x=1`)
  return { arrived: server.arrived, forward: createForwarder({ url, secret: SECRET, timeoutSeconds: 60, asList }) }
}

t.test('an event is posted with a signature that its receiver can verify, and the same id for a repeat', async t => {
  const { arrived, forward } = await receiver(t, { status: 204, body: '' })
  await forward([EVENT])
  await forward([EVENT])
  const [first, second] = arrived
  t.match(first, { method: 'POST', url: '/hook?x=1', headers: { 'content-type': 'application/json' } })
  t.same(JSON.parse(first?.body ?? ''), EVENT)
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = first?.headers ?? {}
  const expected = createHmac('sha256', SECRET).update(`${id}.${at}.${first?.body}`).digest('base64')
  t.equal(signature, `v1,${expected}`)
  t.match(String(id), /^evt_[0-9a-f]{32}$/)
  t.equal(second?.headers['webhook-id'], id)
})

t.test('two events with one dedupe key, of which one is not verified, have different ids', async t => {
  const { arrived, forward } = await receiver(t, { status: 204, body: '' })
  await forward([{ ...EVENT, provenance: { key_space: 'unverified' } }])
  await forward([{ ...EVENT, captured_at: '2031-05-04T09:00:00.000001Z' }])
  const [first, second] = arrived
  t.not(second?.headers['webhook-id'], first?.headers['webhook-id'])
})

t.test('a batch is posted as a list', async t => {
  const { arrived, forward } = await receiver(t, { body: {} }, true)
  await forward([EVENT])
  t.same(JSON.parse(arrived[0]?.body ?? ''), [EVENT])
})

t.test('the status of the answer decides whether an event is done, delayed, refused or failed', async t => {
  const cases: { answer: AnswerParts; expected: object }[] = [
    { answer: { status: 410 }, expected: WorkEnds },
    {
      answer: { status: 429, headers: { 'retry-after': '7' } },
      expected: { constructor: NotNow, milliseconds: 7_000 },
    },
    { answer: { status: 503 }, expected: { constructor: NotNow, milliseconds: 5_000 } },
    { answer: { status: 422, body: 'no such user' }, expected: { message: /422.\nno such user/ } },
    { answer: { status: 302, headers: { location: 'http://elsewhere.example' } }, expected: { message: /302/ } },
  ]
  for (const { answer, expected } of cases) {
    const { forward } = await receiver(t, answer)
    const thrown = await forward([EVENT]).catch(error => error)
    if (typeof expected === 'function') t.type(thrown, expected)
    else t.match(thrown, expected, String(answer.status))
    t.equal(thrown instanceof NotNow, [429, 503].includes(answer.status ?? 0))
  }
  const nowhere = createForwarder({
    url: new URL('http://127.0.0.1:9/'),
    secret: SECRET,
    timeoutSeconds: 60,
    asList: false,
  })
  await t.rejects(nowhere([EVENT]), { message: /cannot be reached/ })
})

t.test('an event is done after 2xx, regardless of the size of the body', async t => {
  const { forward } = await receiver(t, { status: 200, body: 'x'.repeat(100_000) })
  await t.resolves(forward([EVENT]))
  const failing = await receiver(t, { status: 500, body: 'x'.repeat(100_000) })
  await t.rejects(failing.forward([EVENT]), { message: /more than 65536 bytes/ })
})

t.test('with Retry-After: 0, the wait doubles after each answer', async t => {
  const { forward } = await receiver(t, { status: 503, headers: { 'retry-after': '0' } })
  for (const least of [125, 250, 500, 1_000]) {
    const thrown = await forward([EVENT]).catch(error => error)
    t.type(thrown, NotNow)
    t.ok(thrown.milliseconds >= least && thrown.milliseconds <= 2 * least, String(thrown.milliseconds))
  }
})
