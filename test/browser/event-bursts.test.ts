import t from 'tap'
import { inBrowser, openBrowser } from './chromium.js'
import { openBook, type Written } from './event-book.js'
import { hasRows } from './events-site.js'
import { ObservatorySite, PHONE } from './observatory-site.js'
import { findAxeViolations, query } from './page-checks.js'

const SINCE = '/?from=2025-11-20T00:00:00Z'

/** A check of one commit, as a code host reports it. */
function check(name: string, outcome: string): Written {
  const repository = { type: 'repository', key: 'repo:acme/app', display: 'acme/app' }
  return {
    source: 'code_a',
    kind: 'check_run.completed',
    subject_type: 'check_run',
    dedupe_key: `check:${name}`,
    action: { kind: 'check_run.completed', object_type: 'check_run', verb: 'completed', outcome, metadata: {} },
    target: {
      type: 'check_run',
      key: `check_run:${name}`,
      display: name,
      parent: { type: 'commit', key: 'commit:1', display: '1f0c2a5', parent: repository },
    },
    conversation: {},
  }
}

t.test('bursts of runs in a browser', inBrowser(), async t => {
  const site = new ObservatorySite(await openBrowser(t))
  const { ledger, write } = await openBook(t)
  await write({ dedupe_key: 'before' }, check('lint', 'success'), check('build', 'success'))
  await write(check('tests', 'failure'), check('docs', 'success'), { dedupe_key: 'after' })
  const served = await site.serve(t, { ledger, boardUrl: () => undefined })
  const show = (path: string) => site.visit(t, served, path)

  t.test('a burst is one row that names the failure, and the failed run is also a row of its own', async t => {
    const page = await show(SINCE)
    await hasRows(page, 4)
    const rows = page.locator('.list-row')
    const burst = page.getByRole('treeitem', { expanded: false })
    t.match((await burst.innerText()).replaceAll(/\s+/g, ' '), /4 checks on acme\/app ?: 1 failed/)
    t.match(await rows.nth(2).innerText(), 'tests')
    await burst.click()
    await hasRows(page, 7)
    t.equal((await query(page)).event, undefined)
    t.same(await findAxeViolations(page), [])
    await page.getByRole('treeitem', { expanded: true }).click()
    await hasRows(page, 4)
  })

  t.test('keys open and close a burst, and select the rows in it', async t => {
    const page = await show(SINCE)
    await hasRows(page, 4)
    await page.getByRole('tree').focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    await hasRows(page, 7)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    t.equal((await query(page)).event, 'check:docs')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await hasRows(page, 4)
  })

  t.test('a key that follows Enter within a frame moves from the opened row', async t => {
    const page = await show(SINCE)
    await hasRows(page, 4)
    await page.getByRole('treeitem', { expanded: false }).click()
    await hasRows(page, 7)
    await page.getByRole('tree').focus()
    await page.keyboard.press('ArrowDown')
    await page.evaluate(`(async () => {
      for (const key of ['Enter', 'ArrowLeft']) {
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
        await new Promise(resolve => setTimeout(resolve))
      }
    })()`)
    await page.locator('.entry').first().waitFor()
    t.equal((await query(page)).event, 'check:docs')
    await page.keyboard.press('ArrowLeft')
    await hasRows(page, 4)
  })

  t.test('a burst with the event of the address is open', async t => {
    const page = await show(`${SINCE}&event=check:lint`)
    await hasRows(page, 7)
    t.match(await page.locator('.list-row[aria-selected=true]').innerText(), 'lint')
  })

  t.test('a search shows every match as a row, without bursts', async () => {
    const page = await show(`${SINCE}&q=Ada`)
    await hasRows(page, 6)
  })

  t.test('an open burst grows in Live, and stays open', async t => {
    const page = await site.openTab(t, served, `${SINCE}&live=1`, PHONE)
    await hasRows(page, 4)
    await write(check('types', 'success'), check('size', 'success'), check('links', 'success'))
    // They follow another event, so they are not one burst with the others, and are too few for one of their own.
    await hasRows(page, 7)
    await write(check('fonts', 'success'))
    await hasRows(page, 5)
    const newest = page.getByRole('treeitem', { expanded: false }).first()
    await newest.getByText('4 checks').waitFor()
    await newest.click()
    await hasRows(page, 9)
    await write(check('icons', 'success'))
    await page.getByText('5 checks').waitFor()
    await hasRows(page, 10)
  })
})
