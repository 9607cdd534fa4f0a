import { inspect } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { SessionRegistry } from '../../src/accounts/session-registry.js'
import { NOON } from './accounts-rig.js'

function openRegistry({ maxSessions = 1024, ttlSeconds = 60 } = {}) {
  const clock = { ms: 1_000 }
  return {
    clock,
    sessions: new SessionRegistry({
      ttlSeconds,
      maxSessions,
      elapsed: () => clock.ms,
      now: () => NOON + clock.ms * 1000,
    }),
  }
}

/** Sessions of one user, oldest first. */
async function startMany(sessions: SessionRegistry, userId: string, count: number): Promise<string[]> {
  const tokens: string[] = []
  for (let at = 0; at < count; at++) tokens.push((await sessions.start(userId)).sessionToken)
  return tokens
}

async function alive(sessions: SessionRegistry, tokens: readonly string[]): Promise<boolean[]> {
  return Promise.all(tokens.map(async token => (await sessions.find(token)) !== undefined))
}

t.test('a session is found by its token, with its own CSRF token', async t => {
  const { sessions } = openRegistry()
  const [one, two] = [await sessions.start('ada'), await sessions.start('ada')]
  t.match(one, { sessionToken: /^[\w-]{43}$/, csrfToken: /^[\w-]{43}$/ })
  t.equal(new Set([one.sessionToken, one.csrfToken, two.sessionToken, two.csrfToken]).size, 4)
  t.same(await sessions.find(one.sessionToken), { id: one.id, userId: 'ada', csrfToken: one.csrfToken })
  t.same(await sessions.find(two.sessionToken), { id: two.id, userId: 'ada', csrfToken: two.csrfToken })
})

t.test('the token itself is not kept', async t => {
  const { sessions } = openRegistry()
  const { sessionToken } = await sessions.start('ada')
  t.notOk(inspect(sessions, { depth: null, showHidden: true, maxStringLength: null }).includes(sessionToken))
})

t.test('texts that are not session tokens find nothing', async t => {
  const { sessions } = openRegistry()
  const { sessionToken } = await sessions.start('ada')
  for (const text of ['', 'x', `${sessionToken}=`, ` ${sessionToken}`, sessionToken.slice(1), '\ud800', 'a'.repeat(43)])
    t.equal(await sessions.find(text), undefined)
})

t.test('a session ends a fixed time after the login, however often it is used', async t => {
  const { clock, sessions } = openRegistry({ ttlSeconds: 60 })
  const { sessionToken } = await sessions.start('ada')
  for (let second = 0; second < 60; second++) {
    t.ok(await sessions.find(sessionToken))
    clock.ms += 1_000
  }
  t.equal(await sessions.find(sessionToken), undefined)
  t.equal(sessions.size, 0)
})

t.test('ending a session leaves other sessions', async t => {
  const { sessions } = openRegistry()
  const tokens = await startMany(sessions, 'ada', 2)
  await sessions.end(tokens[0] ?? '')
  await sessions.end('never there')
  t.same(await alive(sessions, tokens), [false, true])
})

t.test('a renewed session gets new secrets, keeps its expiry, and ends the other sessions of its user', async t => {
  const { clock, sessions } = openRegistry({ ttlSeconds: 60 })
  const [bob] = await startMany(sessions, 'bob', 1)
  const [one = '', two] = await startMany(sessions, 'ada', 2)
  const before = await sessions.find(one)
  clock.ms += 30_000
  const { sessionToken = '', csrfToken = '' } = (await sessions.renew(one)) ?? {}
  t.match([sessionToken, csrfToken], [/^[\w-]{43}$/, /^[\w-]{43}$/])
  t.not(csrfToken, before?.csrfToken)
  t.same(await alive(sessions, [one, two ?? '', sessionToken, bob ?? '']), [false, false, true, true])
  t.equal(await sessions.renew(one), undefined)
  clock.ms += 29_999
  t.same(await sessions.find(sessionToken), { id: before?.id, userId: 'ada', csrfToken })
  clock.ms += 1
  t.equal(await sessions.renew(sessionToken), undefined)
})

t.test('the live sessions of one user are listed, last used first, and ended one by one', async t => {
  const { clock, sessions } = openRegistry({ ttlSeconds: 60 })
  const [over] = await startMany(sessions, 'ada', 1)
  clock.ms = 31_000
  const one = await sessions.start('ada', { address: '192.0.2.1' })
  await sessions.start('bob')
  const two = await sessions.start('ada')
  clock.ms = 61_000
  await sessions.find(one.sessionToken)
  clock.ms = 62_500
  const began = '2027-01-15T08:00:31.000000Z'
  const listed = [
    { id: one.id, created_at: began, last_used_at: '2027-01-15T08:01:01.000000Z', address: '192.0.2.1' },
    { id: two.id, created_at: began, last_used_at: began, address: null },
  ]
  t.strictSame(await sessions.list('ada'), listed)
  t.equal(await sessions.endOf('bob', id => id === one.id), 0, "another user's session stays")
  t.equal(await sessions.endOf('ada', id => id === two.id), 1)
  t.strictSame(await sessions.list('ada'), listed.slice(0, 1))
  t.same(await alive(sessions, [over ?? '', one.sessionToken, two.sessionToken]), [false, true, false])
})

