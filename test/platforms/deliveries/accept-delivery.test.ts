import t from 'tap'
import { RESERVED_BYTES } from '../../../src/model/events/event-limits.js'
import type { WebhookAdapter, WebhookDelivery } from '../../../src/platforms/adapter.js'
import { ADAPTERS, adapterOf } from '../../../src/platforms/adapters.js'
import {
  acceptDelivery,
  acceptLargeDelivery,
  type DeliveryRules,
} from '../../../src/platforms/deliveries/accept-delivery.js'

const OPEN: DeliveryRules = { secrets: [], requireVerified: false, context: {} }
const HEADERS = { 'x-github-event': 'issue_comment', 'x-github-delivery': 'd-1' }

function comment(body: string, others: Record<string, unknown> = {}) {
  const issue = { id: 501, number: 12, title: 'Loom', html_url: 'https://github.example/ada/engine/issues/12' }
  const sent = { action: 'created', issue, comment: { id: 7, body }, sender: { login: 'ada', id: 17 }, ...others }
  return { headers: HEADERS, body: Buffer.from(JSON.stringify(sent)) }
}

t.test('every source has its adapter', async t => {
  t.strictSame(
    ADAPTERS.map(adapter => adapter.catalogue.source),
    ['chat', 'forum', 'code_a', 'code_b'],
  )
  for (const adapter of ADAPTERS) t.equal(adapterOf(adapter.catalogue.source), adapter)
})

t.test('a refused delivery is not parsed', async t => {
  const never: WebhookAdapter = {
    ...adapterOf('code_a'),
    normalise: () => {
      throw new Error('parsed')
    },
  }
  const delivery = comment('hello')
  const strict = { ...OPEN, requireVerified: true }
  t.throws(() => acceptDelivery(never, delivery, strict), { category: 'forbidden', code: 'delivery_unverified' })
  const secret = { ...OPEN, secrets: ['a'] }
  t.throws(() => acceptDelivery(never, delivery, secret), { category: 'unauthenticated', code: 'signature_invalid' })
})

t.test('a large delivery gives the same event, serialised with its payload last', async t => {
  const delivery = comment('hello')
  const small = acceptDelivery(adapterOf('code_a'), delivery, OPEN)
  const large = acceptLargeDelivery(adapterOf('code_a'), delivery, OPEN)
  const [taken] = large.events
  const written = JSON.parse(Buffer.from(taken?.json ?? []).toString())
  t.strictSame(written, small.events[0]?.event)
  t.equal(Object.keys(written).at(-1), 'payload')
  t.strictSame(taken?.event, { ...written, payload: {} })
  t.match(large, { verified: 'none', ignored: 0, deliveryId: 'd-1' })
})

t.test('a single event has reserved room in its buffer, and many events have none', async t => {
  const rooms = (source: 'code_a' | 'chat', delivery: WebhookDelivery) =>
    acceptLargeDelivery(adapterOf(source), delivery, OPEN).events.map(({ json }) => {
      return (json?.buffer.byteLength ?? 0) - (json?.byteLength ?? 0)
    })
  t.same(rooms('code_a', comment('hello')), [RESERVED_BYTES.before + RESERVED_BYTES.after])
  const message = {
    type: 'stream',
    stream_id: 4,
    display_recipient: 'eng',
    subject: 'deploys',
    sender_id: 17,
    content: 'x',
  }
  const messages = [1, 2, 3].map(id => ({ ...message, id, timestamp: 1_900_000_000 + id }))
  t.same(rooms('chat', { headers: {}, body: Buffer.from(JSON.stringify({ result: 'success', messages })) }), [0, 0, 0])
})

t.test('a huge text is complete in the payload, and shortened elsewhere', async t => {
  const text = `${'x'.repeat(128 * 1024 - 1)}😀${'y'.repeat(500_000)}`
  const [taken] = acceptDelivery(adapterOf('code_a'), comment(text), OPEN).events
  t.equal(taken?.event.conversation.text, `${'x'.repeat(128 * 1024 - 1)}…`, 'not in the middle of a character')
  t.match(taken?.event.payload, { comment: { body: text } })
  const title = 'z'.repeat(200_000)
  const issue = { id: 501, number: 12, title }
  const [titled] = acceptDelivery(adapterOf('code_a'), comment('hello', { issue }), OPEN).events
  t.ok((titled?.event.conversation.title?.length ?? 0) < 140_000)
  t.ok((titled?.event.target.parent?.display?.length ?? 0) < 140_000)
})

t.test('an unreadable delivery is refused as invalid', async t => {
  for (const body of ['', '[]', 'null', '"text"', '{']) {
    const delivery = { headers: HEADERS, body: Buffer.from(body) }
    for (const take of [acceptDelivery, acceptLargeDelivery]) {
      t.throws(() => take(adapterOf('code_a'), delivery, OPEN), { category: 'invalid', code: 'invalid_json' }, body)
    }
  }
})
