import t from 'tap'
import { readEvent } from '../../../src/ledger/read-event.js'
import { AppError } from '../../../src/model/app-error.js'
import type { NewEvent } from '../../../src/model/events/event.js'
import type { WebhookAdapter, WebhookDelivery } from '../../../src/platforms/adapter.js'
import type { PlatformCatalogue } from '../../../src/platforms/catalogue.js'
import type { AcceptLargeDelivery } from '../../../src/server/events/webhook-routes.js'
import { message, serve } from '../serve.js'

const catalogue: PlatformCatalogue = {
  source: 'code_a',
  display_name: 'A code host',
  webhook_path: '/webhooks/code_a',
  verification: 'The secret, in x-secret.',
  kinds: ['*'],
  actions: [],
  scope_types: ['repository'],
  target_grammar: [{ form: 'repo:<owner>/<name>', example: 'repo:acme/app' }],
  capture_modes: ['webhook'],
}

/** An adapter whose deliveries are lists of subject ids, and whose signature is the secret itself. */
function adapter(): WebhookAdapter & { deliveries: WebhookDelivery[] } {
  const deliveries: WebhookDelivery[] = []
  return {
    catalogue,
    deliveries,
    verify(delivery, secrets) {
      deliveries.push(delivery)
      if (secrets.length === 0) return 'none'
      if (secrets.includes(delivery.headers['x-secret'] ?? '')) return 'signature'
      throw new AppError('unauthenticated', 'signature_invalid', 'The signature does not fit the body.')
    },
    normalise({ body, headers }) {
      const text = Buffer.from(body).toString()
      if (text === 'broken') throw new AppError('invalid', 'invalid_json', 'The body cannot be read.')
      const ids = text.trim().split(',').filter(Boolean)
      const events: NewEvent[] = ids.map(id => readEvent(message(id, { source: 'code_a' })))
      return { events, ignored: ids.length === 0 ? 1 : 0, deliveryId: headers['x-delivery'] ?? 'none' }
    },
  }
}

const secrets = (code_a: string[]) => ({ webhookSecrets: { chat: [], forum: [], code_a, code_b: [] } })

t.test('a delivery is verified, recorded with its provenance, and counted', async t => {
  const { post, ledger, log } = await serve(t, { adapters: [adapter()], settings: secrets(['old', 'new']) })
  const first = await post('/webhooks/code_a', '1,2', { 'x-secret': 'new', 'x-delivery': 'd-1' })
  t.match(first, { status: 200, body: { created: 2, duplicates: 0, ignored: 0 } })
  t.match(ledger.events[0], { provenance: { route: 'webhook', verified: 'signature', delivery_id: 'd-1' } })
  const again = await post('/webhooks/code_a', '2,3', { 'x-secret': 'old' })
  t.match(again, { status: 200, body: { created: 1, duplicates: 1, ignored: 0 } })
  t.match(log, [{ path: '/webhooks/code_a', source: 'code_a', verified: 'signature', created: 2, duplicates: 0 }])
})

t.test('refused deliveries are counted by source and reason, for readers and for metrics', async t => {
  const { post, request } = await serve(t, { adapters: [adapter()], settings: secrets(['right']) })
  await post('/webhooks/code_a', '1', { 'x-secret': 'wrong' })
  await post('/webhooks/code_a', '2', { 'x-secret': 'wrong' })
  await post('/webhooks/code_a', 'broken', { 'x-secret': 'right' })
  await post('/webhooks/code_a', '3', { 'x-secret': 'right' })
  const stats: unknown = (await request('/api/stats')).body
  t.match(stats, {
    event_count: 1,
    refused_deliveries: {
      since: String,
      items: [
        { source: 'code_a', code: 'signature_invalid', count: 2, last_at: String },
        { source: 'code_a', code: 'invalid_json', count: 1 },
      ],
    },
  })
  const { text } = await request('/metrics')
  t.match(text, 'daybook_deliveries_refused_total{source="code_a",code="signature_invalid"} 2\n')
})

