import type { BrowserContextOptions } from 'playwright-core'
import t from 'tap'
import { inBrowser, openBrowser } from './chromium.js'
import { message, post, rows, said, serveEvents } from './events-site.js'
import { LAPTOP, ObservatorySite, PHONE, ROOT_PATH, WALL } from './observatory-site.js'
import {
  addressOf,
  findAxeViolations,
  findAxeViolationsInBothSchemes,
  findTurningMarks,
  overflow,
  overflowOfLargeText,
  query,
} from './page-checks.js'

t.test('the events view by keys, on phones, and with hostile text', inBrowser(), async t => {
  const site = new ObservatorySite(await openBrowser(t))
  const server = await serveEvents(t, site)
  const sources = ['chat', 'forum', 'code_a', 'backup']
  await post(
    server,
    ...Array.from({ length: 200 }, (_, at) => message({ text: `Word ${at}`, source: sources[at % 4] })),
  )
  const show = (path = '/', options?: BrowserContextOptions) => site.visit(t, server, path, options)

  t.test('keys alone select events with the panel open, and closing it returns the focus to the row', async t => {
    const page = await show()
    await rows(page).first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const panel = page.getByRole('dialog')
    await panel.waitFor()
    const first = (await query(page)).event
    await page.keyboard.press('j')
    t.not((await query(page)).event, first)
    t.equal(await page.locator('.list-row[aria-selected=true]').count(), 1)
    await page.keyboard.press('k')
    t.equal((await query(page)).event, first)
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    t.equal((await query(page)).event, undefined)
    t.equal(await page.evaluate(`document.activeElement.getAttribute('role')`), 'tree')
    await page.keyboard.press('6')
    t.equal((await query(page)).days, '7')
    await page.keyboard.press('0')
    t.equal(await page.evaluate(`document.activeElement.labels[0].innerText`), 'Range')
    await page.keyboard.press('Escape')
    t.equal(await page.evaluate(`document.activeElement.getAttribute('role')`), 'tree')
    await page.keyboard.press('l')
    t.equal((await query(page)).live, '1')
    await page.getByRole('button', { name: /^Range/ }).focus()
    const atEnd = `(({ right, top }) => document.elementFromPoint(right - 0.5, top + 9))(document.activeElement.getBoundingClientRect())`
    t.ok(await page.evaluate(`document.activeElement.contains(${atEnd})`), 'its neighbour does not cover its frame')
  })

  t.test('the event of an address opens, even if the list does not reach it', async t => {
    const { items } = (await (
      await fetch(`${server.url}${ROOT_PATH}/api/events?order=desc&q=${encodeURIComponent('"Word 7"')}&source=backup`)
    ).json()) as { items: { dedupe_key: string }[] }
    const key = encodeURIComponent(String(items.at(-1)?.dedupe_key))
    const page = await site.openTab(t, server, `/?event=${key}`)
    await page.getByRole('dialog').waitFor()
    const gone = await site.openTab(t, server, '/?event=chat%3Anothing')
    await gone.getByText('There is no such event.').waitFor()
  })

  t.test('hostile text is shown as text', async t => {
    const hostile = await serveEvents(t, site)
    await post(
      hostile,
      message({
        text: '<script>window.broken = 1</script><img src=x onerror="window.broken = 1">',
        who: '<b>Bold</b>',
      }),
      message({ text: 'invoice\u202efdp.exe', who: `Z${'\u0301'.repeat(2000)}` }),
      message({
        text: 'a'.repeat(1_000_000),
        who: 'b'.repeat(5_000),
        target: { type: 'x', key: 'x:1', display: 'c'.repeat(9_000) },
      }),
      message({ kind: 'constructor.__proto__', actor_role: 'toString', source: 'hasownproperty' }),
    )
    for (const window of [{}, PHONE]) {
      const page = await site.openTab(t, hostile, '/', window)
      t.match((await said(page)).join('\n'), '<script>window.broken = 1</script>')
      t.equal(await page.evaluate('window.broken'), undefined)
      t.match(await page.locator('.event-said', { hasText: 'invoice' }).innerText(), /RLO/)
      for (const row of await rows(page).all()) t.ok(((await row.boundingBox())?.height ?? 999) < 140)
      t.equal(await overflow(page), 0)
      t.same(await findTurningMarks(page), [])
      if (window !== PHONE) t.same(await findAxeViolations(page), [])
    }
    const asked = encodeURIComponent('a\u202etxt.exe')
    const page = await site.openTab(t, hostile, `/?target=${asked}&actor=${asked}&source=${asked}&event=${asked}`, WALL)
    await page.getByText('There is no such event.').waitFor()
    t.equal(await page.locator('.chip .mark-name').count(), 3, 'what a link filters by')
    t.same(await findTurningMarks(page), [])
  })

  t.test('the view is accessible and fits every window, also with text of double size', async t => {
    for (const window of [{}, PHONE]) {
      // A dozen rows of 200.
      const page = await show('/?q=17&verified=none', window)
      await rows(page).first().waitFor()
      t.same(await findAxeViolationsInBothSchemes(page), [])
      for (const viewport of window === PHONE ? [PHONE.viewport] : [WALL.viewport, LAPTOP.viewport]) {
        await page.setViewportSize(viewport)
        t.equal(await overflow(page), 0)
        t.equal(await overflowOfLargeText(page), 0, 'with letters twice as large')
      }
    }
  })

  t.test('on phones, the filters have a page of their own', async t => {
    const page = await show('/', PHONE)
    await page.getByRole('button', { name: 'Filters' }).tap()
    await page.getByRole('switch', { name: 'backup' }).uncheck()
    t.equal((await addressOf(page)).searchParams.getAll('source').length, 3)
    t.same(await findAxeViolations(page.getByRole('dialog', { name: 'Filters' })), [])
    await page.getByRole('button', { name: /^Show \d+ events$/ }).tap()
    t.match(await page.getByRole('button', { name: 'Filters' }).innerText(), '1')
  })

  t.test('on phones, the first line of a row has the actor and the verb, and the second the target', async t => {
    const target = {
      ...{ type: 'pipeline', key: 'pipeline:7', display: 'pipeline of a branch with a long name' },
      parent: { type: 'project', key: 'project:1', display: 'brindlequay/data/tides-and-timetables' },
    }
    const action = { kind: 'pipeline.running', object_type: 'pipeline', verb: 'running', metadata: {} }
    const who = 'tides-runner'
    await post(server, message({ kind: action.kind, source: 'code_b', who, actor_role: 'bot', action, target }))
    const cut = (within: string) => `[...document.querySelectorAll('${within}')]
      .filter(each => each.scrollWidth > each.clientWidth).map(each => each.innerText)`
    for (const window of [PHONE, {}]) {
      const page = await show('/?source=code_b', window)
      await rows(page).first().waitFor()
      t.match(await page.locator('.event-head').innerText(), /^tides-runner\s+bot\s+is running$/)
      t.same(await page.evaluate(cut('.event-head *')), [])
      const [head, tail] = await Promise.all(
        ['.event-head .event-verb', '.event-tail .event-object'].map(each => page.locator(each).boundingBox()),
      )
      if (window === PHONE) t.ok((tail?.y ?? 0) > (head?.y ?? 999))
    }
  })

  t.test('on phones a long name, a long place and an outcome fit in one line', async t => {
    const target = {
      ...{ type: 'pipeline', key: 'pipeline:8', display: 'ada/keep-the-stop-list-readable' },
      parent: {
        ...{ type: 'merge_request', key: 'merge_request:479', display: '!479 Keep the stop list readable' },
        parent: { type: 'project', key: 'project:1', display: 'brindlequay/data/tides-and-timetables' },
      },
    }
    const action = {
      kind: 'pipeline.succeeded',
      object_type: 'pipeline',
      verb: 'succeeded',
      outcome: 'success',
      metadata: {},
    }
    await post(server, message({ kind: action.kind, source: 'code_b', who: 'salma', action, target }))
    const page = await show('/?kind=pipeline.succeeded', PHONE)
    const line = page.locator('.event-tail').first()
    t.match(await line.innerText(), /!479.*: succeeded$/s)
    t.equal(await line.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), 0)
  })

  t.test('no page logs an error, violates its policy or contacts another server', async t => {
    t.same(site.complaints, [])
  })
})
