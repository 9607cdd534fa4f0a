import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { joinPage } from '../../src/pages/join-page.js'
import { testFolder } from '../support/test-folder.js'
import { inBrowser, openBrowser } from './chromium.js'
import { ObservatorySite } from './observatory-site.js'
import { findAxeViolations } from './page-checks.js'

/** The files of the page. */
async function joinParts(t: Test): Promise<string> {
  const entry = join(testFolder(t), 'main.js')
  const shared = fileURLToPath(new URL('../../assets/shared', import.meta.url))
  const modules = { html: `${shared}/html.js`, render: 'preact', VirtualList: `${shared}/virtual-list.js` }
  writeFileSync(
    entry,
    Object.entries(modules)
      .map(([name, from]) => `export { ${name} } from '${from}'\n`)
      .join(''),
  )
  return (await joinPage(entry, 'parts')).scripts.get('parts/main.js') ?? ''
}

/** A list of numbered rows in place of the page, newest first; `window.show(rows)` shows others. */
const LIST = `(async () => {
  const { html, render, VirtualList } = await import('/parts-of-the-page.js')
  document.body.innerHTML = '<main><h1>A list</h1><div id="box"></div></main>'
  const box = document.getElementById('box')
  box.style.height = '600px'
  window.opened = []
  window.calls = { end: 0, top: [] }
  const row = number => html\`<div class="row">row \${number}</div>\`
  const heightOf = number => 2 + (number % 3)
  window.show = rows => render(html\`<\${VirtualList} label="Rows" items=\${rows} keyOf=\${String} heightOf=\${heightOf}
    dayOf=\${number => 'day ' + Math.floor(number / 100)} renderDay=\${day => html\`<b>\${day}</b>\`} renderItem=\${row}
    onOpen=\${number => opened.push(number)} onNearEnd=\${() => calls.end++} onAtTop=\${is => calls.top.push(is)} />\`, box)
  window.down = (from, to) => Array.from({ length: from - to + 1 }, (_, i) => from - i)
  show(down(9999, 0))
})()`

t.test('the virtual list in a browser', inBrowser(), async t => {
  const site = new ObservatorySite(await openBrowser(t))
  const parts = await joinParts(t)

  const page = await site.openTab(t, await site.serve(t))
  await page.route('**/parts-of-the-page.js', route => route.fulfill({ contentType: 'text/javascript', body: parts }))

  t.test('the page contains only the rows near the view, out of ten thousand', async t => {
    await page.evaluate(LIST)
    for (const top of [0, 123_456, 500_000, 10_000_000, 0]) {
      await scrollTo(page, top)
      const count = await page.getByRole('option').count()
      t.ok(count > 5 && count < 60, `${count} rows at ${top}`)
    }
    await scrollTo(page, 10_000_000)
    t.ok(await page.getByRole('option', { name: 'row 0', exact: true }).isVisible(), 'the last row is reached')
    t.ok(((await page.evaluate('calls.end')) as number) > 0)
    t.same(await page.evaluate('calls.top.at(-1)'), false)
  })

  t.test('visible rows keep their place when rows are added above them', async t => {
    await page.evaluate(LIST)
    await scrollTo(page, 3000)
    const before = await rowAtTop(page)
    await page.evaluate('show(down(10_049, 0))')
    await settle(page)
    t.same(await rowAtTop(page), before)
    await page.evaluate('show(down(10_049, 5000))')
    await settle(page)
    t.same(await rowAtTop(page), before, 'and when rows below it go')
  })

  t.test('at the top of the list, new rows move the others down', async t => {
    await page.evaluate(LIST)
    await page.evaluate('show(down(10_001, 0))')
    await settle(page)
    t.ok(await page.getByRole('option', { name: 'row 10001' }).isVisible())
    t.equal(await page.evaluate(`document.querySelector('.virtual-list').scrollTop`), 0)
  })

  t.test('the heading of the visible day stays at the top', async t => {
    await page.evaluate(LIST)
    await scrollTo(page, 20_000)
    const { row } = await rowAtTop(page)
    t.equal(await page.locator('.sticky-day').innerText(), `day ${Math.floor(row / 100)}`)
  })

  t.test('the list is one stop for the Tab key, arrow keys select a row, and Enter opens it', async t => {
    await page.evaluate(LIST)
    await page.keyboard.press('Tab')
    for (const [keys, row] of [
      [['ArrowDown'], 9999],
      [['ArrowDown', 'ArrowDown', 'ArrowUp'], 9998],
      [['End'], 0],
      [['ArrowDown'], 0],
      [['ArrowUp'], 1],
      [['Home'], 9999],
    ] as const) {
      for (const key of keys) await page.keyboard.press(key)
      await settle(page)
      t.equal(await activeRow(page), `row ${row}`, keys.join(' '))
      t.ok(await page.locator('.is-active').isVisible())
    }
    await page.keyboard.press('PageDown')
    await settle(page)
    t.match(await activeRow(page), /^row 99[789]\d$/)
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'row 9998' }).click()
    t.same(await page.evaluate('opened'), [9999, 9998])
  })

  t.test('the list is accessible', async t => {
    await page.evaluate(LIST)
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowDown')
    t.same(await findAxeViolations(page), [])
  })

  t.test('no page logs an error, violates its policy or contacts another server', async t => {
    t.same(site.complaints, [])
  })
})

async function scrollTo(page: Page, top: number): Promise<void> {
  await page.evaluate(`document.querySelector('.virtual-list').scrollTop = ${top}`)
  await settle(page)
}

/** Waits until changes have been drawn. */
async function settle(page: Page): Promise<void> {
  for (let frame = 0; frame < 4; frame++) await page.evaluate('new Promise(requestAnimationFrame)')
}

/** The row below the sticky heading, and how far its top is from the top of the list. */
function rowAtTop(page: Page): Promise<{ row: number; top: number }> {
  return page.evaluate(`(() => {
    const list = document.querySelector('.virtual-list').getBoundingClientRect()
    const row = [...document.querySelectorAll('[role=option]')].find(row => row.getBoundingClientRect().bottom > list.top + 33)
    return { row: Number(row.textContent.slice(4)), top: Math.round(row.getBoundingClientRect().top - list.top) }
  })()`)
}

/** What a screen reader announces as the start of keyboard navigation. */
function activeRow(page: Page): Promise<string> {
  return page.evaluate(
    `document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.textContent`,
  )
}
