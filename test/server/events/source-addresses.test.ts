import { createHmac } from 'node:crypto'
import t from 'tap'
import { BY_ADMIN_TOKEN } from '../closed-ledger.js'
import { BUILD, BUILDS, SECRET, serveSources } from './serve-sources.js'

t.test('the check of an address by a service is answered and not recorded', async t => {
  const { put, send, deliver, events, request } = await serveSources(t)
  const at = '/webhooks/in/builds'
  t.match(await send(at), { status: 404 })
  await put(BUILDS, [SECRET])
  t.match(await send(at), { status: 200, text: '{}' })
  t.match(await send(at, { method: 'HEAD' }), { status: 200, text: '' })
  t.match(await send(`${at}?hub.challenge=1`), { text: '{}' }, 'a definition without an echo answers none')
  await put({ ...BUILDS, echo: { query: 'hub.challenge' } } as typeof BUILDS)
  const echoed = await send(`${at}?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=x`)
  t.match(echoed, { status: 200, text: '1158201444' })
  const { 'content-type': type, 'x-content-type-options': sniffing } = Object.fromEntries(echoed.headers)
  t.same([type, sniffing], ['text/plain; charset=utf-8', 'nosniff'])
  t.match(await send(`${at}?hub.challenge=%3Cb%3E`, { method: 'POST', body: '' }), { status: 200, text: '<b>' })
  for (const query of [
    'hub.challenge=a&hub.challenge=b',
    'hub.challenge=%0d%0a',
    `hub.challenge=${'x'.repeat(1_025)}`,
  ]) {
    t.match(await send(`${at}?${query}`), { status: 400, body: { code: 'invalid_field' } }, query.slice(0, 30))
  }
  await put({ ...BUILDS, echo: { header: 'X-Hook-Secret' } } as typeof BUILDS)
  const shaken = await send(at, { method: 'POST', headers: { 'X-Hook-Secret': 'b537207f20cbfa02' }, body: '{}' })
  t.equal(shaken.status, 200)
  t.equal(Object.fromEntries(shaken.headers)['x-hook-secret'], 'b537207f20cbfa02')
  t.match(await deliver('builds', BUILD), { status: 401 }, 'a delivery proves itself as before')
  t.match(await put({ ...BUILDS, echo: { header: 'Set-Cookie' } } as typeof BUILDS), { status: 400 })
  await put({ ...BUILDS, enabled: false, echo: { query: 'x' } } as typeof BUILDS)
  t.match(await send(`${at}?x=1`), { status: 403, body: { code: 'source_closed' } })
  t.match(await send(`${at}?x=1`, { method: 'POST', body: '{}' }), { status: 403 })
  t.same(await events(), [])
  const { body } = await request('/api/deliveries', { headers: BY_ADMIN_TOKEN })
  t.notMatch(JSON.stringify(body), '"accepted":1', 'it is no delivery')
})

t.test('a secret in the address verifies a delivery, also a large one, and is not logged', async t => {
  const { put, post, events, log } = await serveSources(t)
  await put({ name: 'images', proof: { type: 'query', parameter: 'token' }, rules: [] } as never, [SECRET])
  t.match(await post(`/webhooks/in/images?token=${SECRET}`, '{"id":1}'), { status: 200, body: { created: 1 } })
  const large = JSON.stringify({ id: 2, text: 'x'.repeat(300_000) })
  t.match(await post(`/webhooks/in/images?token=${SECRET}`, large), { status: 200, body: { created: 1 } })
  for (const query of ['', '?token=wrong', `?token=${SECRET}&token=${SECRET}`]) {
    t.match(await post(`/webhooks/in/images${query}`, '{"id":1}'), { status: 401 }, query)
  }
  t.notMatch(JSON.stringify(await events()), SECRET)
  t.notMatch(JSON.stringify(log), SECRET)
})

t.test('a refusal asks for Basic authentication if the source needs it', async t => {
  const { put, send } = await serveSources(t)
  await put({ name: 'sns', proof: { type: 'basic', username: 'sns' }, rules: [] } as never, [SECRET])
  const refused = await send('/webhooks/in/sns', { method: 'POST', body: '{}' })
  t.equal(refused.status, 401)
  t.equal(Object.fromEntries(refused.headers)['www-authenticate'], 'Basic realm="webhooks"')
  await put(BUILDS, [SECRET])
  const other = await send('/webhooks/in/builds', { method: 'POST', body: '{}' })
  t.equal(Object.fromEntries(other.headers)['www-authenticate'], 'Bearer')
})

t.test('the configured answer is an object, a text or an HMAC of a value in the delivery', async t => {
  const { put, signed, deliver } = await serveSources(t)
  await put({ ...BUILDS, answer: { type: 5, ok: true, text: 'x' } } as never, [SECRET])
  t.equal((await signed('builds', BUILD)).text, '{"type":5,"ok":true,"text":"x"}')
  await put({ ...BUILDS, answer: '' } as never)
  t.match(await signed('builds', BUILD), { status: 200, text: '' })
  const challenge = {
    when: [{ at: '/check', exists: true }],
    answer: { plain: '{/check}', signed: { hmac: '{/check}' } },
  }
  await put({ ...BUILDS, challenge } as never)
  const expected = createHmac('sha256', SECRET).update('abc').digest('hex')
  t.same((await signed('builds', { check: 'abc' })).body, { plain: 'abc', signed: expected })
  t.match(await deliver('builds', { check: 'abc' }), { status: 401 })
  t.match(await put({ ...BUILDS, proof: { type: 'none' }, challenge } as never), {
    status: 400,
    body: { errors: [{ field: '/challenge/answer/signed' }] },
  })
})
