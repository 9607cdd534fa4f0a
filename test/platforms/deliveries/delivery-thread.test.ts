import { mock } from 'node:test'
import t, { type Test } from 'tap'
import type { WebhookDelivery } from '../../../src/platforms/adapter.js'
import { ADAPTERS, adapterOf } from '../../../src/platforms/adapters.js'
import { acceptLargeDelivery, type DeliveryRules } from '../../../src/platforms/deliveries/accept-delivery.js'
import { DeliveryThread, type DeliveryThreadLimits } from '../../../src/platforms/deliveries/delivery-thread.js'
import { adapterFixtures, toDelivery } from '../adapter-fixtures.js'

const OPEN: DeliveryRules = { secrets: [], requireVerified: false, context: {} }

/** Longer than a busy machine needs for all deliveries of these tests. */
const PATIENT: Partial<DeliveryThreadLimits> = { waitMs: 300_000, unverifiedMs: 300_000, verifiedMs: 300_000 }

function startThread(t: Test, limits: Partial<DeliveryThreadLimits> = {}): DeliveryThread {
  const thread = new DeliveryThread({ ...PATIENT, ...limits })
  t.teardown(() => thread.close())
  return thread
}

/** Replaces timers, so that the test ends them independently of the thread. */
function controlTime(t: Test): (ms: number) => void {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  return ms => mock.timers.tick(ms)
}

function issue(padding: unknown): WebhookDelivery {
  const body = JSON.stringify({ action: 'opened', issue: { id: 501 }, padding })
  return { headers: { 'x-github-event': 'issues' }, body: Buffer.from(body) }
}

t.test('every delivery has the same result on the worker thread as on the main thread', async t => {
  const thread = startThread(t)
  for (const adapter of ADAPTERS) {
    const { source } = adapter.catalogue
    for (const fixture of adapterFixtures(adapter, source.replace('_', '-')).readFixtures()) {
      const here = acceptLargeDelivery(adapter, toDelivery(fixture), OPEN)
      t.same(await thread.take(adapter, toDelivery(fixture), OPEN), here, `${source} ${fixture.name}`)
    }
  }
})

t.test('deliveries of one size are processed in the order of arrival, regardless of earlier results', async t => {
  const thread = startThread(t)
  const adapter = adapterOf('code_a')
  const done: string[] = []
  const take = (name: string, delivery: WebhookDelivery, rules = OPEN) =>
    thread.take(adapter, delivery, rules).then(
      () => done.push(name),
      error => done.push(`${name} ${error.code}`),
    )
  await Promise.all([
    take('a', issue('x'.repeat(1_000_000))),
    take('b', { headers: {}, body: Buffer.from('[') }),
    take('c', issue('x'), { ...OPEN, secrets: ['s'] }),
    take('d', issue('x')),
  ])
  t.strictSame(done, ['a', 'b invalid_json', 'c signature_invalid', 'd'])
})

t.test('verified deliveries take precedence, then the smallest', async t => {
  const thread = startThread(t)
  const done: string[] = []
  const take = async (name: string, size: number, rules = OPEN) => {
    await thread.take(adapterOf('code_a'), issue('x'.repeat(size)), rules)
    done.push(name)
  }
  const verified: DeliveryRules = { ...OPEN, secrets: ['s'], verified: 'signature' }
  await Promise.all([
    take('first', 10),
    take('large', 500_000),
    take('small', 300_000),
    take('verified', 900_000, verified),
    take('verified later', 10, verified),
  ])
  t.strictSame(done, ['first', 'verified', 'verified later', 'small', 'large'])
})

t.test('a delivery that waits too long is refused, unless it is verified', async t => {
  const thread = startThread(t, { waitMs: 1_000 })
  const tick = controlTime(t)
  const busy = { category: 'unavailable', code: 'busy', retryAfterSeconds: 5 }
  const first = thread.take(adapterOf('code_a'), issue('x'.repeat(5_000_000)), OPEN)
  const unverified = thread.take(adapterOf('code_a'), issue('x'), OPEN)
  const verified = thread.take(adapterOf('code_a'), issue('x'), { ...OPEN, secrets: ['s'], verified: 'signature' })
  tick(1_000)
  await t.rejects(unverified, busy)
  t.match(await first, { verified: 'none' }, 'the one that is being taken does not wait')
  t.match(await verified, { verified: 'signature' })
})

t.test('a delivery that takes too long is refused, and the next one is accepted', async t => {
  const thread = startThread(t, { unverifiedMs: 1_000 })
  const tick = controlTime(t)
  const members = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`member ${index}`, index]))
  const verified: DeliveryRules = { ...OPEN, secrets: ['s'], verified: 'signature' }
  const slow = thread.take(adapterOf('code_a'), issue(members), OPEN)
  const next = thread.take(adapterOf('code_a'), issue('x'), verified)
  tick(1_000)
  await t.rejects(slow, { category: 'unavailable', code: 'busy' })
  t.match(await next, { verified: 'signature', events: [{ event: { kind: 'issue.created' } }] })
})

t.test('a body in a buffer of its own is transferred, one in a shared buffer is copied', async t => {
  const thread = startThread(t)
  const own = { ...issue('x'), body: new Uint8Array(issue('x').body) }
  await thread.take(adapterOf('code_a'), own, OPEN)
  t.equal(own.body.byteLength, 0)
  const shared = Buffer.concat([issue('x').body, Buffer.from('rest')])
  const part = { ...issue('x'), body: shared.subarray(0, -4) }
  await thread.take(adapterOf('code_a'), part, OPEN)
  t.equal(part.body.byteLength, shared.length - 4)
})

t.test('JSON that needs too much memory is refused, and the next delivery is accepted', async t => {
  const thread = startThread(t, { memoryMb: 48 })
  const wasteful = issue(Array.from({ length: 1_500_000 }, () => ({})))
  await t.rejects(thread.take(adapterOf('code_a'), wasteful, OPEN), { category: 'too_large', code: 'body_too_large' })
  t.match(await thread.take(adapterOf('code_a'), issue('x'), OPEN), { events: [{ event: { kind: 'issue.created' } }] })
})

t.test('thousands of events in one delivery all arrive, in order', async t => {
  const thread = startThread(t)
  const messages = Array.from({ length: 1_700 }, (_, id) => ({ id: id + 1, type: 'stream', content: `word ${id}` }))
  const delivery = { headers: {}, body: Buffer.from(JSON.stringify({ messages })) }
  const { events } = await thread.take(adapterOf('chat'), delivery, OPEN)
  t.strictSame(
    events.map(({ event }) => event.subject_id),
    messages.map(({ id }) => String(id)),
  )
})

t.test('closing waits for accepted deliveries, and can be repeated', async t => {
  const thread = new DeliveryThread()
  const taken = thread.take(adapterOf('code_a'), issue('x'.repeat(500_000)), OPEN)
  await thread.close()
  t.match(await taken, { events: [{}] })
  await thread.close()
})
