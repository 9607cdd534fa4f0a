import { join } from 'node:path'
import t from 'tap'
import { Ledger } from '../../../src/ledger/ledger.js'
import { openSqliteStore } from '../../../src/store/sqlite/store.js'
import { testFolder } from '../../support/test-folder.js'
import { BY_ADMIN_TOKEN, type Headers, serveClosed } from '../closed-ledger.js'
import { START } from '../memory-ledger.js'

const store = await openSqliteStore({
  path: join(testFolder(t), 'owners.db'),
  clock: () => START,
  onFailure: error => t.fail(String(error)),
})
t.teardown(() => store.close())
let ids = 0
const owned = await Ledger.open({ store, clock: () => START, newSubscriptionId: () => `sub_${++ids}` })
const { send, byToken, mia, otto, ada } = await serveClosed(t, { ledger: owned })
const asMia = await byToken(mia)
const asOtto = await byToken(otto)
const asAda = await byToken(ada)
const save = (headers: Headers, body: object) => send('/api/subscriptions', { method: 'POST', headers, body })
const idsSeenBy = async (headers: Headers) => {
  const { items } = (await send('/api/subscriptions', { headers })).body as { items: { id: string }[] }
  return items.map(({ id }) => id)
}

t.test('a member owns what it creates, even if it names another owner', async t => {
  const sent = { id: 'mias', source: 'chat', owner_user_id: otto.id, last_cursor: '7', created_at: 'x', capture: {} }
  t.match(await save(asMia, sent), {
    status: 201,
    body: { subscription: { id: 'mias', owner_user_id: mia.id, last_cursor: null } },
  })
  t.match(await save(asMia, { id: 'mias', owner_user_id: otto.id, enabled: false }), {
    status: 200,
    body: { subscription: { owner_user_id: mia.id, enabled: false } },
  })
  t.match(await save(asMia, { id: 'mias', owner_user_id: null }), { body: { subscription: { owner_user_id: mia.id } } })
})

t.test('the list has pages of the subscriptions that the caller may see', async t => {
  const own = ['page-1', 'page-2', 'page-3']
  for (const id of own) await save(asOtto, { id, source: 'chat' })
  await save(asMia, { id: 'page-0', source: 'chat' })
  const page = async (query: string, headers = asOtto) => (await send(`/api/subscriptions?${query}`, { headers })).body
  t.match(await page('limit=2'), { count: 2, items: [{ id: 'page-1' }, { id: 'page-2' }], next: 'page-2' })
  t.match(await page('limit=2&after=page-2'), { count: 1, items: [{ id: 'page-3' }], next: null })
  t.match(await page('after=page-1'), { count: 2, next: null })
  t.match(await page('limit=1&after=page-', asAda), { items: [{ id: 'page-0' }], next: 'page-0' })
  t.same(Object.keys((await send('/api/subscriptions', { headers: asOtto })).body), ['items', 'count'])
  for (const query of ['limit=0', 'limit=501', 'after=', 'page=1']) {
    t.match(await send(`/api/subscriptions?${query}`, { headers: asOtto }), { status: 400 }, query)
  }
  for (const id of own) await send(`/api/subscriptions/${id}`, { method: 'DELETE', headers: asOtto })
  await send('/api/subscriptions/page-0', { method: 'DELETE', headers: asMia })
})

t.test('an owner has a maximum number of subscriptions, and can still change existing ones', async t => {
  const bounded = await Ledger.open({ store, clock: () => START, newSubscriptionId: () => 'x', maxSubscriptions: 2 })
  const member = { role: 'member', userId: 'user_full' } as const
  const full = { category: 'conflict', code: 'too_many_subscriptions', message: /2 subscriptions.*Delete one/ }
  for (const id of ['full-1', 'full-2']) await bounded.saveSubscription({ id, source: 'chat' }, member)
  await t.rejects(bounded.saveSubscription({ id: 'full-3', source: 'chat' }, member), full)
  await bounded.saveSubscription({ id: 'full-1', enabled: false }, member)
  await bounded.saveSubscription({ id: 'other', source: 'chat' }, { role: 'member', userId: 'user_other' })
  const moved = { id: 'other', owner_user_id: member.userId }
  await t.rejects(bounded.saveSubscription(moved, { role: 'admin' }), full)
  await bounded.deleteSubscription('full-2', member)
  await bounded.saveSubscription({ id: 'full-3', source: 'chat' }, member)
  for (const id of ['free-1', 'free-2']) await bounded.saveSubscription({ id, source: 'chat' })
  await t.rejects(bounded.saveSubscription({ id: 'free-3', source: 'chat' }), { ...full, message: /without an owner/ })
  await t.rejects(bounded.saveSubscription({ id: 'free-3', source: 'chat' }, { role: 'admin' }), full)
  const ids = ['full-1', 'full-3', 'other', 'free-1', 'free-2']
  for (const id of ids) await bounded.deleteSubscription(id)
})

