import type { BrowserContextOptions, Page } from 'playwright-core'
import t from 'tap'
import { until } from '../support/until.js'
import { BoardSite, layOut, savedIn, shownIn, titlesIn } from './board-site.js'
import { inBrowser, openBrowser } from './chromium.js'
import { LAPTOP, PHONE, ROOT_PATH, WALL } from './observatory-site.js'
import {
  addressOf,
  findAxeViolations,
  findAxeViolationsInBothSchemes,
  focused,
  overflow,
  overflowOfLargeText,
} from './page-checks.js'

const CARDS = [
  {
    title: 'One',
    column: 'backlog',
    labels: ['bug', 'customer'],
    links: ['chat:1', 'chat:2', 'code_a:1'],
    assignee: 'Ada Okafor',
  },
  { title: 'Two', column: 'backlog', labels: ['docs'] },
  { title: 'Three', column: 'doing' },
  { title: 'Four', column: 'done', body: '# Words' },
]

/** All script of the board, compressed, in bytes. */
const SCRIPT_BUDGET = 120_000

t.test('the board in a browser', inBrowser(), async t => {
  const site = new BoardSite(await openBrowser(t))
  const board = await site.serve(t)
  // The first tests share a tab, and the last of them changes these cards.
  const ids = await layOut(board, CARDS)
  const show = (path: string, options?: BrowserContextOptions) => site.visit(t, board, path, options)

  t.test('the board is accessible in both colour schemes, and fits every window and large text', async t => {
    const fits = async (page: Page) => {
      t.equal(await overflow(page), 0)
      t.equal(await overflowOfLargeText(page), 0, 'with letters twice as large')
    }
    const phone = await show('/', PHONE)
    await phone.getByRole('link', { name: 'One' }).waitFor()
    await phone.emulateMedia({ colorScheme: 'dark' })
    t.same(await findAxeViolations(phone), [])
    await fits(phone)
    const page = await show('/')
    await page.getByRole('link', { name: 'One' }).waitFor()
    t.same(await findAxeViolationsInBothSchemes(page), [])
    await fits(page)
    await page.setViewportSize(WALL.viewport)
    await fits(page)
    await page.setViewportSize(LAPTOP.viewport)
  })

  t.test('words, labels and people filter the cards, and the address contains the filter', async t => {
    const page = await show('/?label=bug')
    await page.getByRole('link', { name: 'One' }).waitFor()
    t.same(await shownIn(page, 'Backlog'), ['One'])
    await page.getByRole('button', { name: 'Clear all' }).click()
    await page.keyboard.press('/')
    await page.keyboard.type('thr')
    // The page searches after a pause in typing, and on a slow machine for the first letters before.
    await page.locator('mark', { hasText: /^Thr$/ }).waitFor()
    t.same(await page.locator('mark').allInnerTexts(), ['Thr'])
    t.equal((await addressOf(page)).search, '?q=thr')
    await page.reload()
    await page.getByRole('link', { name: 'Three' }).waitFor()
    t.same(await shownIn(page, 'Backlog'), [])
  })

  t.test('the scripts of the board stay within their size limit', async t => {
    const page = await show(`/?card=${ids.Four}`)
    await page.getByRole('heading', { name: 'Words' }).waitFor()
    const sizes: number[] = await page.evaluate(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).map(entry => entry.encodedBodySize)`,
    )
    t.ok(sizes.reduce((sum, size) => sum + size) < SCRIPT_BUDGET, `${sizes.length} scripts`)
  })

  t.test('a title that could not be added after its field was left is shown again', async () => {
    const page = await show('/')
    await page.getByRole('link', { name: 'One' }).waitFor()
    let leave = () => {}
    const left = new Promise<void>(resolve => {
      leave = resolve
    })
    await page.route('**/api/cards', async route => {
      if (route.request().method() !== 'POST') return route.continue()
      await left
      await route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        body: '{"detail":"The board is busy."}',
      })
    })
    await page.keyboard.press('n')
    await page.keyboard.type('Lost')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.getByRole('textbox', { name: 'Title of a new card' }).waitFor({ state: 'detached' })
    leave()
    await page.getByRole('status').getByText('“Lost” was not added. The board is busy.').waitFor()
    await page.unrouteAll()
  })

  t.test('on a phone, columns are tabs, and a menu moves cards', async t => {
    const page = await show('/', PHONE)
    await page.getByRole('button', { name: 'Move Two' }).tap()
    await page.getByRole('dialog', { name: 'Move “Two”' }).getByRole('button', { name: 'Review' }).tap()
    await savedIn(board, 'review', ['Two'])
    await page.getByRole('navigation', { name: 'Columns' }).getByRole('button', { name: 'Review' }).tap()
    await page.getByRole('link', { name: 'Two' }).waitFor()
    // In one go, as the page may draw the cards again after the move.
    const targets = await page
      .getByRole('main')
      .getByRole('button')
      .evaluateAll(all => all.map(target => ({ text: target.innerText, box: target.getBoundingClientRect() })))
    t.ok(targets.length > 0)
    for (const { text, box } of targets) {
      t.ok(box.height >= 44 && box.width >= 44, `${text} ${box.width} × ${box.height}`)
    }
  })

  t.test('an empty board shows the first step, and a user adds cards with the keyboard alone', async t => {
    await layOut(board, [])
    const page = await site.openTab(t, board)
    await page.getByRole('heading', { name: 'No cards yet.' }).waitFor()
    await page.getByText('Open: no login is set up').waitFor()
    await page.keyboard.press('n')
    await page.keyboard.type('First')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'First' }).waitFor()
    await page.keyboard.type('Second')
    await page.keyboard.press('Shift+Enter')
    await page.getByRole('dialog', { name: 'Card: Second' }).waitFor()
    t.same(await titlesIn(board, 'backlog'), ['First', 'Second'])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  t.test('keys select, move and open cards, and moves are announced', async t => {
    await layOut(board, CARDS)
    const page = await site.openTab(t, board)
    await page.getByRole('link', { name: 'One' }).waitFor()
    await page.keyboard.press('j')
    t.match(await focused(page), /^One/)
    await page.keyboard.press('j')
    t.match(await focused(page), /^Two/)
    await page.keyboard.press('l')
    t.match(await focused(page), /^Three/)
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('J')
    t.same(await shownIn(page, 'Backlog'), ['Two', 'One'])
    await page.keyboard.press('L')
    t.match(await focused(page), /^One/)
    t.same(await shownIn(page, 'Doing'), ['Three', 'One'])
    await page.getByText('Moved to Doing, 2 of 2').waitFor({ state: 'attached' })
    await page.keyboard.press('Shift+ArrowRight')
    await savedIn(board, 'review', ['One'])
    t.same(await titlesIn(board, 'backlog'), ['Two'])
    t.match(await focused(page), /^One/)

    await page.keyboard.press('m')
    const menu = page.getByRole('dialog', { name: 'Move “One”' })
    await menu.waitFor()
    t.ok(await menu.getByRole('button', { name: /Review.*current/ }).isDisabled())
    await page.keyboard.press('d')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await savedIn(board, 'done', ['Four', 'One'])
    t.match(await focused(page), /^One/)

    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Card: One' }).waitFor()
    await page.keyboard.press('Escape')
    t.match(await focused(page), /^One/)
    await page.keyboard.press('e')
    await page.getByLabel('Text, in Markdown').waitFor()
  })

  t.test('a user drags a card with the mouse; Esc puts it back, and a refused move is undone', async t => {
    const ids = await layOut(board, CARDS)
    const page = await site.openTab(t, board)
    const drag = async (title: string, onto: string) => {
      await page.getByRole('link', { name: title }).hover()
      await page.mouse.down()
      const box = await page.getByRole('link', { name: onto }).boundingBox()
      await page.mouse.move((box?.x ?? 0) + 40, (box?.y ?? 0) + 4, { steps: 4 })
      await page.locator('.card-float').waitFor()
      await page.locator('.card-slot').waitFor()
    }
    await drag('Two', 'Three')
    t.match(await page.locator('.card-float').getAttribute('style'), /rotate\(1\.2deg\)/)
    await page.keyboard.press('Escape')
    await page.mouse.up()
    t.same(await shownIn(page, 'Backlog'), ['One', 'Two'])
    t.equal(await page.getByRole('dialog').count(), 0, 'it was not opened either')

    await drag('Two', 'Three')
    await page.mouse.up()
    t.same(await shownIn(page, 'Doing'), ['Two', 'Three'])
    await savedIn(board, 'doing', ['Two', 'Three'])

    // After a move the page asks for the cards; now it has, and does not know what comes next.
    await page.reload()
    await page.getByRole('link', { name: 'Four' }).waitFor()
    await board.ask(`/api/cards/${ids.Four}`, { method: 'DELETE' })
    await drag('Four', 'Three')
    await page.mouse.up()
    await page.getByText(/“Four” was not moved/).waitFor()
    await page.getByRole('link', { name: 'Four' }).waitFor({ state: 'detached' })
  })

  t.test(
    'a page that becomes visible again shows the changes of others, and keeps text that is being typed',
    async t => {
      const ids = await layOut(board, CARDS)
      const page = await site.openTab(t, board)
      await page.getByRole('link', { name: 'One' }).waitFor()
      await page.keyboard.press('n')
      await page.keyboard.type('half a ti')
      await board.ask(`/api/cards/${ids.Three}`, {
        method: 'PATCH',
        body: { title: 'Three, written again', column: 'review' },
      })
      // Coming back twice within two seconds asks once; a minute has gone by.
      await page.evaluate(`{ const past = Date.now; Date.now = () => past() + 60_000 }`)
      await page.evaluate(`window.dispatchEvent(new Event('focus'))`)
      await page.getByRole('link', { name: 'Three, written again' }).waitFor()
      t.same(await shownIn(page, 'Review'), ['Three, written again'])
      t.equal(await page.getByRole('textbox', { name: 'Title of a new card in Backlog' }).inputValue(), 'half a ti')
    },
  )

  t.test('leaving the quick add returns the focus to the card, and Undo restores its text', async t => {
    await layOut(board, CARDS)
    const page = await site.openTab(t, board)
    await page.getByRole('link', { name: 'Three' }).focus()
    await page.keyboard.press('n')
    await page.keyboard.type('Half a title')
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Three' }).and(page.locator(':focus')).waitFor()
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    const field = page.getByLabel('Title of a new card in Doing')
    t.equal(await field.inputValue(), 'Half a title')
    await field.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Three' }).focus()
    await page.keyboard.press('n')
    await page.keyboard.type('Another')
    await page.getByRole('button', { name: 'Undo' }).last().press('Enter')
    await until(async () => (await field.inputValue()) === 'Half a title Another')
    await field.press('Enter')
    await savedIn(board, 'doing', ['Three', 'Half a title Another'])
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.goBack()
    await page.getByRole('link', { name: 'Three' }).waitFor()
    t.equal(await field.count(), 0, 'a title that was added does not come back')
  })

  t.test('the focus moves to a neighbour of a deleted card, and a message stays while it has the focus', async t => {
    await layOut(board, CARDS)
    // A window of its own: its tabs share the clock.
    const page = await site.open(t, board)
    await page.clock.install()
    await page.reload()
    const isFocused = (name: string) => page.getByRole('link', { name }).and(page.locator(':focus')).waitFor()
    const remove = async () => {
      await page.getByRole('link', { name: 'One' }).press('Enter')
      await page.getByRole('button', { name: 'More', exact: true }).press('Enter')
      await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
      await isFocused('Two')
    }
    await remove()
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await isFocused('One')
    await remove()
    await page.getByRole('button', { name: 'Undo' }).focus()
    await page.clock.fastForward('01:00')
    t.equal(await page.getByRole('button', { name: 'Undo' }).count(), 1)
    await page.getByRole('link', { name: 'Two' }).focus()
    await page.clock.fastForward('01:00')
    await savedIn(board, 'backlog', ['Two'])
  })

  t.test('an address opens the draft of a new card once, and the draft survives a reload', async t => {
    await layOut(board, [])
    const page = await site.openTab(t, board, '/#new?title=Look%20at%20%3Cb%3E&link=chat%3A1')
    const panel = page.getByRole('dialog', { name: 'New card' })
    t.equal(await panel.getByLabel('Title').inputValue(), 'Look at <b>')
    t.equal((await addressOf(page)).hash, '')
    t.equal((await addressOf(page)).pathname, `${ROOT_PATH}/`)
    await page.reload()
    t.equal(await panel.getByLabel('Title').inputValue(), 'Look at <b>', 'a draft outlasts a reload')
    await panel.getByLabel('Title').press('Control+Enter')
    await page.getByRole('dialog', { name: 'Card: Look at <b>' }).waitFor()
    t.match(await board.ask('/api/cards'), { items: [{ title: 'Look at <b>', links: ['chat:1'], column: 'backlog' }] })
  })

  t.test('no page logs an error, violates its policy or contacts another server', async t => {
    t.same(site.complaints, [])
  })
})