t.test('a delivery without events is answered with success', async t => {
  const { post } = await serve(t, { adapters: [adapter()] })
  t.match(await post('/webhooks/code_a', ''), { status: 200, body: { created: 0, duplicates: 0, ignored: 1 } })
})

t.test('without a secret, deliveries are accepted as unverified, unless verification is required', async t => {
  const taken = await serve(t, { adapters: [adapter()] })
  t.match(await taken.post('/webhooks/code_a', '1'), { status: 200 })
  t.match(taken.ledger.events[0], { provenance: { verified: 'none' } })

  const strict = await serve(t, { adapters: [adapter()], settings: { requireVerified: true } })
  t.match(await strict.post('/webhooks/code_a', '1'), { status: 403, body: { code: 'delivery_unverified' } })
  t.equal(strict.ledger.events.length, 0)
})

t.test('a wrong signature is refused before the body is parsed', async t => {
  const { post, ledger } = await serve(t, { adapters: [adapter()], settings: secrets(['right']) })
  for (const body of ['1', 'broken']) {
    const answer = await post('/webhooks/code_a', body, { 'x-secret': 'wrong' })
    t.match(answer, { status: 401, body: { code: 'signature_invalid' } })
    t.equal(answer.headers.get('www-authenticate'), 'Bearer')
  }
  t.match(await post('/webhooks/code_a', 'broken', { 'x-secret': 'right' }), {
    status: 400,
    body: { code: 'invalid_json' },
  })
  t.equal(ledger.events.length, 0)
})

t.test('the adapter receives the exact bytes, and header names in lower case', async t => {
  const code = adapter()
  const { raw } = await serve(t, { adapters: [code] })
  const body = Buffer.from([0x31, 0x2c, 0xff])
  const head = `POST /Webhooks/CODE_A/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-SECRET: a\r\nContent-Length: 3\r\n\r\n`
  t.match(await raw(Buffer.concat([Buffer.from(head), body])), /^HTTP\/1\.1 200/)
  t.match(code.deliveries, [{ headers: { 'x-secret': 'a' } }])
  t.ok(body.equals(code.deliveries[0]?.body ?? Buffer.alloc(0)))
})

t.test('any content type is accepted, and an encoded body is not', async t => {
  const { post } = await serve(t, { adapters: [adapter()] })
  t.match(await post('/webhooks/code_a', '1', { 'content-type': 'application/x-www-form-urlencoded' }), { status: 200 })
  t.match(await post('/webhooks/code_a', '1', { 'content-type': 'text/plain' }), { status: 200 })
  t.match(await post('/webhooks/code_a', '1', { 'content-encoding': 'identity' }), { status: 200 })
  t.match(await post('/webhooks/code_a', '1', { 'content-encoding': 'gzip' }), { status: 415 })
})

t.test('a delivery of 25 MiB is accepted, and a larger one is not', async t => {
  const { post } = await serve(t, { adapters: [adapter()] })
  const limit = 25 * 1024 * 1024
  t.match(await post('/webhooks/code_a', Buffer.alloc(limit, ' ')), { status: 200, body: { ignored: 1 } })
  t.match(await post('/webhooks/code_a', Buffer.alloc(limit + 1, ' ')), { status: 413, body: { detail: /25 MiB/ } })
})

