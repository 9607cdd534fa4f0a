import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { type Derive, derivePassword, hashPassword } from '../../src/login/password-hash.js'
import { PasswordHasher, type PasswordHasherOptions } from '../../src/login/password-hasher.js'

const BUSY = { category: 'unavailable', code: 'busy', retryAfterSeconds: 1 }

/** A hasher whose work is counted in iterations instead of timed. */
function countingHasher(iterations: number) {
  const work: number[] = []
  const derive: Derive = (password, salt, count) => {
    work.push(count)
    return derivePassword(password, salt, count)
  }
  return { hasher: new PasswordHasher({ iterations, derive }), work }
}

/** A hasher whose work ends when the test ends it. */
function heldHasher(options: PasswordHasherOptions = {}) {
  const held: (() => void)[] = []
  const derive: Derive = () => new Promise(resolve => held.push(() => resolve(Buffer.alloc(32))))
  const hasher = new PasswordHasher({ ...options, derive })
  /** Ends the oldest work, and lets waiting work begin. */
  const endOne = async () => {
    held.shift()?.()
    await new Promise(resolve => setImmediate(resolve))
  }
  return { hasher, held, endOne }
}

/** Lets timers end when the test ends them. */
function controlTime(t: Test): (ms: number) => void {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  return ms => mock.timers.tick(ms)
}

t.test('a password verifies only against its own hash', async t => {
  const hasher = new PasswordHasher({ iterations: 50 })
  const stored = await hasher.hash('right')
  t.match(stored, /^pbkdf2_sha256\$50\$/)
  t.equal(await hasher.verify(stored, 'right'), true)
  t.equal(await hasher.verify(stored, 'wrong'), false)
  t.equal(await hasher.verify(stored, ''), false)
})

t.test('the hash of a missing user matches no password', async t => {
  const hasher = new PasswordHasher({ iterations: 50 })
  for (const password of ['', 'undefined', 'x']) t.equal(await hasher.verify(undefined, password), false)
})

t.test('a failure costs the same work for every user', async t => {
  const cases: { name: string; stored: string | undefined; work: number[] }[] = [
    { name: 'a user that is unknown', stored: undefined, work: [1000] },
    { name: 'a user that is known', stored: await hashPassword('right', 1000), work: [1000] },
    { name: 'an older hash with fewer iterations', stored: await hashPassword('right', 300), work: [300, 700] },
    { name: 'a hash of one iteration', stored: await hashPassword('right', 1), work: [1, 999] },
    { name: 'a hash of an unknown format', stored: 'md5$salt$abc', work: [1000] },
    { name: 'an empty stored hash', stored: '', work: [1000] },
  ]
  for (const { name, stored, work: expected } of cases) {
    const { hasher, work } = countingHasher(1000)
    t.equal(await hasher.verify(stored, 'wrong'), false, name)
    t.same(work, expected, name)
  }
})

t.test('verifying a hash with more iterations than the current number takes its own work', async t => {
  const { hasher, work } = countingHasher(1000)
  t.equal(await hasher.verify(await hashPassword('right', 1500), 'wrong'), false)
  t.same(work, [1500])
})

t.test('a success takes the work that its hash specifies, and does not change the hash', async t => {
  const { hasher, work } = countingHasher(1000)
  t.equal(await hasher.verify(await hashPassword('right', 300), 'right'), true)
  t.same(work, [300])
})

t.test('by default, a failure takes 600,000 iterations', async t => {
  const work: number[] = []
  const derive: Derive = async (_password, _salt, iterations) => {
    work.push(iterations)
    return Buffer.alloc(32)
  }
  const hasher = new PasswordHasher({ derive })
  t.equal(await hasher.verify(undefined, 'x'), false)
  t.match(await hasher.hash('x'), /^pbkdf2_sha256\$600000\$/)
  t.same(work, [600_000, 600_000])
})

t.test('two callers hash together, sixteen wait, and one more is asked to retry', async t => {
  const { hasher, held, endOne } = heldHasher()
  const order: number[] = []
  const admitted = Array.from({ length: 18 }, (_, index) => hasher.verify(undefined, 'x').then(() => order.push(index)))
  t.equal(held.length, 2)
  await t.rejects(hasher.verify(undefined, 'x'), BUSY)
  await t.rejects(hasher.hash('x'), BUSY)
  await endOne()
  t.equal(held.length, 2)
  const late = hasher.hash('x')
  await t.rejects(hasher.hash('x'), BUSY)
  while (held.length > 0) {
    t.ok(held.length <= 2)
    await endOne()
  }
  await Promise.all([...admitted, late])
  t.same(
    order,
    Array.from({ length: 18 }, (_, index) => index),
    'first come, first served',
  )
})

t.test('a caller that waits five seconds is asked to retry, and its place is free again', async t => {
  const tick = controlTime(t)
  const { hasher, held, endOne } = heldHasher({ running: 1, waiting: 1 })
  const first = hasher.hash('x')
  const second = hasher.hash('x')
  tick(4_999)
  await t.rejects(hasher.hash('x'), BUSY, 'its place is taken until then')
  tick(1)
  await t.rejects(second, BUSY)
  const third = hasher.hash('x')
  await endOne()
  t.equal(held.length, 1)
  await endOne()
  await Promise.all([first, third])
  t.equal(held.length, 0)
})

t.test('work that takes longer than the wait does not block later callers', async t => {
  const tick = controlTime(t)
  const { hasher, held, endOne } = heldHasher({ running: 1 })
  const first = hasher.hash('x')
  const second = hasher.hash('x')
  await endOne()
  tick(1_000)
  const third = hasher.hash('x')
  tick(4_500)
  await endOne()
  t.equal(held.length, 1, 'the third has begun')
  await endOne()
  await Promise.all([first, second, third])
})

t.test('work that fails makes room for the next', async t => {
  const failing: Derive = async () => {
    throw new Error('no memory')
  }
  const hasher = new PasswordHasher({ running: 1, waiting: 3, derive: failing })
  const tries = await Promise.allSettled(Array.from({ length: 4 }, () => hasher.verify(undefined, 'x')))
  for (const { status } of tries) t.equal(status, 'rejected')
  await t.rejects(hasher.hash('x'), { message: 'no memory' })
})

t.test('the refusal does not contain the password', async t => {
  const { hasher, endOne } = heldHasher({ running: 1, waiting: 0 })
  const first = hasher.hash('x')
  const error = await hasher.verify(undefined, 'hunter2-hunter2').catch(error => error as Error)
  t.ok(error instanceof Error)
  t.notMatch(String(error), /hunter2/)
  await endOne()
  await first
})
