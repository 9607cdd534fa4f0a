import t from 'tap'
import { addCards, BoardSite, settled, titlesIn } from './board-site.js'
import { inBrowser, openBrowser } from './chromium.js'
import { findAxeViolations, overflow, PHONE, WALL } from './observatory-site.js'

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
  { title: 'Four', column: 'done' },
]

/** All script of the board, compressed, in bytes. */
const SCRIPT_BUDGET = 120_000

t.test('the look of the board', inBrowser(), async t => {
  const site = new BoardSite(await openBrowser(t))

  t.test('it is accessible in both schemes and fits every window, also with large letters', async t => {
    const board = await site.serve(t)
    const ids = await addCards(board, CARDS)
    const looks = [
      { window: {}, schemes: ['light', 'dark'] },
      { window: PHONE, schemes: ['dark'] },
      { window: WALL, schemes: [] },
    ] as const
    for (const { window, schemes } of looks) {
      const page = await site.open(t, board, '/', window)
      await page.getByRole('link', { name: 'One' }).waitFor()
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme })
        t.same(await findAxeViolations(page), [])
      }
      t.equal(await overflow(page), 0)
      await page.evaluate(`document.documentElement.style.fontSize = '200%'`)
      t.equal(await overflow(page), 0, 'with letters twice as large')
    }
    const page = await site.open(t, board, `/?card=${ids.One}`)
    await page.getByRole('dialog', { name: 'Card: One' }).waitFor()
    t.same(await findAxeViolations(page), [], 'a card')
    await page.keyboard.press('e')
    await page.getByLabel('Text, in Markdown').waitFor()
    t.same(await findAxeViolations(page), [], 'a card that is written')
  })

  t.test('on a phone columns are tabs, and cards are moved by a menu', async t => {
    const board = await site.serve(t)
    await addCards(board, CARDS)
    const page = await site.open(t, board, '/', PHONE)
    await page.getByRole('button', { name: 'Move Two' }).tap()
    await page.getByRole('dialog', { name: 'Move “Two”' }).getByRole('button', { name: 'Review' }).tap()
    await settled(page)
    t.same(await titlesIn(board, 'review'), ['Two'])
    await page.getByRole('navigation', { name: 'Columns' }).getByRole('button', { name: 'Review' }).tap()
    await page.getByRole('link', { name: 'Two' }).waitFor()
    for (const target of await page.getByRole('main').getByRole('button').all()) {
      const box = await target.boundingBox()
      t.ok(box && box.height >= 44 && box.width >= 44, `${await target.innerText()} ${box?.width} × ${box?.height}`)
    }
  })

  t.test('all its script weighs little', async t => {
    const board = await site.serve(t)
    const ids = await addCards(board, [{ title: 'Read', body: '# Words' }])
    const page = await site.open(t, board, `/?card=${ids.Read}`)
    await page.getByRole('heading', { name: 'Words' }).waitFor()
    const sizes: number[] = await page.evaluate(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).map(entry => entry.encodedBodySize)`,
    )
    t.ok(sizes.reduce((sum, size) => sum + size) < SCRIPT_BUDGET, `${sizes.length} scripts`)
  })

  t.test('no page complained, broke its policy, or asked anybody but its server', async t => {
    t.same(site.complaints, [])
  })
})
