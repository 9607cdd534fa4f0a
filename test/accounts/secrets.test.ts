import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { testFolder } from '../support/test-folder.js'
import { AccountsRig, logIn, PASSWORD, startWithUsers } from './accounts-rig.js'

t.test('no file of the ledger holds a password, a session token, a CSRF token or an API token', async t => {
  const folder = testFolder(t)
  const adminToken = 'an admin token that nobody guesses'
  const { accounts, ada, bob } = await startWithUsers({ adminToken }, AccountsRig.open(t, folder))
  const { token } = await accounts.tokens.issue(ada.id)
  const session = await logIn(accounts, 'bob')
  const identity = await accounts.identify({ session })
  await accounts.identify({ bearer: token })
  await accounts.updateUser(bob.id, { password: 'quite another password' })
  await accounts.login({ username: 'bob', password: 'guessed wrongly', address: '192.0.2.1' }).catch(() => undefined)
  const csrf = identity.kind === 'session' ? identity.csrfToken : t.fail('no session')

  const files = readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ name }) => readFileSync(join(folder, name)))
  const holding = (text: unknown) => files.filter(bytes => bytes.includes(String(text))).length
  t.ok(holding(bob.id) > 0, 'the files that are searched are those that are written')
  const secrets = [PASSWORD, 'quite another password', 'guessed wrongly', adminToken, token, session, csrf]
  for (const secret of secrets) {
    t.equal(holding(secret), 0)
    t.equal(holding(Buffer.from(String(secret)).toString('base64')), 0)
    t.equal(holding(Buffer.from(String(secret)).toString('hex')), 0)
  }
})
