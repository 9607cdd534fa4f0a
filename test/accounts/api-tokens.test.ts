import t from 'tap'
import { ANONYMOUS } from '../../src/accounts/identity.js'
import { toSecretDigest } from '../../src/accounts/secret-digest.js'
import { MINUTE, startWithUsers } from './accounts-rig.js'

const NOT_FOUND = { category: 'not_found', code: 'not_found' }

t.test('a token is shown once, and stored as its digest', async t => {
  const { rig, accounts, bob } = await startWithUsers()
  const { token, ...issued } = await accounts.tokens.issue(bob.id)
  t.match(token, /^tok_[\w-]{43}$/)
  const terms = { may: 'all', sources: [], name: null, expires_at: null }
  t.same(issued, { id: issued.id, prefix: token.slice(0, 8), ...terms, created_at: '2027-01-15T08:00:00.000000Z' })
  t.same(await accounts.tokens.list(bob.id), [{ ...issued, last_used_at: null }])
  const [stored] = await rig.users.listTokens(bob.id)
  t.match(stored?.digest, /^[0-9a-f]{64}$/)
  t.equal(stored?.digest, toSecretDigest(token))
  t.match(await accounts.identify({ bearer: token }), { kind: 'token', user: bob })
})

t.test('an expired token is refused without additional reads of the store, and stays in the list', async t => {
  const { rig, accounts, bob } = await startWithUsers()
  const terms = { name: 'nightly import', expires_at: '2027-01-15T09:01:00+01:00' }
  const { token, ...issued } = await accounts.tokens.issue(bob.id, undefined, terms)
  t.match(issued, { name: 'nightly import', expires_at: '2027-01-15T08:01:00.000000Z' })
  t.match(await accounts.listLog(1), [{ changes: { token: { name: issued.name, expires_at: issued.expires_at } } }])
  rig.wallMicros += MINUTE - 1
  t.match(await accounts.identify({ bearer: token }), { kind: 'token', user: bob })
  rig.wallMicros += 1
  rig.asked.length = 0
  t.same(await accounts.identify({ bearer: token }), ANONYMOUS)
  t.same(rig.asked, ['findByTokenDigest'], 'its use is not noted')
  t.match(await accounts.tokens.list(bob.id), [{ ...issued, last_used_at: '2027-01-15T08:00:59.999999Z' }])
  await t.rejects(accounts.tokens.issue(bob.id, undefined, terms), { errors: [{ field: '/expires_at' }] })
  const withoutZone = { expires_at: '2031-05-04T09:00:00' }
  await t.rejects(accounts.tokens.issue(bob.id, undefined, withoutZone), { errors: [{ detail: /has no zone/ }] })
})

t.test('a user has at most twenty tokens; issuing one more revokes the oldest', async t => {
  const { accounts, bob } = await startWithUsers()
  const tokens: string[] = []
  for (let at = 0; at < 21; at++) tokens.push((await accounts.tokens.issue(bob.id)).token)
  const kinds = await Promise.all(tokens.map(async bearer => (await accounts.identify({ bearer })).kind))
  t.same(kinds, ['anonymous', ...tokens.slice(1).map(() => 'token')])
  t.equal((await accounts.tokens.list(bob.id)).length, 20)
})

t.test('tokens are revoked one by one, by their own user only', async t => {
  const { accounts, ada, bob } = await startWithUsers()
  const [one, two] = [await accounts.tokens.issue(bob.id), await accounts.tokens.issue(bob.id)]
  await t.rejects(accounts.tokens.revoke(ada.id, one.id), NOT_FOUND)
  await accounts.tokens.revoke(bob.id, one.id)
  t.same(await accounts.identify({ bearer: one.token }), ANONYMOUS)
  t.match(await accounts.identify({ bearer: two.token }), { kind: 'token' })
  await t.rejects(accounts.tokens.revoke(bob.id, one.id), NOT_FOUND)
  await t.rejects(accounts.tokens.revoke(bob.id, two.token), NOT_FOUND)
})

t.test('all tokens of a user are revoked together, and a user without tokens is no error', async t => {
  const { accounts, ada, bob } = await startWithUsers()
  const others = await accounts.tokens.issue(ada.id)
  const tokens = [await accounts.tokens.issue(bob.id), await accounts.tokens.issue(bob.id)]
  await accounts.tokens.revokeAll(bob.id)
  for (const { token } of tokens) t.same(await accounts.identify({ bearer: token }), ANONYMOUS)
  t.match(await accounts.identify({ bearer: others.token }), { kind: 'token' })
  await accounts.tokens.revokeAll(bob.id)
})

t.test('token operations for an unknown user answer not_found', async t => {
  const { accounts } = await startWithUsers()
  await t.rejects(accounts.tokens.issue('user_nobody'), NOT_FOUND)
  await t.rejects(accounts.tokens.list('user_nobody'), NOT_FOUND)
  await t.rejects(accounts.tokens.revoke('user_nobody', 'token_none'), NOT_FOUND)
  await t.rejects(accounts.tokens.revokeAll('user_nobody'), NOT_FOUND)
})

t.test('the last use of a token is stored once a minute, even if the clock steps back', async t => {
  const { rig, accounts, bob } = await startWithUsers()
  const { token } = await accounts.tokens.issue(bob.id)
  const use = async () => {
    await Promise.all(Array.from({ length: 5 }, () => accounts.identify({ bearer: token })))
    const notes = rig.asked.filter(name => name === 'noteTokenUse').length
    rig.asked.length = 0
    return [notes, (await accounts.tokens.list(bob.id))[0]?.last_used_at]
  }
  t.same(await use(), [1, '2027-01-15T08:00:00.000000Z'])
  rig.wallMicros += MINUTE - 1
  t.same(await use(), [0, '2027-01-15T08:00:00.000000Z'])
  rig.wallMicros += 1
  t.same(await use(), [1, '2027-01-15T08:01:00.000000Z'])
  rig.wallMicros -= 60 * MINUTE
  t.same(await use(), [1, '2027-01-15T07:01:00.000000Z'])
})

t.test('the token of a disabled user keeps its time of last use', async t => {
  const { accounts, bob } = await startWithUsers()
  const { token } = await accounts.tokens.issue(bob.id)
  await accounts.updateUser(bob.id, { enabled: false })
  await accounts.identify({ bearer: token })
  t.match(await accounts.tokens.list(bob.id), [{ last_used_at: null }])
})

t.test('a token is accepted even if its use cannot be stored', async t => {
  const { rig, accounts, bob } = await startWithUsers()
  const { token } = await accounts.tokens.issue(bob.id)
  rig.broken = 'noteTokenUse'
  t.match(await accounts.identify({ bearer: token }), { kind: 'token' })
  t.match(await accounts.identify({ bearer: token }), { kind: 'token' })
})
