import t from 'tap'
import { AppError } from '../../../src/model/app-error.js'
import { TRACE_LIMITS } from '../../../src/model/platforms/delivery-trace.js'
import { ADAPTERS } from '../../../src/platforms/adapters.js'
import { DeliveryTrace } from '../../../src/server/events/delivery-trace.js'
import { BY_ADMIN_TOKEN, serveClosed } from '../closed-ledger.js'

const NOON = 1_800_000_000_000_000
const DAY = 86_400_000_000

t.test('a refused delivery is listed with the reason, and without its body', async t => {
  const webhookSecrets = { chat: [], forum: [], code_a: ['right'], code_b: ['right'] }
  const server = await serveClosed(t, { adapters: ADAPTERS, settings: { webhookSecrets } })
  const headers = { 'x-github-event': 'issues', 'x-github-delivery': 'd-1' }
  await server.post('/webhooks/code_a', { action: 'opened', private: 'content' }, headers)
  await server.post('/webhooks/code_b', { object_kind: 'push' }, { 'x-gitlab-token': 'right' })
  const { body } = await server.request('/api/deliveries', { headers: BY_ADMIN_TOKEN })
  t.match(body, {
    sources: [
      { source: 'code_a', accepted: 0, last_accepted_at: null, refused: 1 },
      { source: 'code_b', accepted: 1, refused: 0, last_refused_at: null },
    ],
    refused: [{ source: 'code_a', code: 'signature_invalid', detail: /not signed/, delivery_id: 'd-1', bytes: 39 }],
  })
  t.notMatch(JSON.stringify(body), 'content')
})

t.test('a flood of one kind does not displace the others, and all are removed after seven days', async t => {
  let now = NOON
  const trace = new DeliveryTrace(() => now)
  const refuse = (source: string, code: string) =>
    trace.noteRefused(source, new AppError('unauthenticated', code, `Refused: ${'x'.repeat(1_000)}`), { headers: {} })
  refuse('forum', 'signature_invalid')
  for (let count = 0; count < 5_000; count++) refuse('code_a', 'signature_invalid')
  const { refused, sources } = trace.state()
  t.equal(refused.length, TRACE_LIMITS.alike + 1)
  t.match(refused.at(-1), { source: 'forum' })
  t.ok(refused.every(({ detail }) => detail.length <= TRACE_LIMITS.detailCharacters))
  t.match(sources, [
    { source: 'code_a', refused: 5_000 },
    { source: 'forum', refused: 1 },
  ])
  now += 8 * DAY
  refuse('code_b', 'invalid_json')
  t.match(trace.state().refused, [{ source: 'code_b' }])
  t.equal(trace.state().refused.length, 1)
})

t.test('an id that is not a line of text is not shown', async t => {
  const trace = new DeliveryTrace(() => NOON)
  for (const id of ['\u001b[2J', 'x'.repeat(101), 'two words']) {
    trace.noteRefused('code_a', new Error('defect'), { headers: { 'x-github-delivery': id } })
  }
  t.ok(trace.state().refused.every(delivery => !('delivery_id' in delivery) && delivery.code === 'internal'))
})
