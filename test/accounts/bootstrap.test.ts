import t from 'tap'
import { AccountsRig, logIn, PASSWORD, startWithUsers } from './accounts-rig.js'

t.test('the settings create the first administrator, who can log in', async t => {
  const accounts = await (await AccountsRig.open(t)).start()
  t.equal(await accounts.bootstrapUser({ username: 'root', password: PASSWORD }), 'created')
  t.match(await accounts.listUsers(), [{ username: 'root', role: 'admin', enabled: true }])
  t.ok(await logIn(accounts, 'root'))
  t.equal(await accounts.isClosed(), true)
})

t.test('an existing user of that name is not changed, regardless of the settings', async t => {
  const { rig, accounts, bob } = await startWithUsers()
  await accounts.updateUser(bob.id, { enabled: false })
  const before = await rig.users.findById(bob.id)
  for (const password of ['quite another password', 'short', ''])
    t.equal(await accounts.bootstrapUser({ username: 'BOB', password }), 'there')
  t.same(await rig.users.findById(bob.id), before)
  t.same(rig.derived, [])
})

t.test('of two concurrent bootstraps, the first one creates the user', async t => {
  const accounts = await (await AccountsRig.closed()).start()
  const given = { username: 'root', password: PASSWORD }
  const results = await Promise.all([accounts.bootstrapUser(given), accounts.bootstrapUser(given)])
  t.same(results.sort(), ['created', 'there'])
})

t.test('an invalid bootstrap name or password is reported with its setting, and without its value', async t => {
  const accounts = await (await AccountsRig.open(t)).start()
  const refused = (field: string) => ({ category: 'configuration', code: 'settings_invalid', errors: [{ field }] })
  const byName = accounts.bootstrapUser({ username: 'no name', password: PASSWORD })
  const byPassword = accounts.bootstrapUser({ username: 'root', password: 'hunter2' })
  await t.rejects(byName, refused('EVENT_BOOTSTRAP_USERNAME'))
  await t.rejects(byPassword, refused('EVENT_BOOTSTRAP_PASSWORD_FILE'))
  await byPassword.catch(error => {
    t.match(error.errors[0].detail, /EVENT_BOOTSTRAP_PASSWORD_FILE needs at least 8 characters/)
    t.notMatch(JSON.stringify([error, String(error), String(error.cause)]), 'hunter2')
  })
  t.equal(await accounts.isClosed(), false)
})