t.test('a member sees and changes only its own subscriptions', async t => {
  await save(asOtto, { id: 'ottos', source: 'chat' })
  await save(BY_ADMIN_TOKEN, { id: 'nobodys', source: 'chat' })
  t.same(await idsSeenBy(asMia), ['mias'])
  t.same(await idsSeenBy(asOtto), ['ottos'])
  for (const id of ['ottos', 'nobodys']) {
    const path = `/api/subscriptions/${id}`
    const unknown = await send('/api/subscriptions/unknown', { headers: asMia })
    const foreign = await send(path, { headers: asMia })
    t.match(foreign, { status: 404, body: { code: 'not_found' } })
    t.equal(foreign.text, unknown.text.replace('unknown', id), 'as if it were not there')
    t.match(await send(path, { method: 'DELETE', headers: asMia }), { status: 404, body: { code: 'not_found' } })
    for (const body of [
      { id, enabled: false },
      { id, source: 7 },
    ]) {
      t.match(await save(asMia, body), { status: 403, body: { code: 'forbidden' } })
    }
    t.match(await send(path, { headers: asAda }), { status: 200, body: { id, enabled: true } }, 'nothing has changed')
  }
  t.match(await send('/api/subscriptions/mias', { headers: asMia }), { status: 200, body: { id: 'mias' } })
})

t.test('a subscription that a member deletes while it gets another owner stays', async t => {
  await save(asMia, { id: 'moving', source: 'chat' })
  const [moved, deleted] = await Promise.all([
    owned.saveSubscription({ id: 'moving', owner_user_id: otto.id }, { role: 'admin' }),
    owned.deleteSubscription('moving', { role: 'member', userId: mia.id }).catch(error => error),
  ])
  t.match(moved, { subscription: { owner_user_id: otto.id } })
  t.match(deleted, { code: 'not_found' })
  t.ok((await idsSeenBy(asOtto)).includes('moving'))
})

t.test('an admin sees and changes all subscriptions, including the members that the ledger maintains', async t => {
  t.same(await idsSeenBy(asAda), ['mias', 'moving', 'nobodys', 'ottos'])
  const kept = {
    owner_user_id: mia.id,
    last_cursor: '41',
    last_event_at: '2030-01-01T01:00:00+01:00',
    created_at: '2029-01-01T00:00:00Z',
    updated_at: '2029-06-01T00:00:00Z',
  }
  const asKept = {
    ...kept,
    last_event_at: '2030-01-01T00:00:00.000000Z',
    created_at: '2029-01-01T00:00:00.000000Z',
    updated_at: '2029-06-01T00:00:00.000000Z',
  }
  t.match(await save(asAda, { id: 'ottos', ...kept }), { status: 200, body: { subscription: asKept } })
  t.match(await send('/api/subscriptions/ottos', { headers: asMia }), { status: 200, body: asKept }, 'it is kept')
  t.match(await save(asAda, { id: 'fresh', source: 'chat', ...kept }), { status: 201, body: { subscription: asKept } })
  t.match(await save(asAda, { id: 'ottos', last_event_at: 'soon' }), {
    status: 400,
    body: { code: 'invalid_timestamp' },
  })
  t.match(await save(asAda, { id: 'ottos', created_at: 7 }), { status: 400, body: { code: 'invalid_field' } })
  t.match(await save(BY_ADMIN_TOKEN, { id: 'ottos', owner_user_id: null, last_cursor: null, created_at: null }), {
    body: { subscription: { owner_user_id: null, last_cursor: null, created_at: asKept.created_at } },
  })
  t.match(await send('/api/subscriptions/ottos', { method: 'DELETE', headers: asAda }), { status: 204 })
})

t.test('an admin that sends back a subscription does not set the members that events change', async t => {
  await save(asAda, { id: 'whole', source: 'chat', last_cursor: '5' })
  const { body } = await send('/api/subscriptions/whole', { headers: asAda })
  const saved = await save(asAda, { ...body, enabled: false })
  t.match(saved, { status: 200, body: { subscription: { last_cursor: '5', enabled: false } } })
})

t.test('the subscriptions of a deleted user stay', async t => {
  await save(asOtto, { id: 'left', source: 'chat' })
  t.match(await send(`/api/users/${otto.id}`, { method: 'DELETE', headers: asAda }), { status: 204 })
  t.match(await send('/api/subscriptions/left', { headers: asOtto }), { status: 401 })
  t.match(await send('/api/subscriptions/left', { headers: asAda }), { status: 200, body: { owner_user_id: otto.id } })
  t.notOk((await idsSeenBy(asMia)).includes('left'))
})
