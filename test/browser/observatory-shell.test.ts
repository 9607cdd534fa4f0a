import type { BrowserContextOptions } from 'playwright-core'
import t from 'tap'
import type { NewEvent } from '../../src/model/events/event.js'
import { listPlatforms } from '../../src/platforms/adapters.js'
import { codeA } from '../../src/platforms/code-a/adapter.js'
import { startWithUsers } from '../accounts/accounts-rig.js'
import { eventOf, readFixtures } from '../platforms/code-a/support.js'
import { inBrowser, openBrowser } from './chromium.js'
import { logIn } from './login-site.js'
import { LAPTOP, ObservatorySite, PHONE, ROOT_PATH, WALL } from './observatory-site.js'
import {
  addressOf,
  findAxeViolations,
  findAxeViolationsInBothSchemes,
  findSmallTargets,
  focused,
  overflow,
  overflowOfLargeText,
  untilHolds,
} from './page-checks.js'

/** All script of the observatory, compressed, in bytes. */
const SCRIPT_BUDGET = 120_000
/** Transferred until the first rows are shown, headers included. Bytes. */
const FIRST_ROWS_BUDGET = 90_000
/** Of a window whose cache has no part yet that a view loads. */
const FRESH = { locale: 'en-GB' }
/** Of a window with the cookies of the closed ledger. */
const CLOSED = { locale: 'en-IE' }

