import fc from 'fast-check'
import type { Test } from 'tap'
import type { StoredToken, StoredUser, UserChanges, UserStore } from '../../src/store/user-store.js'
import { messageCreated, readStored } from '../support/events.js'
import { storedSubscription } from '../support/subscription.js'
import type { OpenStore } from './event-store-conformance.js'

const NINE = '2031-05-04T09:00:00.000000Z'
const TEN = '2031-05-04T10:00:00.000000Z'
const STRICT = { mayLoseLastAdmin: false }
const LAX = { mayLoseLastAdmin: true }
const TAKEN = { category: 'conflict', code: 'username_taken' }
const LAST_ADMIN = { category: 'conflict', code: 'last_admin' }

const NAME = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/)

/** A complete user of that name; everything else may be overridden. */
export function userNamed(username: string, changes: Partial<StoredUser> = {}): StoredUser {
  return {
    id: `id-${username}`,
    username,
    role: 'member',
    enabled: true,
    password_hash: `pbkdf2_sha256$600000$${'ab'.repeat(16)}$${'cd'.repeat(32)}`,
    created_at: NINE,
    updated_at: NINE,
    ...changes,
  }
}

function adminNamed(username: string, changes: Partial<StoredUser> = {}): StoredUser {
  return userNamed(username, { role: 'admin', ...changes })
}

/** The n-th token of a user. */
function tokenOf(user: StoredUser, n: number): StoredToken {
  const id = `${user.id}-token-${n}`
  const sources = n % 2 === 0 ? ['ci', 'ci.nightly'] : []
  return {
    id,
    user_id: user.id,
    digest: `digest of ${id}`,
    prefix: 'tok_abcd',
    created_at: NINE,
    last_used_at: null,
    may: sources.length > 0 ? 'write' : 'all',
    sources,
    ...(n % 2 === 0 ? { name: 'Größe № 1', expires_at: TEN } : { name: null, expires_at: null }),
  }
}

/** Tests of users for every engine. */
export function userStoreConformance(t: Test, open: OpenStore): void {
  t.test('an id that no store can have names no user', async t => {
    const { users } = await open(t)
    for (const id of ['id-ada\0', 'id-\ud800']) {
      t.equal(await users.findById(id), undefined)
      t.equal(await users.update(id, { enabled: false, updated_at: TEN }, LAX), undefined)
      t.equal(await users.delete(id, LAX), false)
      const token = tokenOf({ ...userNamed('ada'), id }, 1)
      await t.rejects(users.addToken({ ...token, id: 'token' }, 1), { category: 'not_found', code: 'not_found' })
    }
  })

  t.test('a ledger is open until its first user exists, and never again', async t => {
    const { users } = await open(t)
    t.equal(await users.isClosed(), false)
    await users.create(userNamed('ada', { enabled: false }))
    t.equal(await users.isClosed(), true)
    await users.delete('id-ada', STRICT)
    t.same(await users.list(), [])
    t.equal(await users.isClosed(), true)
  })

  t.test('a ledger that had an admin token stays closed', async t => {
    const { users } = await open(t)
    await users.markClosed()
    t.equal(await users.isClosed(), true)
    await users.markClosed()
    t.equal(await users.isClosed(), true)
  })

  t.test('a refusal does not fail other writes of its transaction', async t => {
    const { events, subscriptions, users } = await open(t)
    const ada = adminNamed('ada')
    await users.create(ada)
    const refused = () =>
      Promise.allSettled([
        users.create(userNamed('ADA', { id: 'other' })),
        users.update(ada.id, { enabled: false, updated_at: TEN }, STRICT),
        users.delete(ada.id, STRICT),
        users.addToken(tokenOf(userNamed('nobody'), 1), 20),
      ])
    for (let round = 0; round < 5; round++) {
      const before = refused()
      const recorded = events.record([messageCreated(`chat:${round}`)])
      // By then the event is on its way to the store, and what follows joins it.
      await new Promise(setImmediate)
      const settled = [...(await refused()), ...(await before)]
      t.ok(settled.every(({ status }) => status === 'rejected'))
      t.match(await recorded, [{ created: true }])
      t.match(await readStored(events, `chat:${round}`), { dedupe_key: `chat:${round}` })
    }
    t.match(await events.stats(), { event_count: 5 })
    t.strictSame(await users.list(), [{ ...ada, token_count: 0 }])
    t.same(await subscriptions.list(), [])
  })

  t.test('deleting a user deletes its tokens, and keeps its subscriptions', async t => {
    const { users, subscriptions } = await open(t)
    const ada = userNamed('ada')
    await users.create(ada)
    await users.addToken(tokenOf(ada, 1), 20)
    await subscriptions.save(
      storedSubscription({
        target: 'stream:eng',
        capture_modes: ['webhook'],
        owner_user_id: ada.id,
        created_at: NINE,
        updated_at: NINE,
      }),
    )
    t.equal(await users.delete(ada.id, STRICT), true)
    t.equal(await users.delete(ada.id, STRICT), false)
    t.equal(await users.findById(ada.id), undefined)
    t.equal(await users.findByTokenDigest(tokenOf(ada, 1).digest), undefined)
    t.match(await subscriptions.list(ada.id), [{ id: 'watch' }])

    await users.create({ ...ada, id: 'another' })
    t.same(await users.listTokens('another'), [], 'who comes next under the name inherits nothing')
  })

  t.test('users of one ledger', async t => {
    const { users } = await open(t)
    usersOfOneLedger(t, t => {
      t.teardown(async () => {
        for (const { id } of await users.list()) await users.delete(id, LAX)
      })
      return users
    })
  })
}

