import type { Page } from 'playwright-core'
import t from 'tap'
import { freePort } from '../support/free-port.js'
import { inBrowser, openBrowser } from './chromium.js'
import { message, post, said, start } from './events-site.js'
import { ObservatorySite } from './observatory-site.js'
import { findAxeViolations, untilHolds } from './page-checks.js'

t.test('Live in a browser', inBrowser(), async t => {
  const site = new ObservatorySite(await openBrowser(t))
  const home = t.testdir()
  const database = `${home}/events.db`
  const port = await freePort()
  const first = await start(t, database, port)
  await post(first, ...Array.from({ length: 60 }, (_, at) => message({ text: `Before ${at}` })))

  t.test('new events appear without a reload, wait while the user reads, and are shown on request', async t => {
    const page = await site.openTab(t, first, '/?live=1')
    await said(page)
    await post(first, message({ text: 'Here at once' }))
    await page.getByText('Here at once').waitFor()
    await page.evaluate(`document.querySelector('.virtual-list').scrollTo(0, 300)`)
    await page.getByText('paused while you scroll').waitFor()
    await post(first, message({ text: 'Later 1' }), message({ text: 'Later 2' }))
    const pill = page.getByRole('button', { name: '2 new' })
    await pill.waitFor()
    t.same(await findAxeViolations(pill), [])
    t.equal(await page.getByText('Later 2').count(), 0)
    await pill.click()
    await page.getByText('Later 2').waitFor()
    await pill.waitFor({ state: 'detached' })
    await untilHolds(page, `document.querySelector('.virtual-list').scrollTop === 0`)
  })

  t.test('a day shows its number of events, even if more arrived than are loaded', async t => {
    const page = await site.openTab(t, first, '/', { timezoneId: zoneAtNoon() })
    const counted = page.locator('.day-count', { hasText: /events$/ }).first()
    const before = Number.parseInt(await counted.innerText(), 10)
    await post(first, ...Array.from({ length: 150 }, (_, at) => message({ text: `More ${at}` })))
    await page.keyboard.press('.')
    await page
      .locator('.day-count', { hasText: `${before + 150} events` })
      .first()
      .waitFor()
  })

  t.test('rows that were scrolled away are removed from the page', async t => {
    await post(first, ...Array.from({ length: 400 }, (_, at) => message({ text: `Row ${at}` })))
    const page = await site.open(t, first)
    await said(page)
    // In the page: all rows are seen in one go.
    await page.evaluate(`(async () => {
      const list = document.querySelector('.virtual-list')
      const isShown = text => [...document.querySelectorAll('.event-said')].some(each => each.textContent.trim() === text)
      for (let row = 390; row >= 0; row -= 10) {
        while (!isShown('Row ' + row)) await new Promise(requestAnimationFrame)
        list.scrollBy(0, 520)
      }
    })()`)
    const tools = await page.context().newCDPSession(page)
    await tools.send('Performance.enable')
    await tools.send('HeapProfiler.collectGarbage')
    const { metrics } = await tools.send('Performance.getMetrics')
    // 400 rows have 18,000 nodes.
    const nodes = metrics.find(({ name }) => name === 'Nodes')?.value ?? Number.NaN
    t.ok(nodes < 12_000, `${nodes} nodes`)
    console.error(nodes)
  })

  t.test('a new row has its full height from the first frame on', async t => {
    const page = await site.openTab(t, first, '/?live=1')
    await said(page)
    const heights = page.evaluate(`new Promise(resolve => {
      const found = []
      const look = () => {
        const row = [...document.querySelectorAll('.event-row')].find(each => each.textContent.includes('Grown'))
        if (row) found.push(row.getBoundingClientRect().height)
        found.length < 8 ? requestAnimationFrame(look) : resolve([...new Set(found)])
      }
      look()
    })`)
    await post(first, message({ text: 'Grown' }))
    t.equal(((await heights) as number[]).length, 1)
  })

  t.test('after an outage of the server, Live continues without gap or repeat, and reports that', async t => {
    const page = await site.open(t, first, '/?live=1')
    await said(page)
    await post(first, message({ text: 'Last before' }))
    await page.getByText('Last before').waitFor()
    await hasLoaded(page, 'event-panel.js')
    await first.kill()
    await page.getByText('reconnecting…').waitFor()
    await page.getByText('Last before').click()
    await page.getByRole('dialog', { name: 'Event' }).waitFor()
    await page.keyboard.press('Escape')
    // Written while the page has no connection.
    const other = await start(t, database)
    await post(other, ...Array.from({ length: 14 }, (_, at) => message({ text: `Meanwhile ${at}` })))
    await other.stop()
    const second = await start(t, database, port)
    await page.evaluate(`document.querySelector('.outage button')?.click()`)
    await page
      .getByText(/Caught up at \d\d:\d\d: 14 events came while the connection was lost\. None missed, none twice\./)
      .waitFor()
    await page.locator('.events-live', { hasText: 'caught up, 14 came' }).waitFor()
    await post(second, message({ text: 'First after' }))
    await page.getByText('First after').waitFor()
    await page.evaluate(`document.querySelector('.virtual-list').scrollTo(0, 0)`)
    // The rows follow in the frames after the scrolling.
    await untilHolds(page, `document.querySelector('.event-said')?.innerText === 'First after'`)
    const texts = (await said(page)).slice(0, 16)
    t.same(texts, ['First after', ...Array.from({ length: 14 }, (_, at) => `Meanwhile ${13 - at}`), 'Last before'])
    t.same(await findAxeViolations(page.locator('.events-live')), [])
    // Another ledger takes the place of this one, such as a backup.
    await second.stop()
    const replace = async () => {
      const third = await start(t, `${home}/other.db`, port)
      await post(third, message({ text: 'Of another ledger' }))
      await page.evaluate(`document.querySelector('.outage button')?.click()`)
    }
    // Together: the page shows this for some seconds, and may find the server before the test knows that it has started.
    await Promise.all([page.getByText('The server has a different ledger now.').waitFor(), replace()])
    t.same(await said(page), ['Of another ledger'])
    await page.locator('.events-total', { hasText: /^1 event$/ }).waitFor()
    t.same(site.complaints, [])
  })
})

/** A module that the page loads when it is idle, with all its imports. */
async function hasLoaded(page: Page, name: string): Promise<void> {
  const find = `performance.getEntriesByType('resource').find(entry => entry.name.endsWith('/${name}'))?.name`
  await untilHolds(page, find)
  await page.evaluate(`import(${find}).then(() => {})`)
}

/** A time zone in which the current day does not end soon. */
function zoneAtNoon(): string {
  const west = new Date().getUTCHours() - 12
  return `Etc/GMT${west < 0 ? west : `+${west}`}`
}
