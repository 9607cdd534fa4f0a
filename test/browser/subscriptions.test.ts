import t from 'tap'
import { toTimestamp } from '../../src/model/timestamp.js'
import { PASSWORD } from '../accounts/accounts-rig.js'
import { until } from '../support/until.js'
import { inBrowser, openBrowser } from './chromium.js'
import { logIn } from './login-site.js'
import { LAPTOP, ObservatorySite, PHONE, ROOT_PATH } from './observatory-site.js'
import {
  addressOf,
  findAxeViolations,
  findAxeViolationsInBothSchemes,
  focused,
  overflow,
  overflowOfLargeText,
} from './page-checks.js'
import { serveCompany } from './watching-company.js'

const HOUR = 3_600_000_000
const FORM = { name: /^(New subscription|Edit .*)$/ }

t.test('the subscriptions tab in a browser', inBrowser(), async t => {
  const site = new ObservatorySite(await openBrowser(t))
  const { served, ledger, ada, bob, openAs } = await serveCompany(t, site)
  const now = Date.now() * 1000
  const member = { role: 'member', userId: bob.id } as const

  t.test('without subscriptions, the tab explains what a subscription is', async t => {
    const page = await openAs('bob', '/subscriptions')
    await page.getByRole('heading', { name: 'Nothing is watched yet.' }).waitFor()
    t.same(await findAxeViolations(page), [])
  })

  t.test('a user creates, finds and deletes a subscription with the keyboard alone', async t => {
    const page = await openAs('Ada', '/subscriptions')
    await page.getByRole('heading', { name: 'Nothing is watched yet.' }).waitFor()
    await page.keyboard.press('n')
    await page.getByRole('dialog', FORM).waitFor()
    t.equal(await page.evaluate('document.activeElement.type'), 'radio', 'it begins with where')
    await page.keyboard.press('Tab')
    await page.keyboard.type('topic:deploys')
    await page.getByText('A topic needs its stream first:').waitFor()
    t.ok(await page.getByRole('button', { name: 'Create subscription' }).isDisabled())
    await page.keyboard.press('Tab')
    t.equal(await focused(page), 'Use that')
    await page.keyboard.press('Enter')
    await page.getByText('Understood. One topic in one stream.').waitFor()
    t.equal(await page.evaluate('document.activeElement.value'), 'stream:eng/topic:deploys')
    await page.getByText('Would match 8 events').waitFor()
    t.match(await page.getByRole('region', { name: 'What it would match' }).innerText(), /<b>Word<\/b> 0-3/)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    t.equal(await page.getByRole('button', { name: 'Message written' }).getAttribute('aria-pressed'), 'true')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('dialog', FORM).waitFor({ state: 'detached' })
    const row = page.getByRole('row', { name: /stream:eng\/topic:deploys/ })
    await row.filter({ hasText: 'Ada' }).waitFor()
    t.match(await row.innerText(), /Message written\s+Webhook[\s\S]*Ada/)
    t.match(await ledger.listSubscriptions(), [
      { target: 'stream:eng/topic:deploys', event_kinds: ['message.created'], owner_user_id: String },
    ])
    await page.keyboard.press('j')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.locator('[role=menuitem]:focus').waitFor()
    await page.keyboard.press('d')
    t.match(await focused(page), 'Delete')
    await page.keyboard.press('Enter')
    await page.getByText('Deleted stream:eng/topic:deploys. Its 0 events stay.').waitFor()
    await page.getByRole('heading', { name: 'Nothing is watched yet.' }).waitFor()
    t.equal((await ledger.listSubscriptions()).length, 1, 'it can still be undone')
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.press('Enter')
    await row.waitFor()
    await page.getByRole('button', { name: 'More for stream:eng/topic:deploys' }).press('ArrowDown')
    await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
    await undo.waitFor()
    await page.goto(`${served.url}${ROOT_PATH}/api/health`)
    await until(async () => (await ledger.listSubscriptions()).length === 0)
  })

  t.test('the tab shows the states of a capture in words', async t => {
    const save = (input: object) =>
      ledger.saveSubscription({ source: 'chat', event_kinds: ['message.created'], ...input }, member)
    const capture_modes = ['api_cursor', 'poll']
    const at = (hours: number) => toTimestamp(now + hours * HOUR)
    await save({
      id: 'hot',
      target: 'stream:ops',
      capture_modes,
      metadata: {
        interval_seconds: 30,
        hot_until: at(400 * 24),
        expires_at: at(400 * 24 + 1),
        reason: 'Doubled deliveries',
      },
    })
    await save({
      id: 'cold',
      target: 'stream:cold',
      capture_modes,
      metadata: { interval_seconds: 30, hot_until: at(-400 * 24) },
    })
    await save({ id: 'failing', target: 'stream:support', capture_modes })
    await save({ id: 'off', target: 'stream:off', enabled: false })
    await save({ id: 'over', target: 'stream:over', metadata: { expires_at: at(-400 * 24) } })
    await save({ id: 'hook', source: 'code_a', target: 'repo:ada/engine', event_kinds: [] })
    const adas = { id: 'adas', source: 'forum', target: 'topic:1', owner_user_id: ada.id }
    await ledger.saveSubscription(adas, { role: 'admin' })
    await ledger.noteCapture('failing', {
      last_attempt_at: toTimestamp(now),
      last_error: 'Chat refused the key <img src=x>',
      failures: 6,
    })
    const page = await openAs('bob', '/subscriptions')
    await page.reload()
    await page.getByText('Every kind').waitFor()
    const row = (name: string) => page.getByRole('row', { name: new RegExp(name) }).innerText()
    t.match(await row('stream:ops'), /Every 30\ss until/)
    t.match(await row('stream:ops'), /Doubled deliveries[\s\S]*left/)
    t.match(await row('stream:cold'), /Every 5\smin since/)
    t.match(
      await row('stream:support'),
      /Chat refused the key <img src=x>\. Failed 6 times, next attempt at[\s\S]*Failing, never captured/,
    )
    t.match(await row('stream:off'), /Off/)
    t.match(await row('stream:over'), /Expired \d/)
    t.match(await row('repo:ada/engine'), /Every kind\s+Webhook/)
    t.same(await findAxeViolationsInBothSchemes(page), [])
    t.equal(
      await page.locator('[aria-current=page]').innerText(),
      'Subscriptions\n6',
      'the tab counts those that one sees',
    )
    await page.setViewportSize({ width: 700, height: 800 })
    const failing = page.getByRole('link', { name: '1 failing', exact: true })
    const seen = await failing.boundingBox()
    t.ok(seen && seen.x + seen.width <= 700, 'that a capture fails is seen in a narrow window')
    await page.setViewportSize(LAPTOP.viewport)
    await failing.click()
    t.match((await addressOf(page)).href, /show=failing/)
    t.equal(await page.getByRole('row').count(), 2)
    t.equal(await page.getByRole('button', { name: 'Failing 1' }).getAttribute('aria-pressed'), 'true')
    await page.getByRole('button', { name: 'Try now' }).click()
    const dialog = page.getByRole('dialog', { name: 'Try now' })
    t.match(await dialog.innerText(), 'daybook capture subscription-once failing')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'All 6' }).click()
    await page.getByLabel('Find a subscription').fill('doubled')
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' })
    t.equal(await page.getByRole('row').count(), 2, 'words of the reason are found as well')
    await page.getByLabel('Find a subscription').fill('nothing like it')
    await page.getByText('No subscription matches').waitFor()
  })

  t.test('a switch changes immediately, and changes back if the request fails', async t => {
    const page = await openAs('bob', '/subscriptions')
    const control = page.getByRole('switch', { name: 'Watch repo:ada/engine' })
    await control.click()
    await until(async () => !(await ledger.getSubscription('hook')).enabled)
    t.notOk(await control.isChecked())
    await page.route('**/api/subscriptions', route =>
      route.request().method() === 'POST'
        ? route.fulfill({
            status: 503,
            contentType: 'application/problem+json',
            body: '{"code":"store_full","detail":"The disk is full."}',
          })
        : route.continue(),
    )
    await control.click()
    await page.getByText('repo:ada/engine is still off. The disk is full.').waitFor()
    t.notOk(await control.isChecked())
    await page.unrouteAll()
  })

  t.test('the name of a subscription links to its events', async t => {
    const page = await openAs('bob', '/subscriptions')
    await page.getByRole('link', { name: 'repo:ada/engine' }).click()
    t.match((await addressOf(page)).href, /\/book\/\?subscription_id=hook&days=1$/)
  })

  t.test('a link to a deleted subscription reports that it is gone', async t => {
    const page = await openAs('bob', '/subscriptions?edit=gone')
    await page.getByText('There is no such subscription. It may have been deleted.').first().waitFor()
    t.equal((await addressOf(page)).search, '')
  })

  t.test('the form and the JSON show one draft, which survives the end of a session', async t => {
    const page = await openAs('bob', '/subscriptions?edit=hot')
    const form = page.getByRole('dialog', FORM)
    await form.getByLabel('Why').fill('Another reason')
    await form.getByRole('radio', { name: 'JSON' }).check()
    const json = form.getByLabel('The subscription as JSON')
    const draft = JSON.parse(await json.inputValue())
    t.match(draft, { metadata: { reason: 'Another reason', interval_seconds: 30 } })
    await json.fill(JSON.stringify({ ...draft, colour: 'red' }))
    await json.press('End')
    await json.type(',')
    await form.locator('.field-problem').waitFor()
    t.ok(await form.getByRole('button', { name: 'Save' }).isDisabled())
    await form.getByRole('radio', { name: 'Form' }).check()
    await form.getByText('This is not JSON yet,').waitFor()
    await form.getByRole('button', { name: 'Show the JSON' }).click()
    await json.press('End')
    await json.press('Backspace')
    await form.getByRole('radio', { name: 'Form' }).check()
    t.same(await findAxeViolations(form), [])
    // The session ends while the form is being saved. Ended earlier, any other request of the page may notice it first.
    await page.route(
      '**/api/subscriptions',
      async route => {
        await page.context().clearCookies()
        await route.continue()
      },
      { times: 1 },
    )
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Log in to continue where you were, with your unsaved text.').waitFor()
    await logIn(page, 'bob', PASSWORD)
    t.equal(await form.getByLabel('Why').inputValue(), 'Another reason')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'detached' })
    t.match(await ledger.getSubscription('hot'), {
      colour: 'red',
      metadata: { reason: 'Another reason', interval_seconds: 30 },
    })
    await page.keyboard.press('n')
    await form.getByLabel('What to watch').fill('stream:eng')
    await page.keyboard.press('Escape')
    await page.getByText('Closed without saving.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    t.equal(await form.getByLabel('What to watch').inputValue(), 'stream:eng')
    await page.getByRole('link', { name: 'Events' }).click()
    await page.getByText('Closed without saving.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    t.equal(await form.getByLabel('What to watch').inputValue(), 'stream:eng')
  })

  t.test('a refusal of the server is shown next to its field', async t => {
    const page = await openAs('bob', '/subscriptions?new=true')
    const form = page.getByRole('dialog', FORM)
    await form.getByLabel('What to watch').fill('stream:eng')
    await form.getByRole('switch', { name: 'Poll every' }).click()
    await form.getByLabel('Seconds between two captures').fill('0')
    await form.getByText('Enter whole seconds, 1 or more.').waitFor()
    await form.getByLabel('Seconds between two captures').fill('45')
    await form.getByText('1 day', { exact: true }).click()
    await form.getByLabel('What to watch').fill('stream:engineering')
    await form.getByText('nothing happened there in the last 7 days').waitFor()
    await form.getByRole('button', { name: 'Create subscription' }).click()
    await form.waitFor({ state: 'detached' })
    const made = (await ledger.listSubscriptions()).find(({ target }) => target === 'stream:engineering')
    t.match(made, {
      capture_modes: ['api_cursor', 'poll'],
      metadata: { interval_seconds: 45, temporary: true, hot_until: String },
      owner_user_id: bob.id,
    })
  })

  t.test('a list that cannot be loaded shows the failure, and can be loaded again', async t => {
    const page = await openAs('bob', '/')
    await page.route('**/api/stats', route =>
      route.fulfill({
        status: 500,
        contentType: 'application/problem+json',
        body: '{"code":"internal","detail":"Something failed.","request_id":"request-7"}',
      }),
    )
    await page.goto(`${served.url}${ROOT_PATH}/subscriptions`)
    await page.getByText('The subscriptions could not be loaded.').waitFor()
    t.match(await page.getByRole('alert').innerText(), /internal · request-7/)
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('row', { name: /repo:ada/ }).waitFor()
  })

  t.test('the tab fits a phone and text of double size', async t => {
    for (const window of [PHONE, {}]) {
      for (const path of ['', '?edit=hot']) {
        const page = await openAs('bob', `/subscriptions${path}`, window)
        await page.getByText('Every kind').first().waitFor({ state: 'attached' })
        if (path !== '') await page.getByText(/Would match/).waitFor()
        if (window === PHONE) t.same(await findAxeViolations(page), [], path)
        t.equal(await overflow(page), 0)
        t.equal(await overflowOfLargeText(page), 0, 'with letters twice as large')
      }
    }
  })

  t.test('no page logs an error, violates its policy or contacts another server', async t => {
    t.same(site.complaints, [])
  })
})