type WithoutUsers = (t: Test) => UserStore

function usersOfOneLedger(t: Test, withoutUsers: WithoutUsers): void {
  t.test('a user is found as it was created, by id and by name', async t => {
    const users = withoutUsers(t)
    const ada = adminNamed('Ada')
    await users.create(ada)
    t.strictSame(await users.findById('id-Ada'), ada)
    t.strictSame(await users.findByUsername('Ada'), ada)
    t.equal(await users.findById('id-ada'), undefined, 'ids have a case')
    t.equal(await users.findById('id-Ada\0'), undefined)
    t.equal(await users.findByUsername('Ad'), undefined)
    t.equal(await users.findByUsername(''), undefined)
  })

  t.test('names that differ only in case are one name', async t => {
    const users = withoutUsers(t)
    let id = 0
    await fc.assert(
      fc.asyncProperty(NAME, async name => {
        if (await users.findByUsername(name)) return
        await users.create(userNamed(name, { id: String(++id) }))
        for (const other of [name, name.toUpperCase(), name.toLowerCase()]) {
          t.match(await users.findByUsername(other), { id: String(id), username: name })
          await t.rejects(users.create(userNamed(other, { id: `not ${id}` })), TAKEN)
          t.equal(await users.findById(`not ${id}`), undefined)
        }
      }),
      { numRuns: 20 },
    )
  })

  t.test('look-alike characters make a different name', async t => {
    const users = withoutUsers(t)
    await users.create(userNamed('kiss'))
    for (const lookAlike of [
      '\u212aiss',
      'ki\u017fs',
      'kıss',
      'ｋiss',
      'kiß',
      'kiss\0',
      'kiss\0x',
      'kiss\ud800',
      'kissabc\ud800',
      ' kiss',
      'kiss ',
    ]) {
      t.equal(await users.findByUsername(lookAlike), undefined, JSON.stringify(lookAlike))
    }
  })

  t.test('one of several concurrent creations of a name succeeds', async t => {
    const users = withoutUsers(t)
    const creates = Array.from({ length: 10 }, (_, n) =>
      users.create(userNamed(n % 2 ? 'ada' : 'ADA', { id: `u${n}` })),
    )
    const settled = await Promise.allSettled(creates)
    t.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1)
    t.equal((await users.list()).length, 1)
  })

  t.test('users are listed by name, in any case', async t => {
    const users = withoutUsers(t)
    t.same(await users.list(), [])
    for (const name of ['bob', 'Ada', 'Zoe', 'carol', '7of9']) await users.create(userNamed(name))
    t.same(
      (await users.list()).map(user => user.username),
      ['7of9', 'Ada', 'bob', 'carol', 'Zoe'],
    )
  })

  t.test('a change keeps other members, and is visible to the next read', async t => {
    const users = withoutUsers(t)
    const ada = userNamed('ada')
    await users.create(ada)
    const steps: UserChanges[] = [
      { role: 'admin', updated_at: TEN },
      { enabled: false, updated_at: NINE },
      { password_hash: 'another', updated_at: TEN },
      { updated_at: NINE },
    ]
    let expected = ada
    for (const changes of steps) {
      expected = { ...expected, ...changes }
      t.strictSame(await users.update(ada.id, changes, LAX), expected)
      t.strictSame(await users.findById(ada.id), expected)
    }
    const late = { password_hash: 'late', replaces_hash: ada.password_hash, updated_at: TEN }
    t.equal(await users.update(ada.id, late, LAX), undefined, 'another change of the password took precedence')
    t.strictSame(await users.findById(ada.id), expected)
    const { replaces_hash: _, ...changed } = { ...late, replaces_hash: expected.password_hash }
    t.strictSame(await users.update(ada.id, { ...changed, replaces_hash: 'another' }, LAX), { ...expected, ...changed })
    t.equal(await users.update('unknown', { role: 'admin', updated_at: TEN }, STRICT), undefined)
  })

  lastAdmin(t, withoutUsers)
  tokens(t, withoutUsers)
}

