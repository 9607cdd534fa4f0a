import fc from 'fast-check'
import t from 'tap'
import { LoginThrottle } from '../../src/login/login-throttle.js'
import { AppError } from '../../src/model/app-error.js'

const SECOND = 1000
const MINUTE = 60 * SECOND

function setUp(options: { enabled?: boolean; maxKeys?: number } = {}) {
  const clock = { now: 1_000_000 }
  const throttle = new LoginThrottle({ now: () => clock.now, ...options })
  /** Seconds that the caller has to wait; 0 where the attempt is admitted. */
  const check = (address: string, username: string): number => {
    try {
      throttle.check(address, username)
      return 0
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return error.retryAfterSeconds ?? Number.NaN
    }
  }
  const fail = (address: string, username: string): number => {
    const wait = check(address, username)
    if (wait === 0) throttle.failed(address, username)
    return wait
  }
  /** Number of admitted attempts among a number of failing ones. */
  const failTimes = (times: number, address: string, username: string): number =>
    Array.from({ length: times }, () => fail(address, username)).filter(wait => wait === 0).length
  return { clock, throttle, check, fail, failTimes }
}

t.test('an address has ten attempts with a name in a minute, and then waits for its end', async t => {
  const { clock, throttle, check, fail, failTimes } = setUp()
  t.equal(failTimes(10, 'a', 'ada'), 10)
  t.throws(() => throttle.check('a', 'ada'), {
    category: 'throttled',
    code: 'too_many_attempts',
    retryAfterSeconds: 60,
    message: /Wait 60 seconds/,
  })
  clock.now += 59 * SECOND + 1
  t.equal(check('a', 'ada'), 1)
  clock.now += SECOND - 1
  t.equal(fail('a', 'ada'), 0)
  t.equal(failTimes(20, 'a', 'ada'), 9)
})

t.test('a window begins with its first failure', async t => {
  const { clock, fail, failTimes } = setUp()
  failTimes(5, 'a', 'ada')
  clock.now += 50 * SECOND
  failTimes(5, 'a', 'ada')
  t.equal(fail('a', 'ada'), 10)
  clock.now += 10 * SECOND
  t.equal(failTimes(20, 'a', 'ada'), 10)
})

t.test('refused attempts do not extend the wait', async t => {
  const { clock, check, failTimes } = setUp()
  failTimes(10, 'a', 'ada')
  for (let second = 0; second < 60; second++) {
    t.equal(check('a', 'ada'), 60 - second)
    clock.now += SECOND
  }
  t.equal(check('a', 'ada'), 0)
})

t.test('a throttled address does not block its name for others, nor other names for itself', async t => {
  const { check, failTimes } = setUp()
  failTimes(10, 'a', 'ada')
  t.not(check('a', 'ada'), 0)
  t.equal(check('b', 'ada'), 0)
  t.equal(check('a', 'grace'), 0)
})

t.test('names that differ in case are one name', async t => {
  const { check, failTimes } = setUp()
  t.equal(failTimes(4, 'a', 'ada') + failTimes(3, 'a', 'Ada') + failTimes(3, 'a', 'ADA'), 10)
  for (const name of ['ada', 'aDa', 'ADA']) t.not(check('a', name), 0)
})

t.test('names that are too long for a user are counted together', async t => {
  const { check, failTimes } = setUp()
  failTimes(10, 'a', 'x'.repeat(65))
  t.not(check('a', `y${'x'.repeat(4000)}`), 0)
  t.equal(check('a', 'x'.repeat(64)), 0)
})

t.test('an address has sixty attempts in five minutes, over all names', async t => {
  const { clock, check, fail } = setUp()
  const admitted = Array.from({ length: 100 }, (_, index) => fail('a', `name-${index}`)).filter(wait => wait === 0)
  t.equal(admitted.length, 60)
  t.equal(check('a', 'another'), 300)
  t.equal(check('b', 'another'), 0)
  clock.now += 5 * MINUTE - 1
  t.equal(check('a', 'another'), 1)
  clock.now += 1
  t.equal(check('a', 'another'), 0)
})

