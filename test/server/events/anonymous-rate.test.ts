import t from 'tap'
import { AnonymousRate } from '../../../src/server/events/anonymous-rate.js'
import { BY_ADMIN_TOKEN, serveClosed } from '../closed-ledger.js'
import { message, serve } from '../serve.js'

const tooMany = (retryAfterSeconds: number) => ({ code: 'too_many_attempts', category: 'throttled', retryAfterSeconds })

function rateOf(eventsPerSecond: number, maxAddresses?: number) {
  let ms = 0
  const rate = new AnonymousRate({ eventsPerSecond, now: () => ms, ...(maxAddresses ? { maxAddresses } : {}) })
  const take = (address: string, events: number) => {
    rate.check(address, events)
    rate.count(address, events)
  }
  return { take, pass: (seconds: number) => (ms += seconds * 1000), rate }
}

t.test('an address may record ten seconds of events in a burst, and then as many as the rate allows', async t => {
  const { take, pass } = rateOf(5)
  take('a', 30)
  take('a', 20)
  t.throws(() => take('a', 1), tooMany(1))
  t.throws(() => take('a', 12), tooMany(3), 'a batch waits until there is room for all of it')
  take('b', 50)
  pass(1)
  take('a', 5)
  t.throws(() => take('a', 1), tooMany(1))
  pass(1_000)
  take('a', 50)
  t.throws(() => take('a', 1), tooMany(1), 'a long silence saves no more than a burst')
})

t.test('a batch that is larger than the burst waits for the full burst, and delays later requests', async t => {
  const { take, pass, rate } = rateOf(1)
  take('a', 1)
  t.throws(() => take('a', 5_000), tooMany(1))
  pass(1)
  take('a', 5_000)
  pass(4_990)
  t.throws(() => rate.check('a'), tooMany(1))
  pass(1)
  take('a', 1)
})

t.test('zero disables the limit, and the table of addresses is bounded', async t => {
  const { take } = rateOf(0)
  take('a', 1_000_000)
  take('a', 1_000_000)
  const bounded = rateOf(1, 2)
  for (const address of ['a', 'b', 'a', 'c']) bounded.take(address, 5)
  t.throws(() => bounded.take('a', 1), tooMany(1))
  bounded.take('b', 10)
})

t.test('a closed ledger limits only callers without credentials, by address', async t => {
  let ms = 0
  const settings = { anonymousRate: 1, trustedProxies: ['127.0.0.1'] }
  const { send, byToken, mia, ledger } = await serveClosed(t, { settings, elapsed: () => ms })
  const post = (body: unknown, headers = {}) => send('/api/events', { method: 'POST', headers, body })
  const batch = (from: number, length: number) => Array.from({ length }, (_, at) => message(from + at))
  t.match(await post(batch(0, 9)), { status: 200 })
  t.match(await post({ kind: 5 }), { status: 400 }, 'what is refused does not count')
  t.match(await post(message(9)), { status: 201 })
  const refused = await post('no JSON, which is not even read')
  t.match(refused, { status: 429, body: { code: 'too_many_attempts' } })
  t.match(Object.fromEntries(refused.headers), { 'retry-after': '1' })
  t.match(await post(message(10), { 'X-Forwarded-For': '192.0.2.7' }), { status: 201 }, 'another address')
  t.match(await post(message(11), await byToken(mia)), { status: 201 })
  t.match(await post(batch(12, 20), BY_ADMIN_TOKEN), { status: 200 })
  ms += 1_000
  t.match(await post(message(32)), { status: 201 })
  t.equal(ledger.events.length, 33)
})

t.test('an open ledger has no limit', async t => {
  const { post } = await serve(t, { settings: { anonymousRate: 1 } })
  for (let at = 0; at < 3; at++)
    t.match(
      await post(
        '/api/events',
        [1, 2, 3, 4, 5].map(n => message(n)),
      ),
      { status: 200 },
    )
})

t.test('with EVENT_WRITERS=tokens callers without credentials record nothing', async t => {
  const { send, byToken, logIn, mia } = await serveClosed(t, { settings: { writers: 'tokens' } })
  const post = (headers = {}) => send('/api/events', { method: 'POST', headers, body: message(1) })
  const { cookie, headers } = await logIn(mia)
  t.match(await post(), { status: 401, body: { code: 'unauthenticated' } })
  t.match(await post({ Cookie: cookie }), { status: 401 })
  t.match(await post(headers), { status: 201 })
  t.match(await post(await byToken(mia)), { status: 200 })
  t.match(await post(BY_ADMIN_TOKEN), { status: 200 })
  const open = await serve(t, { settings: { writers: 'tokens' } })
  t.match(await open.post('/api/events', message(1)), { status: 401 })
})
