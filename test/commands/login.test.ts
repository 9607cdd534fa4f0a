import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { SessionClient } from '../../src/client/session-client.js'
import { PASSWORD } from '../accounts/accounts-rig.js'
import { problem, standIn } from '../client/stand-in.js'
import { serveClosed } from '../server/closed-ledger.js'
import { runDaybook } from './run-daybook.js'

const ledger = await serveClosed(t)
const url = `http://127.0.0.1:${ledger.port}`

t.test('a login stores the address and the token, readable by this user only, until the logout', async t => {
  const home = t.testdir({})
  const run = (...argv: string[]) => runDaybook(t, argv)
  const issued = await new SessionClient({ apiUrl: url }).issueToken({ username: 'mia', password: PASSWORD }, 'test')
  writeFileSync(join(home, 'token'), `${issued.token}\n`, { mode: 0o600 })

  const login = await run('login', '--profile', 'work', '--api-url', url, '--token-file', join(home, 'token'))
  t.match(login, { code: 0, err: '' })
  t.same(JSON.parse(login.out), { profile: 'work', api_url: url, username: 'mia' })
  const file = join(home, '.arch/profiles.json')
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.match(JSON.parse(readFileSync(file, 'utf8')), { default: 'work', profiles: { work: { token: issued.token } } })

  t.equal((await run('whoami', '-o', 'name')).out, 'mia\n')
  t.match(JSON.parse((await run('whoami')).out), { api_url: url, user: { username: 'mia' } })
  t.notMatch((await run('config')).out, issued.token)
  t.match(JSON.parse((await run('config')).out), { api_url_from: 'profile work', profiles: [{ name: 'work' }] })
  t.match(await run('config', '--use', 'gone'), { code: 3, err: /no profile "gone"/ })

  t.match(JSON.parse((await run('logout')).out), { profile: 'work', token_revoked: false })
  t.throws(() => statSync(file), { code: 'ENOENT' })
  t.match(await run('logout'), { code: 3 })
  t.match(
    await run('api', 'stats', '--api-url', url, '--token-file', join(home, 'token')),
    { code: 0 },
    'a given token stays',
  )
})

t.test('a logout revokes the token that the login issued', async t => {
  const home = t.testdir({ '.arch': {} })
  const { id: token_id, token } = await new SessionClient({ apiUrl: url }).issueToken(
    { username: 'otto', password: PASSWORD },
    'test',
  )
  const profiles = { default: 'default', profiles: { default: { api_url: url, token, token_id } } }
  writeFileSync(join(home, '.arch/profiles.json'), JSON.stringify(profiles), { mode: 0o600 })
  const own = (await new SessionClient({ apiUrl: url }).issueToken({ username: 'otto', password: PASSWORD }, 'own'))
    .token
  writeFileSync(join(home, 'own'), own, { mode: 0o600 })
  t.match(await runDaybook(t, ['login', '--api-url', url, '--token-file', join(home, 'own')]), { code: 0, err: '' })
  t.match(await ledger.accounts.tokens.list(ledger.otto.id), [{ name: 'own' }], 'another login revokes it as well')
  await ledger.accounts.tokens.revokeAll(ledger.otto.id)

  const { id: next_id, token: next } = await new SessionClient({ apiUrl: url }).issueToken(
    { username: 'otto', password: PASSWORD },
    'test',
  )
  const renewed = { default: 'default', profiles: { default: { api_url: url, token: next, token_id: next_id } } }
  writeFileSync(join(home, '.arch/profiles.json'), JSON.stringify(renewed), { mode: 0o600 })
  t.match(JSON.parse((await runDaybook(t, ['logout'])).out), { token_revoked: true })
  t.same(await ledger.accounts.tokens.list(ledger.otto.id), [])
})

t.test('a login exchanges a password for a token, and ends its session', async t => {
  const client = new SessionClient({ apiUrl: url })
  const { id } = await client.issueToken({ username: 'ada', password: PASSWORD }, 'daybook login on laptop')
  t.match(await ledger.accounts.tokens.list(ledger.ada.id), [{ id, name: 'daybook login on laptop' }])
  t.same(await ledger.accounts.sessions.list(ledger.ada.id), [])
  await t.rejects(client.issueToken({ username: 'ada', password: 'wrong' }, 'x'), { code: 'invalid_credentials' })
})

t.test('a login at the address of a board is refused for that reason, and not for its password', async t => {
  const expected = { code: 'not_a_ledger', message: /^A board answers there, and not a ledger/ }
  const answers = [problem(401, 'invalid_credentials'), { body: { authenticated: true } }]
  for (const answer of answers) {
    const board = await standIn(t, ({ url }) =>
      url === '/api/health' ? { body: { status: 'ok', version: '1.2.3' } } : answer,
    )
    const client = new SessionClient({ apiUrl: board.url })
    await t.rejects(client.issueToken({ username: 'ada', password: PASSWORD }, 'x'), expected)
  }
})

t.test('a token that the ledger refuses is not stored', async t => {
  const home = t.testdir({ token: `tok_${'x'.repeat(43)}` })
  const run = await runDaybook(t, ['login', '--api-url', url, '--token-file', join(home, 'token')])
  t.match(run, { code: 4, out: '', err: /does not accept the token\. Check the token and the address\.\n$/ })
  t.match(await runDaybook(t, ['login', '--api-url', url]), { code: 2, err: /no terminal to ask at/ })
})

t.test('a user issues, lists and revokes its own tokens, and an admin those of others', async t => {
  t.testdir({})
  const token = (await ledger.accounts.tokens.issue(ledger.ada.id)).token
  const env = { EVENT_API_URL: url, EVENT_API_TOKEN: token }
  const run = (...argv: string[]) => runDaybook(t, ['tokens', ...argv], { env })
  const issued = JSON.parse((await run('issue', '--name', 'dashboard', '--may', 'read', '--days', '90')).out)
  t.match(issued, { name: 'dashboard', may: 'read', token: /^tok_/ })
  t.match((await run('list', '-o', 'name')).out, issued.id)
  t.match(await run('revoke', issued.id), { code: 0, out: '' })
  t.notMatch((await run('list', '-o', 'name')).out, issued.id)
  t.match(JSON.parse((await run('issue', '--user', 'mia', '--may', 'write', '--source', 'ci')).out), {
    sources: ['ci'],
  })
  t.match(await run('issue', '--may', 'write'), { code: 2, err: /--may write needs a source/ })
  t.match(await run('list', '--user', 'nobody'), { code: 3, err: /no user "nobody"/ })
})