t.test('a name with a hundred failures from all addresses has one attempt in five seconds', async t => {
  const { clock, check, fail } = setUp()
  for (let index = 0; index < 100; index++) t.equal(fail(`address-${index}`, 'ada'), 0)
  t.equal(check('another', 'ada'), 5)
  clock.now += 4 * SECOND
  t.equal(check('another', 'ada'), 1)
  clock.now += SECOND
  t.equal(check('another', 'ada'), 0)
  t.equal(check('yet another', 'ada'), 5, 'the next one waits again, even while this one is in progress')
  t.equal(check('another', 'grace'), 0)
})

t.test('continuous guessing of one name is limited to 17,280 attempts a day after the first hundred', async t => {
  const { clock, check, throttle } = setUp()
  const day = 24 * 60 * MINUTE
  const end = clock.now + day
  let admitted = 0
  for (let index = 0; clock.now < end; index++) {
    const wait = check(`address-${index}`, 'ada')
    if (wait === 0) {
      admitted++
      throttle.failed(`address-${index}`, 'ada')
    } else clock.now += wait * SECOND
  }
  t.ok(admitted <= 17_280 + 100, `${admitted}`)
  t.ok(admitted >= 17_000, `${admitted}`)
})

t.test('a name is free again a quarter of an hour after the last failure', async t => {
  const { clock, fail, check } = setUp()
  for (let index = 0; index < 100; index++) fail(`address-${index}`, 'ada')
  clock.now += 10 * MINUTE
  t.equal(fail('another', 'ada'), 0)
  clock.now += 15 * MINUTE - 1
  t.equal(check('b', 'ada'), 0)
  t.equal(check('c', 'ada'), 5)
  clock.now += 1
  t.equal(check('d', 'ada'), 0)
  t.equal(check('e', 'ada'), 0)
})

t.test('a success clears the failures of this address with this name, and no others', async t => {
  const { clock, throttle, check, failTimes } = setUp()
  failTimes(9, 'a', 'ada')
  t.equal(check('a', 'ada'), 0)
  throttle.succeeded('a', 'ada')
  t.equal(failTimes(20, 'a', 'ada'), 10)
  for (let index = 0; index < 41; index++) failTimes(1, 'a', `name-${index}`)
  t.ok(check('a', 'grace') > 60, 'the address has its sixty failures')
  clock.now += 5 * MINUTE
  t.equal(check('a', 'grace'), 0)
})

t.test('any number of successes is allowed', async t => {
  const { throttle, check } = setUp()
  for (let index = 0; index < 500; index++) {
    if (check('a', 'ada') !== 0) t.fail(`refused at ${index}`)
    throttle.succeeded('a', 'ada')
  }
  t.equal(check('a', 'ada'), 0)
})

t.test('concurrent attempts count while they are in progress', async t => {
  const { clock, throttle, check } = setUp()
  for (let index = 0; index < 10; index++) t.equal(check('a', 'ada'), 0)
  t.equal(check('a', 'ada'), 1, 'it may come back soon, as they may yet succeed')
  throttle.succeeded('a', 'ada')
  t.equal(check('a', 'ada'), 0)
  for (let index = 0; index < 10; index++) throttle.failed('a', 'ada')
  t.equal(check('a', 'ada'), 60)
  clock.now += MINUTE
  t.equal(check('a', 'ada'), 0)
})

t.test('an attempt that ends without a result does not count', async t => {
  const { throttle, check, failTimes } = setUp()
  for (let index = 0; index < 500; index++) {
    if (check('a', 'ada') !== 0) t.fail(`refused at ${index}`)
    throttle.abandoned('a', 'ada')
  }
  t.equal(failTimes(20, 'a', 'ada'), 10)
})

t.test('attempts whose end is never reported are forgotten with their window', async t => {
  const { clock, check } = setUp()
  for (let index = 0; index < 10; index++) check('a', 'ada')
  t.equal(check('a', 'ada'), 1)
  clock.now += MINUTE
  t.equal(check('a', 'ada'), 0)
})

t.test('an attempt that ends after its window counts in the next one', async t => {
  const { clock, throttle, check } = setUp()
  check('a', 'ada')
  clock.now += 2 * MINUTE
  throttle.failed('a', 'ada')
  for (let index = 0; index < 9; index++) t.equal(check('a', 'ada'), 0)
  t.equal(check('a', 'ada'), 1)
})