t.test('all sessions of one user end together', async t => {
  const { sessions } = openRegistry()
  const [ada, bob] = [await startMany(sessions, 'ada', 3), await startMany(sessions, 'bob', 2)]
  await sessions.endAllOf('ada')
  t.same(await alive(sessions, ada), [false, false, false])
  t.same(await alive(sessions, bob), [true, true])
})

t.test('with no room, a login replaces an expired session first', async t => {
  const { clock, sessions } = openRegistry({ maxSessions: 3, ttlSeconds: 60 })
  const over = await startMany(sessions, 'ada', 1)
  clock.ms += 30_000
  const live = await startMany(sessions, 'bob', 2)
  clock.ms += 30_000
  live.push(...(await startMany(sessions, 'eve', 1)))
  t.same(await alive(sessions, [...over, ...live]), [false, true, true, true])
})

t.test('with no room, a login replaces the least recently used session', async t => {
  const { sessions } = openRegistry({ maxSessions: 3 })
  const tokens = [...(await startMany(sessions, 'ada', 1)), ...(await startMany(sessions, 'bob', 2))]
  await sessions.find(tokens[0] ?? '')
  tokens.push(...(await startMany(sessions, 'eve', 1)))
  t.same(await alive(sessions, tokens), [true, false, true, true])
})

t.test('with no room, a user with 16 sessions loses its own least recently used', async t => {
  const { sessions } = openRegistry({ maxSessions: 17 })
  const bob = await startMany(sessions, 'bob', 1)
  const ada = await startMany(sessions, 'ada', 16)
  await sessions.find(ada[0] ?? '')
  const next = await startMany(sessions, 'ada', 1)
  t.same(await alive(sessions, [...bob, ...ada.slice(0, 3), ...next]), [true, true, false, true, true])
})

t.test('with no room, a user with 16 sessions loses one of them to the login of another', async t => {
  const { sessions } = openRegistry({ maxSessions: 18 })
  const bob = await startMany(sessions, 'bob', 2)
  const ada = await startMany(sessions, 'ada', 16)
  const eve = await startMany(sessions, 'eve', 1)
  t.same(await alive(sessions, [...bob, ...ada.slice(0, 2), ...eve]), [true, true, false, true, true])
})

t.test('with no room, a user with 15 sessions loses none of them to the login of another', async t => {
  const { sessions } = openRegistry({ maxSessions: 16 })
  const bob = await startMany(sessions, 'bob', 1)
  const ada = await startMany(sessions, 'ada', 16)
  t.same(await alive(sessions, [...bob, ...ada]), [false, ...ada.map(() => true)])
})

t.test('with room for one session, the next login replaces it', async t => {
  const { sessions } = openRegistry({ maxSessions: 1 })
  const tokens = [...(await startMany(sessions, 'ada', 1)), ...(await startMany(sessions, 'bob', 1))]
  t.same(await alive(sessions, tokens), [false, true])
})

t.test('a login that replaces a session needs no room', async t => {
  const { sessions } = openRegistry({ maxSessions: 2 })
  const [ada] = await startMany(sessions, 'ada', 1)
  const [bob = ''] = await startMany(sessions, 'bob', 1)
  const { sessionToken } = await sessions.start('bob', { replaces: bob })
  t.same(await alive(sessions, [ada ?? '', bob, sessionToken]), [true, false, true])
})

t.test(
  'for every sequence of logins, the number of sessions stays within its limit, and the newest session is valid',
  async () => {
    const userId = fc.constantFrom('ada', 'bob', 'eve')
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ does: fc.constant('start' as const), userId, replaces: fc.option(fc.nat()) }),
      },
      { weight: 3, arbitrary: fc.record({ does: fc.constant('find' as const), which: fc.nat() }) },
      fc.record({ does: fc.constant('end' as const), which: fc.nat() }),
      fc.record({ does: fc.constant('endAllOf' as const), userId }),
      fc.record({ does: fc.constant('wait' as const), ms: fc.nat(40_000) }),
    )
    const steps = fc.array(step, { maxLength: 80 })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 20 }), steps, async (maxSessions, steps) => {
        const { clock, sessions } = openRegistry({ maxSessions })
        const tokens: string[] = []
        const tokenAt = (which: number) => tokens[which % tokens.length] ?? 'none yet'
        for (const step of steps) {
          if (step.does === 'wait') clock.ms += step.ms
          else if (step.does === 'find') await sessions.find(tokenAt(step.which))
          else if (step.does === 'end') await sessions.end(tokenAt(step.which))
          else if (step.does === 'endAllOf') await sessions.endAllOf(step.userId)
          else {
            const replaces = step.replaces === null ? undefined : tokenAt(step.replaces)
            const { sessionToken, userId } = await sessions.start(step.userId, { replaces })
            tokens.push(sessionToken)
            if ((await sessions.find(sessionToken))?.userId !== userId) return false
          }
          if (sessions.size > maxSessions) return false
        }
        return true
      }),
    )
  },
)