t.test('the shell of the observatory in a browser', inBrowser(), async t => {
  const site = new ObservatorySite(await openBrowser(t))
  const open = await site.serve(t)
  const show = (path = '/', options?: BrowserContextOptions) => site.visit(t, open, path, options)

  t.test('an empty ledger shows the first step, with a command that works under this address', async t => {
    const page = await show()
    await page.getByRole('heading', { name: 'No events yet.' }).waitFor()
    t.match(await page.getByRole('group', { name: 'Command' }).innerText(), `curl ${open.url}${ROOT_PATH}/api/events`)
    for (const name of ['API description', 'Health', 'Metrics', 'Webhook addresses']) {
      const address = await page.getByRole('link', { name }).getAttribute('href')
      t.equal((await open.request(String(address))).status, 200, name)
    }
    t.match(await page.locator('.hint').first().innerText(), 'save next_since and send it as since')
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByText('No source has delivered anything yet. Webhook addresses').waitFor()
    t.equal(await page.getByRole('table').count(), 0)
  })

  t.test('an open ledger shows that it is open, and offers no logout', async t => {
    const page = await show()
    await page.getByText('Open: no login is set up').waitFor()
    await page.getByRole('button', { name: 'Account' }).click()
    t.same(await page.getByRole('menuitem').allInnerTexts(), ['Appearance…', 'Keys…\n?'])
    await page.keyboard.press('Escape')
  })

  t.test('an indicator shows whether deliveries are missing, and opens the reasons', async t => {
    const backedUp = Date.now() - 3_600_000
    const served = await site.serve(t, {
      adapters: [codeA],
      lastBackup: () => backedUp,
      restoredAt: backedUp - 86_400_000,
    })
    const page = await site.openTab(t, served)
    await page.getByRole('button', { name: 'No gaps known' }).click()
    await page.getByText('No delivery was refused since the server started').waitFor()
    await page.getByText('The newest was made 1 h ago.').waitFor()
    await page.getByText('The ledger was restored from a backup').waitFor()
    await page.keyboard.press('Escape')
    t.equal((await served.post(`${ROOT_PATH}/webhooks/code_a`, '{')).status, 400)
    await page.reload()
    await page.getByRole('button', { name: '1 refused' }).click()
    t.same(await findAxeViolationsInBothSchemes(page), [])
    await page.getByRole('link', { name: 'Which, and why' }).click()
    await page.getByRole('row', { name: /^GitHub 0 never 1 invalid json/ }).waitFor()
  })

  t.test('every view has an address: tabs, keys, reload and the buttons of the browser lead to it', async t => {
    const page = await show('/people?keep=1')
    await page.getByRole('heading', { name: 'People' }).waitFor()
    // The title follows after the next frame.
    await untilHolds(page, `document.title === 'People · Daybook'`)
    // Together: the page waits for the second key of two for a second only.
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('s')])
    await page.getByRole('heading', { name: 'Subscriptions' }).waitFor()
    t.equal((await addressOf(page)).pathname, `${ROOT_PATH}/subscriptions`)
    // The number comes with an answer of the server.
    await page.locator('[aria-current=page]', { hasText: /^Subscriptions\s*0$/ }).waitFor()
    t.equal(await page.locator('[aria-current=page]').innerText(), 'Subscriptions\n0')
    await page.evaluate('window.isSame = true')
    await page.getByRole('link', { name: 'Events' }).click()
    await page.waitForURL(`**${ROOT_PATH}/`)
    await page.goBack()
    await page.getByRole('heading', { name: 'Subscriptions' }).waitFor()
    t.equal(await page.evaluate('window.isSame'), true, 'the page was not loaded again')
    await page.goBack()
    t.equal((await addressOf(page)).search, '?keep=1')
    await page.reload()
    await page.getByRole('heading', { name: 'People' }).waitFor()
  })

  t.test('the first link leads to the content, and leaves the view as it is', async t => {
    const page = await show('/people?keep=1')
    await page.reload()
    await page.getByRole('heading', { name: 'People' }).waitFor()
    await page.keyboard.press('Tab')
    t.equal(await focused(page), 'Skip to the content')
    await page.keyboard.press('Enter')
    await untilHolds(page, `document.activeElement.id === 'view'`)
    t.equal((await addressOf(page)).search, '?keep=1')
    t.ok(await page.getByRole('heading', { name: 'People' }).isVisible())
  })

  t.test('the page waits for an answer that takes longer than the polling interval', async t => {
    // A window of its own: its tabs share the clock.
    const page = await site.open(t, open)
    await page.clock.install()
    await page.reload()
    await page.getByRole('heading', { name: 'No events yet.' }).waitFor()
    let asked = 0
    await page.route('**/api/stats', () => {
      asked += 1
    })
    const first = page.waitForRequest('**/api/stats')
    await page.clock.runFor(3_000)
    await first
    const later = page.waitForRequest('**/api/subscriptions?limit=1')
    for (let second = 0; second < 10; second++) await page.clock.runFor(1_000)
    // Requests are seen in their order.
    await page.evaluate(`void fetch('${ROOT_PATH}/api/subscriptions?limit=1')`)
    await later
    t.equal(asked, 1)
  })

  t.test('the page lists its keys, and closing the list returns the focus', async t => {
    const page = await show()
    let release = () => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    await page.route('**/api/session', async route => {
      await released
      await route.continue()
    })
    await page.reload()
    await page.getByRole('link', { name: 'Events' }).focus()
    await page.keyboard.press('?')
    const list = page.getByRole('dialog', { name: 'Keys' })
    await list.waitFor()
    // The session brings further tabs. Their keys belong to the page, although a dialog covers it by now.
    release()
    await page.getByText('Open: no login is set up').waitFor()
    t.match(await list.innerText(), /g\s*s\s*subscriptions/)
    await page.keyboard.type('gs')
    t.equal((await addressOf(page)).pathname, `${ROOT_PATH}/`, 'keys of the page rest below a dialog')
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    t.match(await focused(page), 'Events')
    await page.unrouteAll()
  })

  t.test('during an outage the page shows its beginning, stays usable, and recovers automatically', async t => {
    const page = await show('/subscriptions')
    await page.getByRole('heading', { name: 'Subscriptions' }).waitFor()
    await page.context().setOffline(true)
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await page.getByText(/The server has not answered since \d\d:\d\d:\d\d\./).waitFor()
    t.ok(await page.getByRole('heading', { name: 'Subscriptions' }).isVisible())
    t.same(await findAxeViolations(page), [])
    await page.context().setOffline(false)
    await page.getByText('The server has not answered').waitFor({ state: 'detached' })
  })

  t.test('a part that cannot be loaded during an outage is loaded after it', async t => {
    const page = await show('/', FRESH)
    await page.getByRole('heading', { name: 'No events yet.' }).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Subscriptions' }).click()
    await page.getByText('The server has not answered').waitFor()
    t.equal(await page.getByText('This view stopped working').count(), 0)
    await page.context().setOffline(false)
    await page.getByRole('heading', { name: 'Subscriptions' }).waitFor()
  })

  t.test('after an upgrade of the server, a page offers a reload, which shows the same view', async t => {
    const page = await show('/', FRESH)
    await page.getByRole('heading', { name: 'No events yet.' }).waitFor()
    // The server of another version does not know the folder of this one.
    const upgraded = (await open.request(`${ROOT_PATH}/assets/another-version/observatory/main.js`)).status
    let isUpgraded = true
    await page.route('**/assets/**', route => (isUpgraded ? route.fulfill({ status: upgraded }) : route.continue()))
    await page.getByRole('link', { name: 'Sources' }).click()
    await page.getByText('A new version of Daybook is running.').waitFor()
    t.equal(await page.getByText('This view stopped working').count(), 0)
    await page.goBack()
    await page.getByRole('heading', { name: 'No events yet.' }).waitFor()
    t.same(await findAxeViolations(page), [], 'what is loaded stays usable')
    await page.goForward()
    // The new document names the files that its server has.
    page.on('request', request => {
      isUpgraded &&= !request.isNavigationRequest()
    })
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { name: 'Sources' }).waitFor()
    t.equal(await page.getByText('A new version').count(), 0)
  })

  t.test('the page is accessible in both colour schemes and fits every window', async t => {
    for (const window of [{}, PHONE]) {
      const page = await show('/', window)
      await page.getByRole('heading', { level: 1 }).waitFor()
      t.same(window === PHONE ? await findAxeViolations(page) : await findAxeViolationsInBothSchemes(page), [])
      for (const viewport of window === PHONE ? [PHONE.viewport] : [WALL.viewport, LAPTOP.viewport]) {
        await page.setViewportSize(viewport)
        t.equal(await overflow(page), 0)
        t.equal(await overflowOfLargeText(page), 0, 'with letters twice as large')
      }
    }
  })

  t.test('dialogs and menus are accessible', async t => {
    const page = await show()
    await page.getByRole('button', { name: 'Account' }).click()
    t.same(await findAxeViolations(page.getByRole('menu')), [], 'menu')
    await page.getByRole('menuitem', { name: 'Appearance…' }).click()
    t.same(await findAxeViolations(page.getByRole('dialog')), [], 'appearance')
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    t.same(await findAxeViolations(page.getByRole('dialog')), [], 'keys')
    await page.keyboard.press('Escape')
  })

  t.test('on a phone, controls are at least 44 px large, and the account menu has those without room', async t => {
    const page = await show('/', PHONE)
    const tabs = page.getByRole('navigation', { name: 'Views' })
    await tabs.getByRole('link', { name: 'Subscriptions' }).waitFor()
    for (const tab of [...(await tabs.getByRole('link').all()), tabs.getByRole('button', { name: 'Account' })]) {
      const box = await tab.boundingBox()
      t.ok(box && box.height >= 44 && box.width >= 44, `${box?.width} × ${box?.height}`)
    }
    await page.getByRole('link', { name: /^Open/ }).waitFor()
    t.same(await findSmallTargets(page), [])
    await tabs.getByRole('button', { name: 'Account' }).tap()
    await page.getByRole('menuitem', { name: 'Ledger…' }).tap()
    await page
      .getByRole('dialog', { name: 'Ledger' })
      .filter({ hasText: /0\s*events/ })
      .waitFor()
  })

  t.test('the first rows of real payloads need little data, and all scripts little more, once', async t => {
    const served = await site.serve(t, { platforms: listPlatforms() })
    const deliveries = readFixtures().flatMap(sent => {
      try {
        return [eventOf(sent)]
      } catch {
        // It is no event, or several.
        return []
      }
    })
    const written = Array.from({ length: 120 }, (_, at) => {
      const event = deliveries[at % deliveries.length] as NewEvent
      return { ...event, dedupe_key: `${event.dedupe_key}:${at}` }
    })
    await served.post(`${ROOT_PATH}/api/events`, written)
    const page = await site.open(t, served)
    await page.locator('.event-row:not(.is-skeleton)').first().waitFor()
    await page.waitForLoadState('networkidle')
    // The first rows follow the answer with them. On a busy machine, later requests begin before a test sees the rows.
    const sizes: number[] = await page.evaluate(`(() => {
      const entries = performance.getEntries().filter(entry => entry.transferSize > 0)
      const first = entries.find(entry => /[/]api[/]events[?].*limit=30/.test(entry.name))
      return entries.filter(entry => entry.startTime < first.responseEnd).map(entry => entry.transferSize)
    })()`)
    const bytes = sizes.reduce((sum, size) => sum + size)
    t.ok(sizes.length > 5 && sizes.length <= 15, `${sizes.length} requests`)
    t.ok(bytes <= FIRST_ROWS_BUDGET, `${bytes} bytes`)

    const scripts = `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))`
    // What is loaded ahead, once the page has nothing else to do, counts as well.
    const isAhead = () => page.evaluate(`${scripts}.some(({ name }) => name.endsWith('/event-panel.js'))`)
    while (!(await isAhead())) await page.waitForTimeout(20)
    const scriptSizes: number[] = await page.evaluate(`${scripts}.map(entry => entry.encodedBodySize)`)
    t.ok(scriptSizes.reduce((sum, size) => sum + size) < SCRIPT_BUDGET, `${scriptSizes.length} scripts`)
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    t.same(await page.evaluate(`${scripts}.filter(entry => entry.transferSize > 0).map(entry => entry.name)`), [])
  })

  t.test('without script, the page explains that it needs it', async t => {
    const page = await site.open(t, open, '/', { javaScriptEnabled: false })
    const sentence = page.locator('noscript p')
    t.match(await sentence.innerText(), 'This page needs JavaScript')
    t.ok(await sentence.isVisible())
  })

  const { accounts, bob } = await startWithUsers({ throttleLogins: false })
  const closed = await site.serve(t, { accounts })

  t.test('a deep address leads through the login and back, and logging out ends it', async t => {
    const page = await site.openTab(t, closed, '/subscriptions?q=a%20b', CLOSED)
    await logIn(page, 'bob', 'correct horse battery')
    await page.getByRole('heading', { name: 'Subscriptions' }).waitFor()
    t.ok((await addressOf(page)).href.endsWith(`${ROOT_PATH}/subscriptions?q=a%20b`))
    const links = page.getByRole('navigation', { name: 'Views' }).getByRole('link')
    // The number comes with an answer of the server.
    await links.filter({ hasText: /^Subscriptions\s*0$/ }).waitFor()
    t.same(await links.allInnerTexts(), ['Events', 'Subscriptions\n0', 'Consumers', 'Deliveries', 'Sources'])
    await page.getByRole('button', { name: 'Account: bob' }).click()
    await page.getByRole('menuitem', { name: 'Your account…' }).click()
    await page.getByText('You have no tokens.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Account: bob' }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.getByLabel('Password', { exact: true }).waitFor()
    t.same(await page.context().cookies(), [])
  })

  t.test('after its session ended, the page leads to the login and back to the same view', async t => {
    const page = await site.openTab(t, closed, '/subscriptions?q=1', CLOSED)
    await logIn(page, 'ada', 'correct horse battery')
    await page.getByRole('link', { name: 'People' }).waitFor()
    await page.context().clearCookies()
    // The page may have noticed automatically, and already be loading.
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`).catch(() => undefined)
    await page.getByText('Log in to continue where you were.').waitFor()
    t.same(await findAxeViolations(page), [])
    await page.reload()
    t.equal(await page.getByText('Your session ended.').count(), 0, 'it is said once')
    await logIn(page, 'ada', 'correct horse battery')
    await page.getByRole('link', { name: 'People' }).waitFor()
    t.ok((await addressOf(page)).href.endsWith(`${ROOT_PATH}/subscriptions?q=1`))
  })

  t.test('logging out completes a deletion that could still be undone', async t => {
    const page = await site.openTab(t, closed, `/people?person=${bob.id}`, CLOSED)
    await page.getByRole('button', { name: 'Delete account…' }).click()
    await page.getByRole('button', { name: 'Delete bob' }).click()
    await page.getByText('Deleted bob.').waitFor()
    await page.getByRole('button', { name: 'Account: Ada' }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.getByLabel('Password', { exact: true }).waitFor()
    t.same(
      (await accounts.listUsers()).map(({ username }) => username),
      ['Ada'],
    )
  })

  t.test('the appearance changes immediately, is stored on the device, and applies before the first paint', async t => {
    const page = await show()
    await page.getByRole('button', { name: 'Account' }).press('ArrowDown')
    await page.getByRole('menuitem', { name: 'Appearance…' }).press('Enter')
    await page.getByRole('radio', { name: 'Forest' }).check()
    await page.getByRole('radio', { name: 'Dark' }).check()
    await page.getByRole('radio', { name: 'Compact' }).check()
    await page.getByRole('switch', { name: 'Single-letter shortcuts' }).uncheck()
    const look = '{ ...document.documentElement.dataset }'
    t.match(await page.evaluate(`(${look})`), { palette: 'forest', scheme: 'dark', density: 'compact' })
    await page.route('**/*.js', route =>
      route.request().url().includes('appearance-first') ? route.continue() : route.abort(),
    )
    await page.reload()
    t.match(await page.evaluate(`(${look})`), { palette: 'forest', scheme: 'dark', density: 'compact' })
    t.equal(await page.evaluate('getComputedStyle(document.documentElement).colorScheme'), 'dark')
    await page.unrouteAll()
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.type('gs?')
    t.equal((await addressOf(page)).pathname, `${ROOT_PATH}/`, 'single keys are off')
    t.equal(await page.getByRole('dialog').count(), 0)
  })

  t.test('no page logs an error, violates its policy or contacts another server', async t => {
    t.same(site.complaints, [])
  })
})
