import { join } from 'node:path'
import t from 'tap'
import { Ledger } from '../../../src/ledger/ledger.js'
import { openSqliteStore } from '../../../src/store/sqlite/store.js'
import { testFolder } from '../../support/test-folder.js'
import { until } from '../../support/until.js'
import { serveClosed } from '../closed-ledger.js'
import { START } from '../memory-ledger.js'
import { serve } from '../serve.js'

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

t.test('a page after an id with a NUL character, which no store needs to accept, is refused', async t => {
  const { request } = await serve(t)
  t.match(await request('/api/subscriptions?after=a%00'), {
    status: 400,
    body: { code: 'invalid_field', errors: [{ field: 'after', detail: /NUL/ }] },
  })
})

t.test('a body that is not JSON, not declared as JSON, or larger than 64 KiB is refused', async t => {
  const { post } = await serve(t)
  t.match(await post('/api/subscriptions', '{'), { status: 400, body: { code: 'invalid_json' } })
  t.match(await post('/api/subscriptions', watch, { 'content-type': 'text/plain' }), { status: 415 })
  t.match(await post('/api/subscriptions', watch, { 'content-type': 'application/x-ndjson' }), { status: 415 })
  const large = { ...watch, reason: 'x'.repeat(64 * 1024) }
  t.match(await post('/api/subscriptions', large), { status: 413, body: { code: 'body_too_large', detail: /64 KiB/ } })
})

t.test('a draft is previewed over the stored events, and not saved', async t => {
  const clock = () => START
  const path = join(testFolder(t), 'events.db')
  const store = await openSqliteStore({ path, clock, onFailure: error => t.fail(String(error)) })
  const { post, request } = await serve(t, {
    ledger: await Ledger.open({ store, clock, newSubscriptionId: () => 'sub_1' }),
  })
  t.teardown(() => store.close())
  const event = { source: 'code_a', kind: 'push', subject_type: 'commit', subject_id: '1', payload: { secret: 'long' } }
  const target = {
    type: 'commit',
    key: 'commit:1',
    parent: { type: 'repository', key: 'repository:7', display: 'ada/engine' },
  }
  await post('/api/events', { ...event, target })
  const { status, body, text } = await post('/api/subscriptions/preview', {
    source: 'code_a',
    target: 'repo:Ada/Engine',
  })
  t.equal(status, 200)
  t.match(body, {
    count: 1,
    by_day: [{ count: 0 }, {}, {}, {}, {}, {}, { start: '2031-05-03T09:00:00.000000Z', count: 1 }],
    examples: [{ kind: 'push', dedupe_key: String, captured_at: '2031-05-04T09:00:00.000000Z' }],
    seen: true,
    complete: true,
    counted_from: '2031-04-27T09:00:00.000000Z',
    understood: { target: 'repo:Ada/Engine', filters: { repository: 'Ada/Engine' }, event_kinds: { length: 0 } },
  })
  t.notMatch(text, /payload|secret/)
  t.match(await request('/api/subscriptions'), { body: { count: 0 } })
  t.match(await post('/api/subscriptions/preview', { source: 'code_a', target: 'repo:engine' }), {
    status: 400,
    body: { code: 'invalid_field', errors: [{ field: '/target', detail: /repo:ada\/engine/ }] },
  })
  const large = { ...watch, reason: 'x'.repeat(64 * 1024) }
  t.match(await post('/api/subscriptions/preview', large), { status: 413, body: { code: 'body_too_large' } })
  t.match(await post('/api/subscriptions/preview', '{', { 'content-type': 'text/plain' }), { status: 415 })
})

t.test('a member previews its own drafts with a session and its CSRF token', async t => {
  const { send, logIn, byToken, mia } = await serveClosed(t)
  const path = '/api/subscriptions/preview'
  const { cookie, headers } = await logIn(mia)
  t.match(await send(path, { method: 'POST', headers, body: watch }), { status: 200 })
  t.match(await send(path, { method: 'POST', headers: await byToken(mia), body: watch }), { status: 200 })
  t.match(await send(path, { method: 'POST', headers: { Cookie: cookie }, body: watch }), { status: 403 })
  t.match(await send(path, { method: 'POST', body: watch }), { status: 401 })
})

t.test('a few previews run concurrently, and others are refused with a time to retry', async t => {
  const { post, ledger } = await serve(t)
  let release = () => {}
  ledger.held = new Promise(resolve => {
    release = resolve
  })
  const inProgress = Array.from({ length: 4 }, () => post('/api/subscriptions/preview', watch))
  await until(() => ledger.asked === 4)
  const refused = await post('/api/subscriptions/preview', watch)
  t.match(refused, { status: 503, body: { code: 'busy' } })
  t.equal(refused.headers.get('retry-after'), '1')
  release()
  for (const answer of await Promise.all(inProgress)) t.equal(answer.status, 200)
  t.match(await post('/api/subscriptions/preview', watch), { status: 200 })
})