function lastAdmin(t: Test, withoutUsers: WithoutUsers): void {
  const takeAway: Record<string, (users: UserStore, id: string, rule: typeof LAX) => Promise<unknown>> = {
    disabled: (users, id, rule) => users.update(id, { enabled: false, updated_at: TEN }, rule),
    demoted: (users, id, rule) => users.update(id, { role: 'member', updated_at: TEN }, rule),
    deleted: (users, id, rule) => users.delete(id, rule),
  }
  for (const [what, take] of Object.entries(takeAway)) {
    t.test(`the last enabled admin is not ${what}, unless there is an admin token`, async t => {
      const users = withoutUsers(t)
      const ada = adminNamed('ada')
      for (const user of [ada, adminNamed('off', { enabled: false }), userNamed('bob')]) await users.create(user)
      await t.rejects(take(users, ada.id, STRICT), LAST_ADMIN)
      t.strictSame(await users.findById(ada.id), ada)

      await users.create(adminNamed('eve'))
      const racing = await Promise.allSettled([take(users, ada.id, STRICT), take(users, 'id-eve', STRICT)])
      t.same(racing.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
      const [left, ...others] = (await users.list()).filter(user => user.role === 'admin' && user.enabled)
      t.same(others, [])

      t.ok(await take(users, left?.id ?? '', LAX))
      t.ok(await take(users, 'id-off', STRICT), 'who is not an enabled admin anyway')
      t.ok(await take(users, 'id-bob', STRICT), 'who is not an enabled admin anyway')
    })
  }

  t.test('the last admin may change everything else', async t => {
    const users = withoutUsers(t)
    await users.create(adminNamed('ada'))
    const changes = { role: 'admin', enabled: true, password_hash: 'another', updated_at: TEN } as const
    t.match(await users.update('id-ada', changes, STRICT), changes)
  })
}

function tokens(t: Test, withoutUsers: WithoutUsers): void {
  t.test('a token is found by its digest, with its user as that is now', async t => {
    const users = withoutUsers(t)
    const ada = userNamed('ada', { created_at: TEN })
    const [token, limited] = [tokenOf(ada, 1), tokenOf(ada, 2)]
    await users.create(ada)
    for (const each of [token, limited]) await users.addToken(each, 20)
    t.strictSame(await users.findByTokenDigest(limited.digest), { token: limited, user: ada })
    t.strictSame(await users.findByTokenDigest(token.digest), { token, user: ada })
    const disabled = { enabled: false, updated_at: TEN }
    await users.update(ada.id, disabled, STRICT)
    t.strictSame(await users.findByTokenDigest(token.digest), { token, user: { ...ada, ...disabled } })
    t.equal(await users.findByTokenDigest(token.digest.toUpperCase()), undefined)
    t.equal(await users.findByTokenDigest(''), undefined)
  })

  t.test('a read after a reported change returns the changed row, even among concurrent reads', async t => {
    const users = withoutUsers(t)
    const ada = adminNamed('ada')
    const token = tokenOf(ada, 1)
    await users.create(ada)
    await users.addToken(token, 20)
    const ask = async () => {
      const [user, owned] = await Promise.all([users.findById(ada.id), users.findByTokenDigest(token.digest)])
      return [user?.enabled, owned?.user.enabled]
    }
    const asked: Promise<unknown>[] = []
    for (let round = 1; round <= 50; round++) {
      const enabled = round % 2 === 0
      asked.push(ask())
      const change = users.update(ada.id, { enabled, updated_at: NINE }, LAX)
      asked.push(ask())
      await change
      asked.push(ask())
      t.same(await ask(), [enabled, enabled])
    }
    await users.deleteToken(ada.id, token.id)
    asked.push(ask())
    t.same(await ask(), [true, undefined])
    await Promise.all(asked)
  })

  t.test('the last use of a token is stored', async t => {
    const users = withoutUsers(t)
    const ada = userNamed('ada')
    await users.create(ada)
    await users.addToken(tokenOf(ada, 1), 20)
    await users.addToken(tokenOf(ada, 2), 20)
    await users.noteTokenUse('id-ada-token-2', TEN)
    await users.noteTokenUse('a revoked token', TEN)
    t.match(await users.listTokens(ada.id), [{ last_used_at: null }, { last_used_at: TEN }])
    t.match(await users.findByTokenDigest(tokenOf(ada, 2).digest), { token: { last_used_at: TEN } })
  })

  t.test('the newest tokens of a user are kept, even if the clock steps back', async t => {
    const users = withoutUsers(t)
    const [ada, bob] = [userNamed('ada'), userNamed('bob')]
    for (const user of [ada, bob]) await users.create(user)
    await users.addToken(tokenOf(bob, 1), 3)
    for (const [n, created_at] of [TEN, TEN, NINE, NINE, TEN].entries()) {
      await users.addToken({ ...tokenOf(ada, n), created_at }, 3)
    }
    t.same(
      (await users.listTokens(ada.id)).map(token => token.id),
      ['id-ada-token-2', 'id-ada-token-3', 'id-ada-token-4'],
    )
    t.equal(await users.findByTokenDigest(tokenOf(ada, 1).digest), undefined)
    t.strictSame(await users.listTokens(bob.id), [tokenOf(bob, 1)])
  })

  t.test('an unknown user has no tokens', async t => {
    const users = withoutUsers(t)
    const unknown = userNamed('unknown')
    await t.rejects(users.addToken(tokenOf(unknown, 1), 20), { category: 'not_found', code: 'not_found' })
    t.same(await users.listTokens(unknown.id), [])
    t.equal(await users.deleteToken(unknown.id, 'id-unknown-token-1'), false)
    t.equal(await users.deleteTokens(unknown.id), 0)
  })

  t.test('tokens are revoked one by one, or all of a user', async t => {
    const users = withoutUsers(t)
    const [ada, bob] = [userNamed('ada'), userNamed('bob')]
    for (const user of [ada, bob]) {
      await users.create(user)
      for (const n of [1, 2, 3]) await users.addToken(tokenOf(user, n), 20)
    }
    t.equal(await users.deleteToken(bob.id, 'id-ada-token-2'), false, 'not by another user')
    t.equal(await users.deleteToken(ada.id, 'id-ada-token-2\0'), false)
    t.equal(await users.deleteTokens('id-ada\0'), 0)
    t.equal(await users.deleteToken(ada.id, 'id-ada-token-2'), true)
    t.equal(await users.deleteToken(ada.id, 'id-ada-token-2'), false)
    t.same(
      (await users.listTokens(ada.id)).map(token => token.id),
      ['id-ada-token-1', 'id-ada-token-3'],
    )
    t.match(await users.list(), [{ token_count: 2 }, { token_count: 3 }], 'and counted where users are listed')
    t.equal(await users.deleteTokens(ada.id), 2)
    t.same(await users.listTokens(ada.id), [])
    t.equal(await users.findByTokenDigest(tokenOf(ada, 1).digest), undefined)
    t.equal((await users.listTokens(bob.id)).length, 3)
  })
}
