import t from 'tap'
import { inBrowser, openBrowser } from './chromium.js'
import { hasRows, message, post, rows, said, start } from './events-site.js'
import { follow, LAPTOP, ObservatorySite, ROOT_PATH } from './observatory-site.js'
import { addressOf, focused, overflow, query } from './page-checks.js'

const JOB = { kind: 'job.failed', object_type: 'job', verb: 'failed', outcome: 'failed', metadata: {} }

t.test('the events view in a browser', inBrowser(), async t => {
  const site = new ObservatorySite(await openBrowser(t))
  const home = t.testdir()
  const server = await start(t, `${home}/events.db`)
  const sources = ['chat', 'forum', 'code_a', 'backup']
  const many = Array.from({ length: 600 }, (_, at) => message({ text: `Word ${at}`, source: sources[at % 4] }))
  await post(server, ...many)
  await post(
    server,
    message({ kind: 'job.failed', source: 'code_a', text: 'Nightly.', who: 'Night Watch', action: JOB }),
    message({ text: 'The retry budget starts too early.', who: 'Jonas Weber' }),
    message({ who: 'Retry Robot', actor_role: 'bot', text: 'Ready.' }),
    message({ kind: 'push.created', text: '', payload: { head_commit: { message: `${'x'.repeat(500)} retry` } } }),
    message({ kind: 'alarm.half_done', source: 'backup', text: 'Disk is full.' }),
  )
  const [twice] = many
  await post(server, twice)
  const show = (path = '/') => site.visit(t, server, path)

  t.test(
    'a row shows the actor, the action, the target, the text, the count and how the delivery was verified',
    async t => {
      const page = await show()
      const row = rows(page).first()
      await row.waitFor()
      t.match(
        (await row.innerText()).replace(/\s+/g, ' '),
        /Ada Okafor.*· alarm half done · eng › deploys Disk is full/,
      )
      t.match(
        await row.locator('time').getAttribute('title'),
        /, \d\d:\d\d:\d\d\.\d{6}.*\n\d{4}-\d\d-\d\d .*\.\d{6} UTC$/,
      )
      t.equal(await row.getByRole('img', { name: 'not verified' }).count(), 1)
      await follow(page, `/?subject_id=${twice?.subject_id}`)
      t.equal(await page.getByRole('img', { name: 'came 2 times' }).innerText(), '×2')
    },
  )

  t.test('a search marks the matches, also in names, and shows their places outside the text', async t => {
    const page = await show()
    await rows(page).first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('RETRY')
    await page.waitForURL('**q=RETRY**')
    await hasRows(page, 3)
    // The rows of a search for its first letters may still be there.
    await page
      .locator('mark', { hasText: /^retry$/i })
      .nth(2)
      .waitFor()
    t.same(await page.locator('mark').allInnerTexts(), ['retry', 'Retry', 'retry'])
    t.match(await page.locator('.event-said').first().innerText(), /^payload\.head_commit\.message: …x+ retry$/)
    await page.keyboard.press('Escape')
    await hasRows(page)
    t.equal((await addressOf(page)).href, `${server.url}${ROOT_PATH}/`)
  })

  t.test('the address contains the filters, so reload and Back keep them', async t => {
    const page = await show()
    const chip = page.getByRole('button', { name: /^backup/ })
    await chip.click()
    t.match(await query(page), { source: 'backup' })
    await page.getByRole('button', { name: 'Last 24 hours' }).click()
    await page.getByRole('button', { name: '7 days' }).click()
    t.match(await query(page), { source: 'backup', days: '7' })
    await page.getByRole('button', { name: 'Kind' }).click()
    await page.getByRole('combobox', { name: 'Find: Kind' }).fill('alarm')
    await page.getByRole('dialog', { name: 'Kind' }).getByRole('option', { name: 'alarm.half_done' }).click()
    await page.keyboard.press('Escape')
    await hasRows(page, 1)
    await page.reload()
    t.same(await said(page), ['Disk is full.'])
    t.equal(await chip.getAttribute('aria-pressed'), 'true')
    t.equal(await page.getByRole('button', { name: 'Last 7 days' }).count(), 1)
    await page.goBack()
    await page.goBack()
    t.same(await query(page), { source: 'backup' })
    await hasRows(page)
    await page.getByRole('button', { name: 'Clear all' }).click()
    t.same(await query(page), {})
  })

  t.test('menus show the counts of their values, and a filter can have two persons', async t => {
    const page = await show()
    await hasRows(page)
    await page.getByRole('button', { name: 'Kind' }).click()
    await page
      .getByRole('dialog', { name: 'Kind' })
      .getByText('Counts of events that match the other filters.')
      .waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Who' }).click()
    const people = page.getByRole('dialog', { name: 'Who' })
    await people.getByRole('option', { name: 'Retry Robot' }).click()
    await hasRows(page, 1)
    await people.getByRole('option', { name: 'Jonas Weber' }).click()
    await hasRows(page, 2)
    t.same((await addressOf(page)).searchParams.getAll('actor'), ['Retry Robot', 'Jonas Weber'])
    await page.keyboard.press('Escape')
  })

  t.test('a user selects several values in a narrow filter bar, and the focus stays in it', async t => {
    const page = await show()
    let release = () => {}
    const isReleased = new Promise<void>(resolve => {
      release = resolve
    })
    // Long counts, which become short, and later, with a filter.
    await page.route('**/api/histogram?*', async route => {
      // As browsers do, if the server has just closed the idle connection.
      const response = await route.fetch({ maxRetries: 1 })
      const json = await response.json()
      if (route.request().url().includes('outcome=')) await isReleased
      else for (const each of Object.values<{ count: number }>(json.by_source)) each.count *= 1e9
      await route.fulfill({ response, json })
    })
    await page.reload()
    await page.getByRole('button', { name: /^backup 15/ }).waitFor()
    const all = page.getByRole('button', { name: /^Filters/ })
    let width = 1520
    do {
      width -= 40
      await page.setViewportSize({ width, height: 800 })
      await overflow(page)
    } while ((await all.count()) === 0)
    await page.setViewportSize({ width: width + 40, height: 800 })
    await page.getByRole('button', { name: 'Outcome', exact: true }).click()
    const outcomes = page.getByRole('dialog', { name: 'Outcome' })
    for (const name of [/^Failed/, /^Succeeded/]) await outcomes.getByRole('option', { name }).click()
    t.same((await addressOf(page)).searchParams.getAll('outcome'), ['failed', 'succeeded'])
    await page.keyboard.press('Escape')
    await all.and(page.locator(':focus')).waitFor()
    release()
    await page.getByRole('button', { name: 'Outcome: 2 selected' }).and(page.locator(':focus')).waitFor()
    await page.getByRole('button', { name: 'Clear Outcome' }).press('Enter')
    t.equal(await focused(page), 'Outcome')
    await page.unrouteAll({ behavior: 'wait' })
    await page.setViewportSize(LAPTOP.viewport)
  })

  t.test('failures have a mark and a filter, and a filter can exclude a person', async t => {
    const page = await show('/?source=code_a')
    await rows(page).first().waitFor()
    await page.getByRole('button', { name: 'Outcome', exact: true }).click()
    const outcomes = page.getByRole('dialog', { name: 'Outcome' })
    await outcomes.getByRole('option', { name: /^Failed 1$/ }).click()
    await hasRows(page, 1)
    t.equal(await rows(page).getByRole('img', { name: 'Failed' }).count(), 1)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Clear Outcome' }).click()
    await hasRows(page)
    await page.getByRole('button', { name: 'Who' }).click()
    const people = page.getByRole('dialog', { name: 'Who' })
    await people.getByRole('radio', { name: 'All but' }).check({ force: true })
    await people.getByRole('option', { name: /^Ada Okafor 150$/ }).click()
    await hasRows(page, 1)
    t.match(await query(page), { exclude_actor: 'Ada Okafor' })
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Not by: Ada Okafor' }).click()
    await hasRows(page)
    t.notMatch(await query(page), { exclude_actor: 'Ada Okafor' })
  })

  t.test('events with a text can be excluded, and the chip includes them again', async t => {
    const page = await show('/?source=backup&exclude_q=disk+full')
    await rows(page).first().waitFor()
    const full = page.locator('.event-said', { hasText: 'Disk is full.' })
    t.equal(await full.count(), 0)
    await page.getByRole('button', { name: 'Without: disk full' }).click()
    await full.first().waitFor()
    t.notOk('exclude_q' in (await query(page)))
  })

  t.test('values in a row and in the panel are filters, or exclusions', async t => {
    const page = await show('/?source=backup')
    await rows(page).first().waitFor()
    await rows(page).first().click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'All but Ada Okafor' }).waitFor()
    t.same((await page.getByRole('menuitem').allInnerTexts()).map(text => text.trim()).slice(0, 2), [
      'Only Ada Okafor',
      'All but Ada Okafor',
    ])
    await page.getByRole('menuitem', { name: 'Only alarm.half_done' }).click()
    await hasRows(page, 1)
    t.match(await query(page), { source: 'backup', kind: 'alarm.half_done' })
    await rows(page).first().click()
    const panel = page.locator('.panel')
    await panel.getByRole('button', { name: 'alarm.half_done' }).click()
    await page.getByRole('menuitem', { name: 'All but alarm.half_done' }).click()
    // Beside the open panel the line has room for one button in place of its filters.
    await page.getByRole('button', { name: 'Filters' }).waitFor()
    await page.setViewportSize({ width: 1200, height: 800 })
    // Parts that observe their size follow in the frames after a change.
    await overflow(page)
    const clipped = `(chips => chips.scrollWidth - chips.clientWidth)(document.querySelector('.events-chips'))`
    t.equal(await page.evaluate(clipped), 0, 'no chip is clipped')
    const { kind, exclude_kind } = await query(page)
    t.same({ kind, exclude_kind }, { kind: undefined, exclude_kind: 'alarm.half_done' })
    await page.locator('.event-said', { hasText: 'Disk is full.' }).waitFor({ state: 'detached' })
    await hasRows(page)
    await page.getByRole('tree', { name: 'Events' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Only Ada Okafor' }).waitFor()
    await page.keyboard.press('Escape')
    t.equal(await page.getByRole('menuitem').count(), 0)
    await page.setViewportSize(LAPTOP.viewport)
  })

  t.test('scrolling loads every older event once, down to the first', async t => {
    const page = await show('/?source=chat&kind=message.*')
    await rows(page).first().waitFor()
    // In the page: every row is seen in one go. The rows follow in the frames after the scrolling.
    const seen = await page.evaluate<string[]>(`(async () => {
      const list = document.querySelector('.virtual-list')
      const seen = new Set()
      for (let isLast = false; !isLast; ) {
        const isAtEnd = list.scrollTop + list.clientHeight > list.scrollHeight - 2
        isLast = isAtEnd && list.textContent.includes('No earlier event matches. The ledger begins on')
        for (const each of document.querySelectorAll('.event-said')) seen.add(each.innerText)
        list.scrollBy(0, 500)
        for (let frame = 0; frame < 4; frame++) await new Promise(requestAnimationFrame)
      }
      return [...seen]
    })()`)
    t.equal(seen.filter(text => /^Word \d+$/.test(text)).length, 150)
    t.ok((await rows(page).count()) < 60, 'only what is near the view is in the page')
  })

  t.test('browsers without idle callbacks, such as Safari, show events and the panel', async t => {
    const page = await site.openTab(t, server)
    await page.addInitScript('delete window.requestIdleCallback')
    await page.reload()
    await rows(page).first().click()
    await page.getByRole('region', { name: 'What was said' }).getByText('Disk is full.').waitFor()
    t.equal(await page.evaluate('"requestIdleCallback" in window'), false)
  })

  t.test('two windows preserve each other’s saved searches', async t => {
    const [one, other] = [await show('/?q=one'), await site.openTab(t, server, '/?q=other')]
    for (const page of [one, other]) {
      await page.getByRole('button', { name: 'Watch' }).click()
      await page.getByRole('menuitem', { name: 'Save this search' }).click()
    }
    const saved = `JSON.parse(localStorage['daybook.searches']).map(({ query }) => query)`
    t.same(await other.evaluate(saved), ['q=one', 'q=other'])
    await one.evaluate(`delete localStorage['daybook.searches']`)
  })

  t.test('a failed search keeps the rows, and shows that they belong to the previous search', async () => {
    const page = await show()
    await hasRows(page)
    await page.route('**/api/events?*', route => route.abort())
    await page.getByRole('searchbox', { name: /^Search/ }).fill('robot')
    await page.getByText('The search failed. These events are from the previous one.').waitFor()
    await hasRows(page)
    await page.unrouteAll()
  })

  t.test('a search without matches shows its filters, and which one to drop', async t => {
    const page = await show('/?q=retry&source=forum&verified=signature')
    await page.getByRole('heading', { name: 'No event matches “retry”' }).waitFor()
    await page.getByText('Searched the last 24 hours in Discourse, by signature.').waitFor()
    const empty = await show('/?q=robot&kind=push.created')
    await empty.getByRole('button', { name: 'Drop “push.created”, 1 matches' }).click()
    await hasRows(empty, 1)
    t.same(await query(empty), { q: 'robot' })
  })

  t.test('no page logs an error, violates its policy or contacts another server', async t => {
    t.same(site.complaints, [])
  })
})
