import type { BrowserContextOptions, Page } from 'playwright-core'
import t from 'tap'
import { BoardSite, layOut } from './board-site.js'
import { inBrowser, openBrowser } from './chromium.js'
import { ObservatorySite, PHONE } from './observatory-site.js'
import { findOddFrames, findSmallTargets, overflow, query, untilHolds } from './page-checks.js'
import { serveCompany } from './watching-company.js'

/** The clock of the server is not that of the browser. */
const FROM = '2020-01-01T00:00:00Z'
const ALL = `/?from=${FROM}`
/** An event in the list. */
const ROW = '.event-row:not(.is-skeleton)'
const TABLET = { viewport: { width: 768, height: 1024 } }
const CARD = { title: 'Tides', body: '- [ ] ask', column: 'backlog', labels: ['bug', 'docs'], links: ['chat:1'] }

interface View {
  path: string
  /** Shown when the view is ready. */
  ready: string
  /** Opens something over the view, which Esc closes. */
  open?: (page: Page) => Promise<unknown>
  /** Shown when that is ready. */
  opened?: string
}

const tapButton = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click()
const account = (item: string) => async (page: Page) => {
  await tapButton('Account')(page)
  await page.getByRole('menuitem', { name: item }).click()
}

t.test('every view, with touch, keys, large text and print', inBrowser(), async t => {
  const browser = await openBrowser(t)
  const site = new ObservatorySite(browser)
  const company = await serveCompany(t, site)
  const { ledger, ada } = company
  await ledger.saveSubscription({ source: 'chat', target: 'stream:eng', owner_user_id: ada.id }, { role: 'admin' })
  const boards = new BoardSite(browser)
  const board = await boards.serve(t)
  const { Tides: card } = await layOut(board, [CARD])
  await board.ask(`/api/cards/${card}/runs`, { body: { mode: 'dry_run' } })

  const LEDGER: Record<string, View> = {
    events: { path: ALL, ready: ROW },
    filters: {
      path: `${ALL}&exclude_kind=job.failed`,
      ready: ROW,
      open: tapButton('Filters'),
      opened: ':modal .switch',
    },
    'an event': {
      path: ALL,
      ready: ROW,
      open: page => page.locator(ROW).first().click(),
      opened: '.panel .entry-turn',
    },
    appearance: { path: ALL, ready: ROW, open: account('Appearance…'), opened: ':modal [type=radio]' },
    'the ledger': { path: ALL, ready: ROW, open: account('Ledger…'), opened: ':modal p' },
    'the own account': { path: ALL, ready: ROW, open: account('Your account…'), opened: ':modal li' },
    subscriptions: { path: '/subscriptions', ready: '.subscription' },
    'a subscription': { path: '/subscriptions?new=true', ready: '.subscription-form' },
    people: { path: '/people', ready: '.person' },
    deliveries: { path: '/deliveries', ready: '[aria-labelledby=missed], .quiet-text' },
    sources: { path: '/sources', ready: '.nothing-yet' },
    'a new source': { path: '/sources?new=true', ready: '.json-field' },
    'a person': { path: `/people?person=${company.bob.id}`, ready: '.person-facts' },
  }
  const BOARD: Record<string, View> = {
    board: { path: '/', ready: '.card' },
    'a card': { path: `/?card=${card}`, ready: '.markdown' },
    'a new card': { path: '/?card=new', ready: '.card-title-field' },
    runs: { path: '/runs', ready: '.run-table td' },
  }
  const openBoard = (path: string, options?: BrowserContextOptions) => boards.visit(t, board, path, options)
  const openView = async (page: Page, { ready, open, opened }: View) => {
    await page.locator(ready).first().waitFor()
    await open?.(page)
    if (opened) await page.locator(opened).first().waitFor()
    return page
  }

  t.test('every control on a phone is large enough for fingers', async t => {
    for (const [name, view] of Object.entries(LEDGER)) {
      const page = await openView(await company.openAs('Ada', view.path, PHONE), view)
      t.same(await findSmallTargets(page), [], name)
      if (view.open) await page.keyboard.press('Escape')
      // The entry in the history that a sheet has is removed after it.
      await untilHolds(page, `history.state === null && (${!view.open} || !document.querySelector('dialog[open]'))`)
    }
    for (const [name, view] of Object.entries(BOARD)) {
      const page = await openView(await openBoard(view.path, PHONE), view)
      t.same(await findSmallTargets(page), [], name)
    }
  })

  t.test('the keyboard focus has the same frame in every view', async t => {
    for (const name of ['events', 'an event', 'a subscription', 'a person', 'a new source'] as const) {
      const view = LEDGER[name] as View
      const page = await openView(await company.openAs('Ada', view.path), view)
      t.same(await findOddFrames(page), [], name)
    }
    const page = await openBoard(`/?card=${card}`)
    await page.locator('.markdown').waitFor()
    t.same(await findOddFrames(page), [], 'a card')
  })

  t.test('on a phone, Back closes the sheet over the view and keeps its choices', async t => {
    const page = await company.openAs('Ada', ALL, PHONE)
    await page.locator(ROW).first().waitFor()
    await account('Appearance…')(page)
    const dialog = page.getByRole('dialog', { name: 'Appearance' })
    await dialog.waitFor()
    await untilHolds(page, 'history.state?.sheets === 1')
    await page.goBack()
    await dialog.waitFor({ state: 'detached' })
    t.same(await query(page), { from: FROM })

    await tapButton('Filters')(page)
    const sheet = page.getByRole('dialog', { name: 'Filters' })
    await sheet.waitFor()
    await tapButton('Verified')(page)
    await untilHolds(page, 'history.state?.sheets === 2')
    await page.getByRole('option').first().click()
    await page.waitForURL('**verified**')
    const chosen = await query(page)
    await page.goBack()
    await page.getByRole('option').first().waitFor({ state: 'detached' })
    t.ok(await sheet.isVisible())
    await page.goBack()
    await sheet.waitFor({ state: 'detached' })
    t.same(await query(page), chosen)
    await page.goBack()
    await untilHolds(page, `!location.search.includes('verified')`)
  })

  t.test('with text of double size, every control of the header stays in a window of 768 px', async t => {
    const pages = [
      await openView(await company.openAs('Ada', ALL, TABLET), LEDGER.events as View),
      await openView(await openBoard('/', TABLET), BOARD.board as View),
    ]
    for (const page of pages) {
      await page.evaluate(`document.documentElement.style.fontSize = '200%'`)
      t.equal(await overflow(page), 0)
      // In one go: a control may give its place to another one.
      const controls = await page
        .locator('.top-bar :is(a, button), .events-bar button')
        .filter({ visible: true })
        .evaluateAll(all => all.map(control => ({ text: control.innerText, box: control.getBoundingClientRect() })))
      t.ok(controls.length > 0)
      for (const { text, box } of controls) t.ok(box.left >= 0 && box.right <= 768, `${text} ends at ${box.right}`)
    }
  })

  t.test('a print has every loaded event, one event or one card, without controls', async t => {
    const events = await openView(await company.openAs('Ada', ALL), LEDGER.events as View)
    await events.evaluate(`window.addEventListener('beforeprint', () => queueMicrotask(() => {
      window.printed = document.querySelectorAll('.printed-events .event-row').length
    }))`)
    await events.pdf()
    t.equal(await events.evaluate('window.printed'), 8)
    // The page on the screen is as before.
    await events.locator('.printed-events').waitFor({ state: 'detached' })
    const event = await openView(await company.openAs('Ada', ALL), LEDGER['an event'] as View)
    const printedCard = await openView(await openBoard(`/?card=${card}`), {
      path: '',
      ready: '.markdown',
    })
    for (const page of [event, printedCard]) {
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
      const panel = page.locator('dialog.panel')
      t.ok(await panel.isVisible())
      t.equal(await page.locator('.view-main').isVisible(), false, 'the view below')
      t.equal(await panel.locator('.button:visible').count(), 0, 'buttons')
      t.equal(await page.evaluate('getComputedStyle(document.documentElement).colorScheme'), 'light')
    }
  })

  t.test('no page logs an error, violates its policy or contacts another server', async t => {
    t.same([...site.complaints, ...boards.complaints], [])
  })
})
