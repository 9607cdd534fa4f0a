import t from 'tap'
import { CredentialThrottle } from '../../src/login/credential-throttle.js'

/** Seconds to wait after a wrong key that is refused with 429; undefined for one that is not. */
function outcomeOf(throttle: CredentialThrottle, address: string): number | undefined {
  try {
    throttle.failed(address)
    return undefined
  } catch (error) {
    t.match(error, { category: 'throttled', code: 'too_many_attempts' })
    return (error as { retryAfterSeconds: number }).retryAfterSeconds
  }
}

t.test('an address may send ten wrong keys in the minute that begins with the first', async t => {
  let now = 0
  const throttle = new CredentialThrottle({ now: () => now })
  for (let i = 0; i < 10; i++) {
    t.equal(outcomeOf(throttle, 'a'), undefined)
    now += 5_000
  }
  t.equal(outcomeOf(throttle, 'a'), 10)
  now += 9_500
  t.equal(outcomeOf(throttle, 'a'), 1, 'whole seconds, and refused ones do not make the wait longer')
  t.equal(outcomeOf(throttle, 'b'), undefined, 'another address')
  now += 500
  for (let i = 0; i < 10; i++) t.equal(outcomeOf(throttle, 'a'), undefined)
  t.equal(outcomeOf(throttle, 'a'), 60)
})

t.test('a full throttle forgets the address that failed least recently', async t => {
  const throttle = new CredentialThrottle({ now: () => 0, maxAddresses: 2 })
  for (const address of ['a', 'b']) for (let i = 0; i < 10; i++) t.equal(outcomeOf(throttle, address), undefined)
  t.equal(outcomeOf(throttle, 'a'), 60)
  t.equal(outcomeOf(throttle, 'c'), undefined)
  t.equal(outcomeOf(throttle, 'a'), 60)
  t.equal(outcomeOf(throttle, 'b'), undefined)
})

t.test('a disabled throttle counts nothing', async t => {
  const throttle = new CredentialThrottle({ now: () => 0, enabled: false })
  for (let i = 0; i < 50; i++) t.equal(outcomeOf(throttle, 'a'), undefined)
})
