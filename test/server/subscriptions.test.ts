import t from 'tap'
import { serve } from './serve.js'

const watch = { id: 'sub_ops', source: 'chat', target: 'stream:ops' }

t.test('a subscription is created, updated, read, listed and deleted', async t => {
  const { post, request } = await serve(t)
  t.same((await request('/api/subscriptions')).body, { items: [], count: 0 })
  t.match(await post('/api/subscriptions', watch), { status: 201, body: { created: true, subscription: watch } })
  t.match(await post('/api/subscriptions', watch), { status: 200, body: { created: false, subscription: watch } })
  t.match(await request('/api/subscriptions'), { status: 200, body: { items: [watch], count: 1 } })
  t.match(await request('/api/subscriptions/sub_ops'), { status: 200, body: watch })
  const deleted = await request('/api/subscriptions/sub_ops', { method: 'DELETE' })
  t.match({ status: deleted.status, text: deleted.text }, { status: 204, text: '' })
  t.match(await request('/api/subscriptions/sub_ops'), { status: 404, body: { code: 'not_found' } })
  t.match(await request('/api/subscriptions/sub_ops', { method: 'DELETE' }), { status: 404 })
})

t.test('an id is decoded once', async t => {
  const { post, request } = await serve(t)
  await post('/api/subscriptions', { ...watch, id: 'a@b:c' })
  t.match(await request('/api/subscriptions/a%40b%3Ac'), { status: 200, body: { id: 'a@b:c' } })
  t.match(await request('/api/subscriptions/%zz', { method: 'DELETE' }), {
    status: 400,
    body: { code: 'invalid_path' },
  })
})

t.test('what is no JSON, not declared as such, or larger than 64 KiB is refused', async t => {
  const { post } = await serve(t)
  t.match(await post('/api/subscriptions', '{'), { status: 400, body: { code: 'invalid_json' } })
  t.match(await post('/api/subscriptions', watch, { 'content-type': 'text/plain' }), { status: 415 })
  t.match(await post('/api/subscriptions', watch, { 'content-type': 'application/x-ndjson' }), { status: 415 })
  const large = { ...watch, reason: 'x'.repeat(64 * 1024) }
  t.match(await post('/api/subscriptions', large), { status: 413, body: { code: 'body_too_large', detail: /64 KiB/ } })
})