t.test('a page of another origin can deliver only with a valid proof', async t => {
  const publicUrl = 'https://events.example.org'
  const open = await serve(t, { adapters: [adapter()], settings: { publicUrl } })
  const closed = await serve(t, { adapters: [adapter()], settings: { publicUrl, ...secrets(['right']) } })
  const emptySecret = await serve(t, { adapters: [adapter()], settings: secrets(['']) })
  const foreign = [
    { origin: 'https://elsewhere.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: publicUrl, 'sec-fetch-site': 'cross-site' },
  ]
  const own = [{}, { origin: publicUrl }, { origin: open.url }, { 'sec-fetch-site': 'same-origin' }]
  for (const size of [0, 300_000]) {
    const body = `1${' '.repeat(size)}`
    for (const headers of foreign) {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
        const sent = { ...headers, 'content-type': type }
        for (const { post } of [open, emptySecret]) {
          const refused = await post('/webhooks/code_a', body, sent)
          t.match(refused, { status: 403, body: { code: 'origin_not_allowed' } }, JSON.stringify(sent))
        }
        const verified = await closed.post('/webhooks/code_a', body, { ...sent, 'x-secret': 'right' })
        t.match(verified, { status: 200 }, `verified ${JSON.stringify(sent)}`)
        t.match(await closed.post('/webhooks/code_a', '2', sent), { status: 401 }, 'a secret that is not shown')
      }
    }
    t.same(open.ledger.events, [], 'nothing was stored')
    for (const headers of own) t.match(await open.post('/webhooks/code_a', '', headers), { status: 200 })
  }
  t.equal(closed.ledger.events.length, 1)
})

t.test('an open ledger accepts deliveries only under names of this machine', async t => {
  const { raw } = await serve(t, { adapters: [adapter()] })
  const rebound =
    'POST /webhooks/code_a HTTP/1.1\r\nHost: elsewhere.example\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'
  t.match(await raw(rebound), /^HTTP\/1\.1 403 [\s\S]*host_not_allowed/)
})

t.test('a large delivery has the same result as a small one, and obeys the same rules', async t => {
  const { post, ledger } = await serve(t, { adapters: [adapter()], settings: secrets(['right']) })
  const large = `1,2${','.repeat(300_000)}`
  const sent = { 'x-secret': 'right', 'x-delivery': 'd-1' }
  t.match(await post('/webhooks/code_a', large, sent), { status: 200, body: { created: 2, duplicates: 0, ignored: 0 } })
  t.match(await post('/webhooks/code_a', '1', sent), { status: 200, body: { created: 0, duplicates: 1 } })
  t.match(ledger.events, [
    { subject_id: '1', seen_count: 2, provenance: { route: 'webhook', verified: 'signature', delivery_id: 'd-1' } },
    { subject_id: '2', seen_count: 1, provenance: { route: 'webhook', verified: 'signature', delivery_id: 'd-1' } },
  ])
  t.match(await post('/webhooks/code_a', large), { status: 401, body: { code: 'signature_invalid' } })
})

t.test('a large delivery is verified before it is queued, unless its proof is in the body', async t => {
  const queued: unknown[] = []
  const acceptLargeDelivery: AcceptLargeDelivery = async (_, __, rules) => {
    queued.push(rules.verified)
    return { verified: rules.verified ?? 'token', events: [], ignored: 1 }
  }
  const large = ','.repeat(300_000)
  const signed = await serve(t, { adapters: [adapter()], acceptLargeDelivery, settings: secrets(['right']) })
  t.match(await signed.post('/webhooks/code_a', large, { 'x-secret': 'wrong' }), { status: 401 })
  t.same(queued, [], 'a wrong signature waits for nothing')
  t.match(await signed.post('/webhooks/code_a', large, { 'x-secret': 'right' }), { status: 200 })
  const inBody = { ...adapter(), provesInBody: true as const }
  const later = await serve(t, { adapters: [inBody], acceptLargeDelivery, settings: secrets(['right']) })
  t.match(await later.post('/webhooks/code_a', large, { 'x-secret': 'right' }), { status: 200 })
  t.same(queued, ['signature', undefined])
})

t.test('a delivery of thousands of events is recorded in several batches, and counted once', async t => {
  const { post, ledger } = await serve(t, { adapters: [adapter()] })
  const ids = Array.from({ length: 2_500 }, (_, index) => index)
  t.match(await post('/webhooks/code_a', ids.join(',')), { status: 200, body: { created: 2_500, duplicates: 0 } })
  t.match(await post('/webhooks/code_a', [...ids, 'new'].join(',')), { body: { created: 1, duplicates: 2_500 } })
  t.equal(ledger.events.length, 2_501)
})

