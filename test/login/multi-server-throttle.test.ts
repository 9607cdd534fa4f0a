import t from 'tap'
import { LoginThrottle, WINDOWS } from '../../src/login/login-throttle.js'
import { MultiServerThrottle } from '../../src/login/multi-server-throttle.js'

const ADA = ['192.0.2.1', 'ada'] as const
const REFUSED = { code: 'too_many_attempts' }

/** A throttle whose shared counts have one failure less than the limit, and whose reads and additions can be held. */
function almostFull() {
  let failures: number = WINDOWS.pair.failures - 1
  const held = { read: Promise.resolve(), add: Promise.resolve() }
  let reads = 0
  const throttle = new MultiServerThrottle(new LoginThrottle({ now: () => 0 }), {
    read: async keys => {
      reads++
      const found = keys.map(() => ({ failures, leftMs: 60_000, sinceMs: 0 }))
      await held.read
      return found
    },
    add: async () => {
      await held.add
      failures++
    },
    clear: async () => {},
  })
  return { throttle, held, countReads: () => reads }
}

function hold(held: { read: Promise<void>; add: Promise<void> }, what: 'read' | 'add'): () => void {
  let release = () => {}
  held[what] = new Promise(resolve => {
    release = resolve
  })
  return release
}

t.test('a failure that is not yet in the shared counts counts', async t => {
  const { throttle, held } = almostFull()
  await throttle.check(...ADA)
  const release = hold(held, 'add')
  const failed = throttle.failed(...ADA)
  await t.rejects(throttle.check(...ADA), REFUSED)
  release()
  await failed
  await t.rejects(throttle.check(...ADA), REFUSED)
})

t.test('a failure that is added while the shared counts are read counts', async t => {
  const { throttle, held } = almostFull()
  await throttle.check(...ADA)
  const release = hold(held, 'read')
  const next = throttle.check(...ADA)
  await throttle.failed(...ADA)
  release()
  await t.rejects(next, REFUSED)
})

t.test('the counts are not read again for the failures of others', async t => {
  const { throttle, held, countReads } = almostFull()
  const release = hold(held, 'read')
  const check = throttle.check(...ADA)
  await throttle.failed('192.0.2.2', 'eve')
  release()
  await check
  t.equal(countReads(), 1)
})

t.test('a failure that cannot be added is reported, and its attempt is no longer in progress', async t => {
  const { throttle, held } = almostFull()
  await throttle.check(...ADA)
  held.add = Promise.reject(new Error('the database is away'))
  await t.rejects(throttle.failed(...ADA), { message: 'the database is away' })
  await t.resolves(throttle.check(...ADA))
})