t.test('a disabled throttle admits every attempt', async t => {
  const { throttle, failTimes } = setUp({ enabled: false })
  t.equal(failTimes(1000, 'a', 'ada'), 1000)
  throttle.succeeded('a', 'ada')
  throttle.abandoned('a', 'ada')
})

t.test('a full throttle forgets the least recent attempts', async t => {
  const { throttle, check, fail, failTimes } = setUp({ maxKeys: 30 })
  failTimes(10, 'a', 'ada')
  failTimes(10, 'b', 'ada')
  for (let index = 0; index < 5; index++) fail(`c${index}`, `name-${index}`)
  t.not(check('b', 'ada'), 0, 'five attempts of three keys each leave room')
  for (let index = 0; index < 10; index++) fail(`d${index}`, `name-${index}`)
  t.equal(check('a', 'ada'), 0)
  throttle.abandoned('a', 'ada')
})

type Step = { act: 'fail' | 'succeed' | 'abandon' | 'leave' | 'pass'; address: string; username: string; ms: number }
const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom('fail', 'fail', 'fail', 'succeed', 'abandon', 'leave', 'pass'),
  address: fc.constantFrom('a', 'b', 'c'),
  username: fc.constantFrom('ada', 'Ada', 'grace', ''),
  ms: fc.constantFrom(0, 1, 500, 5_000, 30_000, 59_999, 60_000, 300_000, 900_000),
})

t.test(
  'for every sequence of attempts, no window admits more failures than its limit, and no caller waits longer than its window',
  async t => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 50, maxLength: 400 }), steps => {
        const { clock, throttle, check } = setUp()
        const failures: { at: number; address: string; username: string }[] = []
        for (const { act, address, username, ms } of steps) {
          if (act === 'pass') {
            clock.now += ms
            continue
          }
          const wait = check(address, username)
          if (!Number.isInteger(wait) || wait < 0 || wait > 300) return false
          if (wait > 0) continue
          if (act === 'succeed') throttle.succeeded(address, username)
          if (act === 'abandon') throttle.abandoned(address, username)
          if (act !== 'fail') continue
          throttle.failed(address, username)
          failures.push({ at: clock.now, address, username: username.toLowerCase() })
          // A span of time may overlap two windows, so it has at most twice the limit.
          const since = (ms: number) => failures.filter(failure => failure.at > clock.now - ms)
          const ofAddress = since(5 * MINUTE).filter(failure => failure.address === address)
          if (ofAddress.length > 2 * 60) return false
        }
        return true
      }),
      { numRuns: 100 },
    )
    t.pass()
  },
)

t.test('without successes an address never passes ten failures with a name in the minute from the first', async t => {
  const gap = fc.constantFrom(0, 0, 0, 100, 1_000, 5_000, 20_000, 61_000)
  fc.assert(
    fc.property(fc.array(gap, { minLength: 30, maxLength: 200 }), gaps => {
      const { clock, fail } = setUp()
      let [begun, count] = [Number.NEGATIVE_INFINITY, 0]
      for (const ms of gaps) {
        clock.now += ms
        if (clock.now >= begun + MINUTE) [begun, count] = [clock.now, 0]
        const isAdmitted = fail('a', 'ada') === 0
        if (!isAdmitted && count < 10 && ms === 61_000) return false
        if (isAdmitted && ++count > 10) return false
      }
      return true
    }),
    { numRuns: 200 },
  )
  t.pass()
})

t.test('strangers who keep trying a name do not lock out the user who has logged in from there before', async t => {
  const { throttle, check, failTimes } = setUp()
  t.equal(check('home', 'ada'), 0)
  throttle.succeeded('home', 'ada')
  for (let stranger = 0; stranger < 10; stranger++) failTimes(10, `stranger ${stranger}`, 'ada')
  t.equal(check('elsewhere', 'ada'), 5, 'the name is slowed down')
  t.equal(check('home', 'ada'), 0)
  throttle.failed('home', 'ada')
  t.equal(failTimes(20, 'home', 'ada'), 9, 'which is no more tries than anybody has')
})