t.test('a repeated header or parameter with the proof of a delivery is refused', async t => {
  const { raw, ledger } = await serve(t, { adapters: [adapter()] })
  const proofs = [
    ...['X-Hub-Signature', 'X-Hub-Signature-256', 'X-Forgejo-Signature', 'X-Gitea-Signature', 'X-Gogs-Signature'],
    ...['X-Discourse-Event-Signature', 'X-Gitlab-Token', 'Webhook-Id', 'Webhook-Timestamp', 'Webhook-Signature'],
  ]
  for (const name of proofs) {
    const head = `POST /webhooks/code_a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 1\r\n`
    t.match(await raw(`${head}${name}: a\r\n\r\n1`), /^HTTP\/1\.1 200/, name)
    const twice = await raw(`${head}${name}: a\r\n${name.toLowerCase()}: a\r\n\r\n2`)
    t.match(twice, /^HTTP\/1\.1 400 [\s\S]*"code":"duplicate_header"/, name)
  }
  t.equal(ledger.events.length, 1)
})

/** An adapter of the platform whose deliveries do not name their server; it keeps the addresses that it receives. */
function chatAdapter(): WebhookAdapter & { sites: unknown[] } {
  const sites: unknown[] = []
  return {
    ...adapter(),
    catalogue: { ...catalogue, source: 'chat', webhook_path: '/webhooks/chat' },
    answer: { response_not_required: true },
    sites,
    normalise(_, { site }) {
      sites.push(site)
      return { events: [], ignored: 1 }
    },
  }
}

t.test('the address of the chat server is the configured one, or else that in the address of the hook', async t => {
  const chat = chatAdapter()
  const { post } = await serve(t, { adapters: [chat] })
  await post('/webhooks/chat', '')
  await post('/webhooks/chat?other=1', '')
  await post('/webhooks/chat?site=https%3A%2F%2FChat.example.org%2F', '')
  await post('/webhooks/chat?site=chat.example.org:8443/api', '')
  const configured = await serve(t, { adapters: [chat], settings: { chatSite: 'https://configured.example' } })
  await configured.post('/webhooks/chat?site=https://chat.example.org', '')
  const fallback = await serve(t, { adapters: [chat], settings: { chatFallbackSite: 'https://fallback.example' } })
  await fallback.post('/webhooks/chat?site=https://chat.example.org', '')
  await fallback.post('/webhooks/chat', '')
  t.strictSame(chat.sites, [
    ...[undefined, undefined, 'https://chat.example.org', 'https://chat.example.org:8443'],
    ...['https://configured.example', 'https://chat.example.org', 'https://fallback.example'],
  ])
})

t.test('an invalid chat server address in the hook is refused only if it would be used', async t => {
  const { post } = await serve(t, { adapters: [chatAdapter(), adapter()] })
  const wrong = ['', 'ftp://chat.example.org', 'https://chat.example.org/path', 'https://a:b@chat.example.org', '%00']
  for (const site of [...wrong, `https://${'a'.repeat(300)}.example`, 'a.example&site=b.example']) {
    const refused = await post(`/webhooks/chat?site=${site}`, '')
    t.match(refused, { status: 400, body: { code: 'invalid_field', errors: [{ field: 'site' }] } }, site)
    t.match(await post(`/webhooks/code_a?site=${site}`, ''), { status: 200 })
  }
})

t.test('every answer on the chat route is JSON without a text that the platform would post', async t => {
  const { post } = await serve(t, { adapters: [chatAdapter()], settings: { requireVerified: true } })
  const open = await serve(t, { adapters: [chatAdapter()] })
  const taken = await open.post('/webhooks/chat', '')
  t.strictSame(taken.body, { created: 0, duplicates: 0, ignored: 1, response_not_required: true })
  const refused = await post('/webhooks/chat', '')
  t.match(refused, { status: 403, body: { code: 'delivery_unverified' } })
  for (const { text } of [taken, refused]) {
    const members = Object.keys(JSON.parse(text))
    t.notOk(members.includes('content') || members.includes('response_string'), text)
  }
})
