import type { BrowserContextOptions, Page } from 'playwright-core'
import t from 'tap'
import { inBrowser, openBrowser } from './chromium.js'
import { openBook, type Written } from './event-book.js'
import { ObservatorySite, PHONE } from './observatory-site.js'
import { findAxeViolationsInBothSchemes, focused, overflow, query } from './page-checks.js'

/** A whole day, so that a bar is a quarter of an hour. */
const DAY = '/?from=2025-11-20T00:00:00Z&to=2025-11-20T23:59:59.999999Z'

const FAILED_JOB = { kind: 'job.failed', object_type: 'job', verb: 'failed', outcome: 'failed', metadata: {} }

const BERLIN = { timezoneId: 'Europe/Berlin' }

t.test('the histogram in a browser', inBrowser(), async t => {
  const site = new ObservatorySite(await openBrowser(t))
  const { ledger, write } = await openBook(t)
  await write(
    ...at('2025-11-10T09:00:00Z', { source: 'code_a', action: FAILED_JOB }, { source: 'chat' }),
    ...at('2025-11-20T08:00:00Z', { source: 'chat' }, { source: 'code_a' }, { source: 'chat' }),
    ...at('2025-11-20T08:20:00Z', { source: 'forum' }),
    ...at('2025-11-20T12:01:00Z', { source: 'nightly' }, { source: 'code_b', conversation: { text: 'retry' } }),
    ...at('2025-11-20T18:00:00Z', { source: 'chat' }),
  )
  const served = await site.serve(t, { ledger })
  const show = (path: string, options: BrowserContextOptions = {}) =>
    site.visit(t, served, path, { timezoneId: 'UTC', ...options })

  t.test('a table lists the data of the bars, in local time', async t => {
    const page = await show(DAY, BERLIN)
    await drawn(page)
    t.same(await table(page), [
      'Time|Zulip|GitHub|GitLab|Discourse|nightly|Total',
      'Thu 20 Nov 2025 09:00 – 09:15|2|1|0|0|0|3',
      'Thu 20 Nov 2025 09:15 – 09:30|0|0|0|1|0|1',
      'Thu 20 Nov 2025 13:00 – 13:15|0|0|1|0|1|2',
      'Thu 20 Nov 2025 19:00 – 19:15|1|0|0|0|0|1',
    ])
  })

  t.test('bars have the colours of their sources, and are stacked from the base line', async t => {
    for (const [window, rule, height] of [
      [{}, 88, 104],
      [PHONE, 39, 64],
    ] as const) {
      const page = await show('/?from=2025-11-20T08:00:00Z&to=2025-11-20T08:00:29.999999Z', window)
      await drawn(page)
      const box = await page.locator('.histogram').boundingBox()
      t.equal(box?.height, height)
      const { left, colours } = await bars(page)
      t.equal(left, rule)
      t.same(colours, await sourceColours(page, ['chat', 'code-a']))
    }
  })

  t.test('colours follow the colour scheme and the appearance that the device has stored', async t => {
    const page = await show('/?from=2025-11-20T08:00:00Z&to=2025-11-20T08:00:29.999999Z')
    await drawn(page)
    const light = await bars(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await settle(page)
    const dark = await bars(page)
    t.same(dark.colours, await sourceColours(page, ['chat', 'code-a']))
    t.not(dark.colours[0], light.colours[0])
    await page.evaluate(`localStorage.setItem('daybook.appearance', JSON.stringify({ scheme: 'light' }))
      window.dispatchEvent(new StorageEvent('storage', { key: 'daybook.appearance' }))`)
    await settle(page)
    t.same((await bars(page)).colours, light.colours)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.evaluate(`localStorage.removeItem('daybook.appearance')
      window.dispatchEvent(new StorageEvent('storage', { key: 'daybook.appearance' }))`)
  })

  t.test('pointing at a bar shows its counts, dragging narrows the range, and Back restores it', async t => {
    const page = await show(DAY)
    await drawn(page)
    const over = await pointer(page)
    await over.move(8.1)
    const tip = page.locator('.histogram-tip')
    await tip.getByText('08:00 – 08:15').waitFor()
    t.match(await tip.innerText(), /08:00 – 08:15\s+Zulip\s+2\s+GitHub\s+1\s+.*Total\s+3$/s)
    await over.drag(8.1, 12.1)
    await page.waitForURL('**from=2025-11-20T08**')
    t.match(await query(page), { from: '2025-11-20T08:00:00.000000Z', to: '2025-11-20T12:14:59.999999Z' })
    await page.getByText('6 events').first().waitFor()
    await page.goBack()
    t.equal((await query(page)).from, '2025-11-20T00:00:00Z')
    await page.getByText('7 events').first().waitFor()
  })

  t.test('Esc cancels a drag', async t => {
    const page = await show(DAY)
    await drawn(page)
    const over = await pointer(page)
    await over.press(8.1)
    await over.move(12.1)
    await page.locator('.histogram-brush').waitFor()
    await page.keyboard.press('Escape')
    t.equal(await page.locator('.histogram-brush').count(), 0)
    await page.mouse.up()
    t.equal((await query(page)).from, '2025-11-20T00:00:00Z')
  })

  t.test('keys select bars and narrow the range', async t => {
    const path = '/?from=2025-11-20T07:00:00Z&to=2025-11-20T08:09:59.999999Z'
    const page = await show(path)
    await drawn(page)
    const slider = page.getByRole('slider', { name: 'Time in the histogram' })
    await slider.focus()
    const said = () => slider.getAttribute('aria-valuetext')
    await page.keyboard.press('End')
    t.match(await said(), /08:09 – 08:10: 0 in total$/)
    await page.keyboard.press('Home')
    t.match(await said(), /07:00 – 07:01/)
    for (let bar = 0; bar < 3; bar++) await page.keyboard.press('ArrowRight')
    t.match(await said(), /07:03 – 07:04: 0 in total$/)
    await page.keyboard.press('Shift+End')
    t.match(await said(), /07:03 – 08:10, selected: 3 in total, Zulip 2, GitHub 1$/)
    t.match(await page.locator('.histogram-tip').innerText(), /Total\s+3/)
    await page.keyboard.press('Escape')
    t.equal(await page.locator('.histogram-brush').count(), 0)
    t.match(await said(), /No part/)
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('Enter')
    t.match(await query(page), { from: '2025-11-20T07:00:00.000000Z', to: '2025-11-20T07:01:59.999999Z' })
  })

  t.test('keys move the range by an hour, exact to the microsecond', async t => {
    const page = await show('/?from=2025-11-20T08:00:00.000001Z&to=2025-11-20T08:59:59.999999Z')
    await drawn(page)
    await page.keyboard.press('[')
    t.match(await query(page), { from: '2025-11-20T07:00:00.000001Z', to: '2025-11-20T07:59:59.999999Z' })
    await page.keyboard.press(']')
    t.match(await query(page), { from: '2025-11-20T08:00:00.000001Z', to: '2025-11-20T08:59:59.999999Z' })
  })

  t.test('zooming out widens the range around its middle, and Back narrows it again', async t => {
    const page = await show('/?from=2025-11-20T12:00:00Z&to=2025-11-20T12:14:59.999999Z')
    await drawn(page)
    await page.getByRole('button', { name: 'Zoom out' }).click()
    t.same(await query(page), { from: '2025-11-20T11:37:30.000000Z', to: '2025-11-20T12:37:29.999999Z' })
    await page.keyboard.press('-')
    t.same(await query(page), { from: '2025-11-20T09:07:30.000000Z', to: '2025-11-20T15:07:29.999999Z' })
    await page.goBack()
    await page.goBack()
    t.match(await query(page), { from: '2025-11-20T12:00:00Z' })
  })

  t.test('a typed range is read in the zone of the page, which a reload keeps', async t => {
    const page = await show('/', BERLIN)
    const written = page.getByRole('textbox', { name: 'Range', exact: true })
    const start = page.getByRole('textbox', { name: 'From: time, 24 hours' })
    await page.keyboard.press('0')
    await written.fill('2025-11-20')
    await written.fill('2025-11-20 9')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('This is not a range.').waitFor()
    await written.fill('2025-11-20 8:30 to 9:30')
    t.equal(await start.inputValue(), '08:30')
    await start.fill('9:00')
    await start.press('Enter')
    t.same(await query(page), { from: '2025-11-20T08:00:00.000000Z', to: '2025-11-20T08:29:59.999999Z' })
    await page.getByText('4 events').first().waitFor()
    const button = page.getByRole('button', { name: 'Thu 20 Nov 2025 09:00 – 09:30' })
    t.match(await focused(page), /09:00 – 09:30$/)
    await button.click()
    await page.getByRole('switch', { name: 'UTC' }).check({ force: true })
    t.equal(await start.inputValue(), '08:00')
    t.same(await findAxeViolationsInBothSchemes(page.getByRole('dialog')), [])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Thu 20 Nov 2025 08:00 – 08:30' }).waitFor()
    await drawn(page)
    t.match((await table(page))[1], /^Thu 20 Nov 2025 08:00/)
    t.same(await page.locator('.list-row time').first().innerText(), '08:20:00')
    await page.reload()
    await drawn(page)
    t.match((await table(page))[1], /^Thu 20 Nov 2025 08:00/)
    await page.keyboard.press('0')
    await written.fill('2025-11-20 8:15–9:00')
    await page.keyboard.press('Enter')
    t.same(await query(page), { from: '2025-11-20T08:15:00.000000Z', to: '2025-11-20T08:59:59.999999Z' })
  })

  t.test('the fields of a range keep incomplete input', async t => {
    const page = await show('/?from=2025-11-20T08:00:00Z&to=2025-11-20T08:59:59.999999Z')
    const time = (end: string) => page.getByLabel(`${end}: time, 24 hours`)
    const day = page.getByLabel('From: day')
    await page.keyboard.press('0')
    await time('From').fill('9')
    await time('From').press('Tab')
    t.same(await Promise.all([day, time('From'), time('To')].map(field => field.inputValue())), [
      ...['2025-11-20', '9', '09:00'],
    ])
    await time('From').fill('8:30')
    // The years 2, 20 and 202 come before 2024.
    await day.focus()
    await page.keyboard.type('11192024')
    t.same(await Promise.all([day, time('From'), time('To')].map(field => field.inputValue())), [
      ...['2024-11-19', '08:30', '09:00'],
    ])
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    t.same(await query(page), { from: '2024-11-19T08:30:00.000000Z', to: '2025-11-20T08:59:59.999999Z' })
  })

  t.test('the days of the list are in the displayed zone', async () => {
    const page = await show(DAY, { timezoneId: 'Pacific/Kiritimati' })
    const friday = page.locator('.virtual-list .day', { hasText: 'Friday 21 November' })
    await friday.first().waitFor()
    await page.keyboard.press('0')
    await page.getByRole('switch', { name: 'UTC' }).check({ force: true })
    await friday.first().waitFor({ state: 'detached' })
    await page.getByRole('switch', { name: 'UTC' }).uncheck({ force: true })
    await friday.first().waitFor()
  })

  t.test('the end of the list has a button for earlier events, also after the last ones', async t => {
    for (const window of [{}, PHONE]) {
      const page = await show('/?from=2025-11-14T00:00:00Z&to=2025-11-20T23:59:59.999999Z', window)
      const rows = page.locator('.list-row')
      await rows.nth(6).waitFor()
      t.equal(await rows.count(), 7)
      await page.getByText('Earlier events go back to 10 November 2025.').waitFor()
      if (window !== PHONE) t.same(await findAxeViolationsInBothSchemes(page.locator('.list-box')), [])
      await page.getByRole('tree').focus()
      await page.keyboard.press('Tab')
      t.equal(await focused(page), 'Show earlier events')
      await page.keyboard.press('Enter')
      await page.locator('.day', { hasText: 'Monday 10 November' }).first().waitFor()
      t.match(await query(page), { from: /^2025-10-2/, to: '2025-11-20T23:59:59.999999Z' })
      await page.getByText('This is the first event of the ledger').waitFor()
      t.equal(await focused(page), 'Events, newest first')
      await page.keyboard.press('ArrowDown')
      t.match(await page.locator('.list-row.is-active').innerText(), /^09:00|\n09:00/)
    }
  })

  t.test('the histogram counts the filtered events', async t => {
    const page = await show(`${DAY}&q=retry`)
    await drawn(page)
    t.equal((await table(page)).length, 2)
    t.match((await table(page))[0], /^Time\|GitLab\|Total$/)
  })

  t.test(
    'the layout does not shift when the counts arrive, and the histogram is accessible in both colour schemes',
    async t => {
      const page = await show(DAY)
      await page.reload()
      await drawn(page)
      t.equal(await page.evaluate(SHIFTS), 0)
      await page.getByRole('slider', { name: 'Time in the histogram' }).focus()
      await page.keyboard.press('Shift+ArrowLeft')
      t.same(await findAxeViolationsInBothSchemes(page), [])
      t.equal(await overflow(page), 0)
    },
  )

  t.test('a failed count is reported, with an offer to retry', async () => {
    const page = await show('/?source=chat')
    await page.route('**/api/histogram?**', route => route.fulfill({ status: 503, json: { code: 'busy' } }))
    await page.reload()
    const again = page.locator('.histogram').getByRole('button', { name: 'Try again' })
    await again.waitFor()
    await page.unrouteAll()
    await again.click()
    await drawn(page)
  })

  t.test('bars are split by outcome on request, and the device stores the choice', async t => {
    const page = await show('/?from=2025-11-10T00:00:00Z&to=2025-11-10T23:59:59.999999Z')
    await drawn(page)
    await page.getByRole('button', { name: 'By outcome' }).click()
    await page.locator('.histogram-bars.outcome-failed').waitFor({ state: 'attached' })
    t.match(await table(page), [/^Time\|Failed\|No outcome\|Total$/, /\|1\|1\|2$/])
    await page.reload()
    await page.locator('.histogram-bars.outcome-failed').waitFor({ state: 'attached' })
    t.same(await findAxeViolationsInBothSchemes(page.locator('.histogram')), [])
  })

  t.test('no page logs an error, violates its policy or contacts another server', async t => {
    t.same(site.complaints, [])
  })
})

t.test('the histogram while new events arrive', inBrowser(), async t => {
  const site = new ObservatorySite(await openBrowser(t))
  const { ledger, write } = await openBook(t)
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
  // Bars of a day begin at quarters of an hour: what is less than a minute after this is in the same bar.
  const minute = Math.floor((Date.now() - 1000) / 60_000) * 60_000
  const recently = (ms: number) => new Date(minute + ms).toISOString()
  await write({ at: ago(3 * 3_600_000) }, { at: recently(0) })
  const served = await site.serve(t, { ledger, now: () => Date.now() * 1000 })
  const show = (path: string) => site.visit(t, served, path)

  t.test('in Live, the last bar grows, and the layout does not shift', async t => {
    const page = await show('/?live=1')
    await drawn(page)
    const before = await table(page)
    t.equal(before.length, 3)
    await page.getByText('2 events').first().waitFor()
    let asked = 0
    page.on('request', request => {
      // A heading asks for the one count of its day, and shortly after midnight there are two days.
      const { pathname, searchParams } = new URL(request.url())
      if (pathname.endsWith('/api/histogram') && searchParams.get('buckets') !== '1') asked += 1
    })
    await write({ at: recently(1), source: 'forum' }, { at: recently(2) })
    // Live may bring the two one after the other.
    while (!(await table(page)).at(-1)?.endsWith('|2|1|3')) await page.waitForTimeout(10)
    t.equal(await page.locator('.histogram table tr').count(), 3)
    t.ok(asked <= 1, 'it counted from what Live brought')
  })

  t.test('keys select ranges of minutes and of days; a past day has no Live', async t => {
    const page = await show('/?live=1')
    await page.keyboard.press('1')
    await page.getByRole('button', { name: 'Last 15 minutes' }).waitFor()
    t.match(await query(page), { last: '15m' })
    await page.getByText('3 events').first().waitFor()
    await write({ at: ago(0) })
    await page.getByText('4 events').first().waitFor()
    await page.keyboard.press('-')
    t.match(await query(page), { last: '1h' })
    await page.keyboard.press('9')
    await page.getByRole('button', { name: 'Yesterday' }).waitFor()
    t.equal(await page.getByRole('switch', { name: 'Live' }).isDisabled(), true)
  })

  t.test('a range that ends now advances with time', async t => {
    const page = await show('/')
    await drawn(page)
    await page.getByRole('slider', { name: 'Time in the histogram' }).focus()
    await page.keyboard.press('End')
    await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('Enter')
    t.equal((await query(page)).to, undefined)
    t.ok((await query(page)).from)
    t.equal((await query(page)).days, undefined)
  })

  t.test('no page logs an error, violates its policy or contacts another server', async t => {
    t.same(site.complaints, [])
  })
})

const SHIFTS = `new Promise(resolve => new PerformanceObserver(list => resolve(list.getEntries().filter(({ sources }) =>
  sources.some(({ node }) => node?.parentElement?.closest?.('.histogram') || node?.classList?.contains('histogram'))).length))
  .observe({ type: 'layout-shift', buffered: true }) || setTimeout(() => resolve(0), 200))`

function at(first: string, ...events: Written[]): Written[] {
  return events.map((event, index) => (index === 0 ? { at: first, ...event } : event))
}

async function drawn(page: Page): Promise<void> {
  await page.locator('.histogram-chart').waitFor()
  await settle(page)
}

async function settle(page: Page): Promise<void> {
  await page.evaluate(
    '(async () => { for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame) })()',
  )
}

/** The rows of the hidden table, their cells divided by `|`. */
function table(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('.histogram tr')].map(row =>
    [...row.cells].map(cell => cell.textContent.trim()).join('|'))`)
}

/** Where the first bar stands, and the colours of the bars from the ground up. */
function bars(page: Page): Promise<{ left: number; colours: string[] }> {
  return page.evaluate(`(() => {
    const box = document.querySelector('.histogram').getBoundingClientRect()
    const bars = [...document.querySelectorAll('.histogram-bars')]
      .map(bar => ({ rect: bar.getBoundingClientRect(), colour: getComputedStyle(bar).fill }))
      .sort((a, b) => b.rect.bottom - a.rect.bottom)
    return { left: bars[0].rect.left - box.left, colours: bars.map(({ colour }) => colour) }
  })()`)
}

/** The colours that the style sheets give to sources, read from rows: these may be shown after the histogram. */
async function sourceColours(page: Page, styles: readonly string[]): Promise<string[]> {
  for (const style of styles) await page.locator(`.glyph.source-${style}`).first().waitFor()
  return page.evaluate(`${JSON.stringify(styles)}.map(style =>
    getComputedStyle(document.querySelector('.glyph.source-' + style)).color)`)
}

/** Moves the pointer over the displayed day. Hours. */
async function pointer(page: Page) {
  const area = await page.locator('.histogram-area').boundingBox()
  if (!area) throw new Error('There is no histogram')
  const move = (hour: number) => page.mouse.move(area.x + (area.width * hour) / 24, area.y + 20, { steps: 3 })
  const press = async (hour: number) => {
    await move(hour)
    await page.mouse.down()
  }
  const drag = async (from: number, to: number) => {
    await press(from)
    await move(to)
    await page.mouse.up()
  }
  return { move, press, drag }
}
