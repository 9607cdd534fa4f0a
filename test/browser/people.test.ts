import t from 'tap'
import { AccountsRig, PASSWORD, startWithUsers } from '../accounts/accounts-rig.js'
import { ADMIN_TOKEN } from '../server/closed-ledger.js'
import { inBrowser, openBrowser } from './chromium.js'
import { ObservatorySite, PHONE, ROOT_PATH } from './observatory-site.js'
import {
  findAxeViolations,
  findAxeViolationsInBothSchemes,
  focused,
  overflow,
  overflowOfLargeText,
} from './page-checks.js'
import { serveCompany } from './watching-company.js'

t.test('the people tab and tokens in a browser', inBrowser(), async t => {
  const site = new ObservatorySite(await openBrowser(t))
  const { served, accounts, ada, bob, openAs } = await serveCompany(t, site)
  const names = async () => (await accounts.listUsers()).map(({ username }) => username)

  t.test('a user is created and deleted with the keyboard alone', async t => {
    const page = await openAs('Ada', '/people')
    await page.getByText('2 accounts, 1 admin').waitFor()
    await page.keyboard.press('n')
    const form = page.getByRole('dialog', { name: 'New person' })
    await form.waitFor()
    t.equal(await page.evaluate('document.activeElement.labels[0].innerText'), 'Name')
    await page.keyboard.type('bob')
    await page.keyboard.press('Tab')
    await page.keyboard.type('short')
    await page.keyboard.press('Enter')
    await form.locator('.field-problem').waitFor()
    t.match(await form.innerText(), /at least 8/)
    t.same(await findAxeViolations(form), [])
    await page.keyboard.press('Control+A')
    await page.keyboard.type('long enough a password')
    await page.keyboard.press('Enter')
    await form.getByText(/A user of that name exists/).waitFor()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('nightly-import')
    await page.keyboard.press('Enter')
    const panel = page.getByRole('dialog', { name: 'Account nightly-import' })
    await panel.waitFor()
    t.same(await names(), ['Ada', 'bob', 'nightly-import'])
    t.equal(await page.evaluate('document.documentElement.innerHTML.includes("long enough a password")'), false)
    await panel.getByRole('button', { name: 'Delete account…' }).press('Enter')
    await page.locator('button:focus', { hasText: 'Delete nightly-import' }).waitFor()
    t.same(await names(), ['Ada', 'bob', 'nightly-import'], 'deleting asks first')
    await page.keyboard.press('Enter')
    await page.getByText('Deleted nightly-import. Its events and subscriptions stay.').waitFor()
    t.equal(await page.getByRole('row').count(), 3)
    await page.locator('.row-name:focus', { hasText: 'bob' }).waitFor()
    t.same(await names(), ['Ada', 'bob', 'nightly-import'], 'it can still be undone')
    await page.getByRole('status').getByRole('button', { name: 'Close' }).press('Enter')
    while ((await names()).length > 2) await page.waitForTimeout(20)
  })

  t.test('the controls of the last admin are disabled, with the reason next to them', async t => {
    const page = await openAs('Ada', `/people?person=${ada.id}`)
    const panel = page.getByRole('dialog', { name: 'Account Ada' })
    await panel.getByText('This is the last admin. Make another user an admin first.').first().waitFor()
    t.ok(await panel.getByRole('switch').isDisabled())
    t.ok(await panel.getByRole('button', { name: 'Delete account' }).isDisabled())
    t.equal(await panel.getByRole('radio').count(), 0)
    t.same(await findAxeViolations(panel), [])
  })

  t.test('an admin changes the role, the login and the password of a user, and deletes it', async t => {
    const page = await openAs('Ada', `/people?person=${bob.id}`)
    const panel = page.getByRole('dialog', { name: 'Account bob' })
    await panel.getByRole('radio', { name: 'Admin' }).click()
    await page.getByText('2 accounts, 2 admins').waitFor()
    await panel.getByRole('radio', { name: 'Member' }).click()
    await page.getByText('2 accounts, 1 admin', { exact: true }).waitFor()
    await panel.getByRole('switch', { name: 'Yes' }).click()
    await page.getByText('can no longer log in, and its tokens are refused.').waitFor()
    t.match(
      (await accounts.listUsers()).find(({ id }) => id === bob.id),
      { enabled: false, role: 'member' },
    )
    await page.getByRole('button', { name: 'Undo' }).click()
    await panel.getByRole('switch', { name: 'Yes' }).waitFor()
    await panel.getByRole('button', { name: 'Set a new password…' }).click()
    await panel.getByText('At least 8 characters. Ends its sessions').waitFor()
    await panel.getByLabel('New password').fill('short')
    await panel.getByRole('button', { name: 'Set password' }).click()
    await panel.getByText('The password needs at least 8 characters.').waitFor()
    await panel.getByLabel('New password').fill('correct horse battery')
    await panel.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('bob has a new password and was logged out everywhere.').waitFor()
    await panel.getByText('Not logged in anywhere.').waitFor()
    await panel.getByRole('button', { name: 'Delete account…' }).click()
    await panel.getByRole('button', { name: 'Cancel' }).last().click()
    t.equal(await panel.getByRole('button', { name: 'Delete bob' }).count(), 0, 'deleting asks first')
  })

  t.test('a new token is shown completely once, later by its first characters, and can be revoked', async t => {
    const page = await openAs('Ada', `/people?person=${bob.id}`)
    const panel = page.getByRole('dialog', { name: 'Account bob' })
    await panel.getByText('No tokens.').waitFor()
    await panel.getByRole('button', { name: 'New token…' }).click()
    await page.keyboard.press('Enter')
    const box = panel.getByRole('region', { name: 'New token, shown only once' })
    await box.waitFor()
    t.equal(await focused(page), 'Copy token')
    await page.getByRole('row', { name: /bob/ }).getByRole('cell', { name: '1', exact: true }).waitFor()
    const token = await box.getByLabel('Token').inputValue()
    t.match(token, /^tok_[\w-]{43}$/)
    t.equal(
      (await served.request(`${ROOT_PATH}/api/session`, { headers: { authorization: `Bearer ${token}` } })).body
        .authenticated,
      true,
    )
    t.same(await findAxeViolations(box), [])
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'bob', exact: true }).click()
    t.equal(await box.getByLabel('Token').inputValue(), token, 'closing the panel does not lose it')
    const asked = page.waitForEvent('dialog')
    await page.evaluate('setTimeout(() => location.reload())')
    await (await asked).dismiss()
    await box.getByRole('button', { name: 'I have saved it' }).click()
    await box.getByText('You have not copied the token.').waitFor()
    await box.getByRole('button', { name: 'Close anyway' }).click()
    await box.waitFor({ state: 'detached' })
    t.match(await panel.innerText(), new RegExp(`${token.slice(0, 8)}…`))
    t.equal(await page.evaluate(`document.documentElement.innerHTML.includes('${token.slice(8)}')`), false)
    await panel.getByRole('button', { name: `Revoke ${token.slice(0, 8)}` }).click()
    await panel.getByText('Programs that use it are refused immediately.').waitFor()
    await page.keyboard.press('Enter')
    await panel.getByText('No tokens.').waitFor()
    t.same(await accounts.tokens.list(bob.id), [])
  })

  t.test('a member manages its own tokens, and has no people tab', async t => {
    const page = await openAs('bob', '/people')
    await page.getByText('Only admins can manage users.').waitFor()
    t.equal(await page.locator('[aria-current=page]').innerText(), 'People')
    await page.getByRole('button', { name: 'Account: bob' }).click()
    await page.getByRole('menuitem', { name: 'Your account…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your account' })
    await dialog.getByText('You have no tokens.').waitFor()
    await dialog.getByRole('button', { name: 'New token…' }).click()
    await page.keyboard.type('nightly import')
    await dialog.getByRole('radio', { name: 'Read' }).check()
    await dialog.getByRole('radio', { name: '90 days' }).check()
    await dialog.getByText('Reads events and subscriptions; records and changes nothing.').waitFor()
    await dialog.getByRole('button', { name: 'Issue token' }).click()
    await dialog.getByText('It reads what your account may read, and changes nothing.').waitFor()
    const row = dialog.getByRole('region', { name: 'Tokens' }).getByRole('listitem')
    await row.getByText('nightly import').waitFor()
    t.match(await row.innerText(), /only reads[\s\S]*ends /)
    t.same(await findAxeViolations(dialog), [])
    await dialog.getByLabel('Token', { exact: true }).press('Control+c')
    await dialog.getByRole('button', { name: 'I have saved it' }).click()
    await page.locator('button:focus', { hasText: 'New token' }).waitFor()
    await dialog.getByRole('button', { name: 'New token…' }).click()
    await dialog.getByRole('radio', { name: 'Record' }).check()
    await dialog.getByLabel('Sources').fill('c/i')
    await dialog.getByRole('button', { name: 'Issue token' }).click()
    await dialog.getByText('is not a letter or digit').waitFor()
    await dialog.getByLabel('Sources').fill('ci, deploy')
    t.same(await findAxeViolations(dialog), [])
    await dialog.getByRole('button', { name: 'Issue token' }).click()
    await dialog.getByText('It allows a program to record events of ci, deploy, and nothing else.').waitFor()
    await dialog.getByText('only records ci, deploy').waitFor()
    await dialog.getByLabel('Token', { exact: true }).press('Control+c')
    await dialog.getByRole('button', { name: 'I have saved it' }).click()
    await dialog.getByRole('listitem').filter({ hasText: 'only records' }).getByRole('button').click()
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click()
    await dialog.getByText('only records ci, deploy').waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: /^Revoke/ }).click()
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click()
    await dialog.getByText('You have no tokens.').waitFor()
    await page.keyboard.press('Escape')
  })

  t.test('a user changes its password, ends its other sessions, and stays logged in here', async t => {
    const page = await openAs('bob', '/')
    await page.getByRole('button', { name: 'Account: bob' }).click()
    await page.getByRole('menuitem', { name: 'Your account…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your account' })
    await dialog.getByRole('button', { name: 'Change your password…' }).click()
    await dialog.getByLabel('Current password').fill('a wrong one')
    await dialog.getByLabel('New password').fill('short')
    await page.keyboard.press('Enter')
    await dialog.getByText(/at least 8/).waitFor()
    await dialog.getByLabel('New password').fill('a dozen purple umbrellas')
    await page.keyboard.press('Enter')
    await dialog.getByText('This is not your current password.').waitFor()
    t.same(await findAxeViolations(dialog), [])
    await dialog.getByLabel('Current password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await dialog.getByText('Your password is changed.').waitFor()
    const elsewhere = { username: 'bob', password: 'a dozen purple umbrellas', address: 'x' }
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
      await accounts.login(elsewhere, { identity: 'anonymous', address })
    }
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Account: bob' }).click()
    await page.getByRole('menuitem', { name: 'Your account…' }).click()
    const sessions = dialog.getByRole('region', { name: 'Sessions' })
    await sessions.getByText('this browser').waitFor()
    t.same(await findAxeViolations(dialog), [])
    await sessions.getByRole('button', { name: 'End the session from 192.0.2.2' }).click()
    await sessions.getByText('192.0.2.2').waitFor({ state: 'detached' })
    t.equal(await sessions.getByRole('listitem').count(), 3)
    await sessions.getByRole('button', { name: 'End all others' }).click()
    await sessions.getByText('192.0.2.1').waitFor({ state: 'detached' })
    t.equal((await accounts.sessions.list(bob.id)).length, 1)
    await dialog.getByRole('button', { name: 'New token…' }).click()
    await page.keyboard.press('Enter')
    await dialog.getByText('It has the same rights as your account.').waitFor()
    await t.rejects(accounts.login({ username: 'bob', password: PASSWORD, address: 'x' }))
  })

  t.test('an open ledger explains how to create the first admin', async t => {
    const open = await site.serve(t)
    const page = await site.openTab(t, open, '/people')
    await page.getByRole('heading', { name: 'This ledger is open.' }).waitFor()
    await page.getByText('daybook users create ada --role admin --db /var/lib/ledger.db').waitFor()
    t.same(await findAxeViolations(page), [])
  })

  t.test('the page explains that the admin token is not an account', async t => {
    const { accounts } = await startWithUsers({ adminToken: ADMIN_TOKEN }, AccountsRig.open(t))
    const closed = await site.serve(t, { accounts })
    const page = await site.open(t, closed, '/', { extraHTTPHeaders: { 'X-Event-Admin-Token': ADMIN_TOKEN } })
    await page.getByRole('button', { name: 'Account: admin token' }).click()
    await page.getByRole('menuitem', { name: 'Your account…' }).click()
    await page.getByText('You used the admin token, which is not an account.').waitFor()
  })

  t.test('a session that could not be loaded is shown as a failure, and is requested again', async () => {
    const page = await openAs('Ada', '/people')
    let isRefused = true
    const body = JSON.stringify({ code: 'store_busy', detail: 'The database is busy.' })
    await page.route('**/api/session', route => {
      return isRefused
        ? route.fulfill({ status: 503, contentType: 'application/problem+json', body })
        : route.continue()
    })
    await page.reload()
    await page.getByText('The people could not be loaded. The database is busy.').waitFor()
    isRefused = false
    await page.getByText('2 accounts, 1 admin').waitFor()
    await page.unrouteAll()
  })

  t.test('the tab fits a phone and text of double size', async t => {
    for (const window of [PHONE, {}]) {
      for (const path of ['', `?person=${bob.id}`]) {
        const page = await openAs('Ada', `/people${path}`, window)
        await page.getByText('bob').first().waitFor()
        if (path === '') t.same(await findAxeViolationsInBothSchemes(page), [])
        else t.same(await findAxeViolations(page, { colorsAlone: true }), [])
        t.equal(await overflow(page), 0)
        t.equal(await overflowOfLargeText(page), 0, 'with letters twice as large')
      }
    }
  })

  t.test('no page logs an error, violates its policy or contacts another server', async t => {
    t.same(site.complaints, [])
  })
})
