import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import t from 'tap'
import { listPlatforms } from '../../src/platforms/adapters.js'
import { inBrowser, openBrowser } from './chromium.js'
import { openBook, type Written } from './event-book.js'
import { hasRows, rows } from './events-site.js'
import { follow, LAPTOP, ObservatorySite, PHONE, ROOT_PATH } from './observatory-site.js'
import {
  findAxeViolations,
  findAxeViolationsInBothSchemes,
  focused,
  overflow,
  query,
  untilHolds,
} from './page-checks.js'

/** The days of the events in these tests. */
const RANGE = 'from=2025-11-20T00:00:00Z&to=2025-11-20T23:59:59.999999Z'

const HOSTILE = '<img src=x onerror=alert(1)> \u202egnirts\u202c \u0000'

const EVENTS: Written[] = [
  { conversation: { key: 'topic:deploys', text: 'An old word.' }, at: '2025-11-18T09:00:00.000000Z' },
  { at: '2025-11-20T09:00:00.000000Z', actor: { id: '9', display: 'Jonas Weber' } },
  { at: '2025-11-20T09:05:00.000000Z', conversation: { text: 'Two timers?' } },
  {
    at: '2025-11-20T09:11:04.731209Z',
    occurred_at: '2025-11-20T09:11:04.131Z',
    dedupe_key: 'chat:message/8796',
    conversation: { text: 'Found it: the retry budget.', url: 'https://chat.example.org/#narrow/8796' },
    provenance: { route: 'webhook', verified: 'signature', delivery_id: '7f3c-19a2' },
    payload: { message: { id: 8796, content: 'Found it: the retry budget.' }, tags: ['a', 'say "hi" now'] },
  },
  { conversation: { text: 'Holding 2.8.0.' } },
  {
    target: { type: 'alarm', key: 'alarm:1', display: 'disk' },
    conversation: {},
    kind: 'alarm.raised',
    source: 'backup',
  },
  {
    dedupe_key: 'hostile',
    kind: 'message.created',
    actor: { id: '6', display: HOSTILE },
    conversation: { text: HOSTILE, url: 'javascript:alert(1)' },
    target: {
      type: HOSTILE,
      key: `key:${HOSTILE}`.replaceAll('\u0000', ''),
      display: HOSTILE,
      url: 'data:text/html,x',
    },
  },
  {
    dedupe_key: 'large',
    conversation: { text: `${'word '.repeat(4000)}end` },
    payload: {
      long: 'x'.repeat(100_000),
      many: Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`m${at}`, at])),
    },
  },
]

t.test('the panel of an event in a browser', inBrowser(), async t => {
  const site = new ObservatorySite(await openBrowser(t))
  const { ledger, write } = await openBook(t)
  const { subscription } = await ledger.saveSubscription({ source: 'chat', target: 'stream:eng' })
  await write(...EVENTS)
  // It comes a second time.
  await write({ ...EVENTS[3], at: '2025-11-20T09:12:40.000000Z' })
  const served = await site.serve(t, { ledger, boardUrl: () => 'http://127.0.0.1:9/board/' })

  const show = (path: string, options: BrowserContextOptions = {}) =>
    site.visit(t, served, path, { timezoneId: 'Europe/Berlin', ...options })
  const open = (query: string, options?: BrowserContextOptions) => show(`/?${RANGE}&${query}`, options)
  const openEvent = async (key = 'chat:message/8796', options?: BrowserContextOptions) => {
    const page = await open(`event=${encodeURIComponent(key)}`, options)
    await panel(page).locator('.entry').waitFor()
    return page
  }

  const sha = '7e6d5c4b3a29181706f5e4d3c2b1a09f8e7d6c5b'
  const other = await openBook(t)
  await other.write(
    {
      at: '2025-11-20T08:00:00.000000Z',
      dedupe_key: 'push',
      source: 'code_a',
      target: { type: 'repository', key: 'repository:1', display: 'acme/app' },
      payload: { deployment: { sha } },
    },
    { at: '2025-11-20T08:30:00.000000Z', dedupe_key: 'link', conversation: { text: `Live: ${sha}` } },
  )
  const otherServed = await site.serve(t, { ledger: other.ledger, platforms: listPlatforms() })
  const openOther = (query: string) => site.visit(t, otherServed, `/?${RANGE}&${query}`)

  t.test('numbers that a browser cannot represent are copied as they were sent', async t => {
    // Of another day, so that the list does not know it.
    const page = await show('/?days=1')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.route('**/api/events/chat%3Amessage%2F8796', async route => {
      const answer = await route.fetch()
      const event = (await answer.text()).replace('"id":8796', '"id":12345678901234567890')
      await route.fulfill({ response: answer, body: event })
    })
    await follow(page, '/?days=1&event=chat%3Amessage%2F8796')
    const section = panel(page).getByRole('region', { name: 'Entry as JSON' })
    t.match(await copiedBy(page, section.getByRole('button', { name: 'Copy' })), /"id":12345678901234567890/)
    await page.unrouteAll()
  })

  t.test('the address opens an event outside the list, and a missing event is reported', async t => {
    const page = await show('/?days=1&event=chat:2')
    await panel(page).locator('.entry-act').waitFor()
    await follow(page, '/?days=1&event=chat:none')
    await panel(page).getByRole('heading', { name: 'There is no such event.' }).waitFor()
    t.match(await panel(page).innerText(), 'chat:none')
    t.same(await findAxeViolations(panel(page)), [])
    await page.keyboard.press('Escape')
    await panel(page).waitFor({ state: 'detached' })
    t.equal(await opened(page), undefined)
  })

  t.test(
    'an event that is opened during an outage shows the data of the list, and its complete entry afterwards',
    async t => {
      const page = await show('/?from=2025-01-01T00:00:00Z')
      await rows(page).nth(1).click()
      await panel(page).getByRole('heading', { name: 'Delivery' }).waitFor()
      await page.context().setOffline(true)
      await page.keyboard.press('j')
      await panel(page).getByText('Only part of this event is loaded.').waitFor()
      t.match(flat(await panel(page).innerText()), /alarm raised.*alarm\.raised/)
      await page.context().setOffline(false)
      await panel(page).getByRole('heading', { name: 'Delivery' }).waitFor()
    },
  )

  t.test('the story shows the events that share a commit, and stays while they are opened', async t => {
    const page = await openOther('event=push')
    const story = page.getByRole('region', { name: 'Story' })
    await story.getByRole('button', { name: 'Show' }).press('Enter')
    await story.getByRole('listitem').nth(1).waitFor()
    t.equal(await focused(page), 'Story')
    t.equal(await story.getByRole('listitem').count(), 2)
    t.same(await findAxeViolations(story), [])
    await story.getByRole('button', { name: /commit 7e6d5c4b3a/ }).click()
    await page.waitForURL('**event=link*')
    await story.locator('[aria-current=true]').getByText('commit 7e6d5c4b3a').waitFor()
    t.equal(await story.getByRole('listitem').count(), 2)
  })

  t.test('a saved search counts its new events in the title of a hidden page', async t => {
    const page = await openOther('q=word')
    const watch = (item: string) =>
      page
        .getByRole('button', { name: 'Watch' })
        .click()
        .then(() => page.getByRole('menuitem', { name: item }).click())
    const polled = page.waitForRequest(/wait=/)
    await watch('Notify me of new events')
    await polled
    await page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { get: () => 'hidden', configurable: true })`,
    )
    await other.write(
      { at: '2025-11-20T09:00:00.000000Z', conversation: { text: 'A word.' } },
      { at: '2025-11-20T09:00:01.000000Z', conversation: { text: 'Something else.' } },
    )
    await untilHolds(page, 'document.title.startsWith("(1) ")')
    await page.evaluate(`delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))`)
    await untilHolds(page, '!document.title.startsWith("(")')
    await openOther('')
    await watch('word')
    await page.waitForURL('**q=word*')
    await watch('Forget this search')
    await page.getByRole('button', { name: 'Watch' }).click()
    t.equal(await page.getByRole('menuitem').count(), 2)
  })

  t.test('an event links to a new subscription for its place', async t => {
    const page = await openOther('event=push')
    await page.getByRole('link', { name: 'Watch' }).click()
    const field = page.getByLabel('What to watch')
    await page.locator('datalist option[value="repo:acme/app"]').waitFor({ state: 'attached' })
    t.equal(await field.inputValue(), 'repo:acme/app')
  })

  t.test(
    'an event opens next to the list; keys select the next one, and Esc returns the focus to the list',
    async t => {
      const page = await open('')
      await page.getByRole('treeitem').first().waitFor()
      await page.getByRole('tree').focus()
      await page.keyboard.press('Home')
      await page.keyboard.press('Enter')
      await panel(page).waitFor()
      const keys = [await opened(page)]
      for (const key of ['j', 'j', 'k']) {
        await page.keyboard.press(key)
        keys.push(await opened(page))
      }
      t.same(keys, ['large', 'hostile', 'chat:6', 'hostile'])
      await panel(page).getByRole('button', { name: 'Older event' }).click()
      t.equal(await opened(page), 'chat:6')
      await panel(page).getByText('disk').first().waitFor()
      await page.keyboard.press('Escape')
      await panel(page).waitFor({ state: 'detached' })
      t.equal(await page.evaluate('document.activeElement.getAttribute("role")'), 'tree')
      t.equal(await opened(page), undefined)
    },
  )

  t.test('the panel shows the actor, the time, the text and the deliveries', async t => {
    const page = await openEvent()
    const words = flat(await panel(page).innerText())
    for (const part of [
      'Ada Okafor maintainer · ada@example.org',
      'Thursday 20 November 2025, 10:11:04',
      'Found it: the retry budget.',
      'First seen 10:11:04.731209 UTC+1 · 0.6\u202fs after it happened',
      'Seen again 1 time, last at 10:12:40',
      'Route webhook delivery 7f3c-19a2',
      'Verified by signature',
    ]) {
      t.ok(words.includes(part.replaceAll(/\s/g, ' ')), `${part} in ${words}`)
    }
    const matched = panel(page).getByRole('link', { name: 'stream:eng' })
    await matched.waitFor()
    t.match(await matched.getAttribute('href'), `${ROOT_PATH}/subscriptions?edit=${subscription.id}`)
  })

  t.test('the panel shows the messages around an event, and a link filters for the whole conversation', async t => {
    const page = await openEvent()
    const talk = panel(page).getByRole('region', { name: 'Conversation' })
    const all = talk.getByRole('link', { name: /^Show all/ })
    await all.waitFor()
    t.same(
      (await talk.getByRole('listitem').allInnerTexts()).map(line => flat(line).slice(0, 42)),
      [
        'JW Jonas Weber 10:00:00 Word 2.',
        'AO Ada Okafor 10:05:00 Two timers?',
        'AO Ada Okafor 10:11:04 Found it: the retry',
        'AO Ada Okafor 10:11:04 Holding 2.8.0.',
        'AO Ada Okafor 10:11:04 word word word word',
      ],
    )
    await talk.getByRole('button', { name: /Two timers/ }).click()
    t.equal(await opened(page), 'chat:3')
    await talk.getByRole('button', { name: /Found it/ }).click()
    await page.waitForURL('**8796**')
    t.match(await all.innerText(), 'Show all 6')
    await all.click()
    // Also those before the range.
    await hasRows(page, 6)
    t.match(await query(page), { target: 'topic:deploys', source: 'chat' })
    t.ok(await panel(page).isVisible())
  })

  t.test('a step of the target chain filters for all events about it', async t => {
    const page = await openEvent()
    const about = panel(page).getByRole('region', { name: 'About' })
    t.same((await about.locator('.entry-about > div').allInnerTexts()).map(flat), [
      ...['stream eng stream:4', 'topic deploys topic:deploys', 'message 4 message:4'],
    ])
    await about.getByRole('button', { name: 'eng' }).click()
    await page.getByRole('menuitem', { name: 'Only stream eng' }).click()
    t.equal((await query(page)).target, 'stream:4')
    t.equal(await opened(page), 'chat:message/8796')
  })

  t.test('the panel links to the events around this time, of the ledger and of the conversation', async t => {
    const page = await openEvent()
    await page.setViewportSize({ width: 1280, height: 1000 })
    const around = panel(page).getByRole('region', { name: 'Around this' })
    t.same((await around.getByRole('term').allInnerTexts()).map(flat), ['All events', 'Conversation', 'Person'])
    const links = around.getByRole('link', { name: /±5\s/ })
    await links.first().click()
    await hasRows(page, 5)
    t.same(await query(page), {
      from: '2025-11-20T09:06:04.731209Z',
      to: '2025-11-20T09:16:04.731209Z',
      event: 'chat:message/8796',
    })
    t.match(await page.locator('.list-row[aria-selected=true]').innerText(), 'Found it')
    await page.goBack()
    await panel(page).locator('.entry').waitFor()
    await links.nth(1).click()
    await hasRows(page, 3)
    t.match(await query(page), { target: 'topic:deploys', source: 'chat', from: '2025-11-20T09:06:04.731209Z' })
    await page.setViewportSize(LAPTOP.viewport)
  })

  t.test('the panel links to the platform, makes a card, and copies commands without a token', async t => {
    const page = await openEvent()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const out = panel(page).getByRole('link', { name: /^Open on chat\.example\.org/ })
    t.equal(await out.getAttribute('href'), 'https://chat.example.org/#narrow/8796')
    t.same([await out.getAttribute('target'), await out.getAttribute('rel')], ['_blank', 'noopener noreferrer'])
    const card = new URL(String(await panel(page).getByRole('link', { name: 'Make a card' }).getAttribute('href')))
    t.equal(card.pathname, '/board/')
    t.same(Object.fromEntries(new URLSearchParams(card.hash.replace('#new?', ''))), {
      title: 'deploys: Found it: the retry budget.',
      link: 'chat:message/8796',
    })
    const copied = (name: string) => copiedBy(page, panel(page).getByRole('button', { name }))
    t.equal(await copied('Copy as curl'), `curl -sS '${served.url}${ROOT_PATH}/api/events/chat%3Amessage%2F8796'`)
    t.equal(new URL(await copied('Copy link')).searchParams.get('event'), 'chat:message/8796')
  })

  t.test('keys fold and unfold the entry, which is also shown raw and copied completely', async t => {
    const page = await openEvent()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const tree = panel(page).getByRole('tree', { name: 'Entry' })
    t.match(await tree.innerText(), /payload: \{ 2 \}/)
    await tree.focus()
    for (const key of ['End', 'ArrowUp']) await page.keyboard.press(key)
    await tree.getByText('payload').click()
    t.match(
      flat(await tree.innerText()),
      /message: \{ id: 8796, content: "Found it: the retry budget." \} ▸ tags: \[ "a", "say \\"hi\\" now" \]/,
    )
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    t.match(flat(await tree.innerText()), /id: 8796 content: "Found it: the retry budget\." \}/)
    await tree.getByText('content', { exact: true }).click({ button: 'right' })
    for (const [name, parameter] of [
      ['Only events with “Found it', 'q'],
      ['Events without “Found it', 'exclude_q'],
    ] as const) {
      const link = await page.getByRole('menuitem', { name }).getAttribute('href')
      t.equal(new URL(String(link), served.url).searchParams.get(parameter), '"Found it: the retry budget."')
    }
    await page.keyboard.press('Escape')
    await tree.getByText('8796', { exact: true }).first().click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Copy' }).waitFor()
    t.same(await page.getByRole('menuitem').allInnerTexts(), ['Copy'], 'the server searches no numbers')
    await page.keyboard.press('Escape')
    await tree.getByText('kind', { exact: true }).first().click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Copy' }).waitFor()
    t.same(
      await page.getByRole('menuitem').allInnerTexts(),
      ['Only message.created', 'All but message.created', 'Copy'],
      'a member that is a filter is left out, too',
    )
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowLeft')
    t.notMatch(flat(await tree.innerText()), /id: 8796 content/)
    await tree.getByText('tags', { exact: true }).click()
    await tree.getByText('now', { exact: false }).last().click({ button: 'right' })
    const quoted = await page.getByRole('menuitem', { name: 'Events without' }).getAttribute('href')
    t.equal(
      new URL(String(quoted), served.url).searchParams.get('exclude_q'),
      '"say " "hi" " now"',
      'no quote in a phrase',
    )
    await page.keyboard.press('Escape')
    const section = panel(page).getByRole('region', { name: 'Entry as JSON' })
    const copied = JSON.parse(await copiedBy(page, section.getByRole('button', { name: 'Copy' })))
    t.match(copied, { dedupe_key: 'chat:message/8796', payload: { message: { id: 8796 } } })
    await section.getByRole('button', { name: 'Raw' }).click()
    t.match(await section.getByRole('group', { name: 'Raw text' }).innerText(), '"dedupe_key": "chat:message/8796"')
  })

  t.test('a large entry renders a bounded number of rows', async t => {
    const page = await openEvent('large')
    const size = async () => (await page.evaluate(`document.querySelectorAll('.panel *').length`)) as number
    t.ok((await size()) < 400, String(await size()))
    const tree = panel(page).getByRole('tree', { name: 'Entry' })
    await tree.getByText('payload', { exact: true }).click()
    await tree.getByText('many', { exact: true }).click()
    await tree.getByText('2,900 more, show 1,000').waitFor()
    t.ok((await size()) < 1500, String(await size()))
    t.ok((await panel(page).innerText()).length < 20_000, 'long texts are cut')
    await panel(page).getByRole('region', { name: 'What was said' }).getByRole('button', { name: 'Show all' }).click()
    t.match(await panel(page).locator('.entry-text').innerText(), /end$/)
  })

  t.test('foreign text is shown as text: no markup, no links, no reversed direction', async t => {
    const page = await openEvent('hostile')
    t.equal(await panel(page).locator('img').count(), 0)
    t.equal(await panel(page).getByRole('link', { name: /^Open/ }).count(), 0)
    // In one go: further links come with the conversation.
    const protocols = await panel(page)
      .locator('a')
      .evaluateAll(links => links.map(link => new URL((link as unknown as { href: string }).href).protocol))
    t.same([...new Set(protocols)], ['http:'])
    const words = await panel(page).innerText()
    t.match(words, /<img src=x onerror=alert\(1\)>/)
    t.match(words, /RLO/)
    t.notMatch(words, /\u202e/)
  })

  t.test('matches of a search are marked in the text and in the entry', async t => {
    const page = await open('q=RETRY&event=chat%3Amessage%2F8796')
    await panel(page).locator('.entry').waitFor()
    await panel(page).locator('.entry-turn.is-this mark').waitFor()
    t.equal(await panel(page).locator('.entry-text mark').innerText(), 'retry')
    t.equal(await panel(page).getByRole('tree').locator('mark').count(), 2, 'unfolded as far as that')
  })

  t.test('on phones, the panel covers the page; keys and the list of keys work while it is open', async t => {
    const page = await openEvent('hostile', PHONE)
    t.equal((await panel(page).boundingBox())?.width, 360)
    t.equal(await overflow(page), 0)
    // A linked event may be there before the list that the key walks through.
    await rows(page).first().waitFor({ state: 'attached' })
    await page.keyboard.press('j')
    t.equal(await opened(page), 'chat:6')
    // In one go: further parts of the panel are still loading.
    const heights = await page.evaluate(
      `[...document.querySelectorAll('.panel .entry-actions .button')].map(each => each.getBoundingClientRect().height)`,
    )
    t.ok(
      (heights as number[]).every(height => height >= 44),
      `heights ${heights}`,
    )
    await page.keyboard.press('c')
    const toast = page.locator('.toast')
    await toast.getByRole('button', { name: 'Close' }).tap()
    await toast.waitFor({ state: 'detached' })
    await page.keyboard.press('c')
    await toast.waitFor()
    t.same(await findAxeViolations(toast), [])
    // It is above the button, and ends after a while.
    await toast.waitFor({ state: 'detached' })
    await panel(page).getByRole('button', { name: 'Back', exact: true }).tap()
    await panel(page).waitFor({ state: 'detached' })
  })

  t.test('a message disappears after its time, which does not advance while the pointer is over it', async t => {
    // A window of its own: its tabs share the clock.
    const page = await site.open(t, served, `/?${RANGE}&event=hostile`)
    await panel(page).waitFor()
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 3_600_000)
    await page.keyboard.press('c')
    const toast = page.locator('.toast')
    await toast.waitFor()
    await page.clock.runFor(3_000)
    await toast.hover()
    await page.clock.runFor(60_500)
    t.equal(await toast.count(), 1)
    await page.mouse.move(0, 0)
    await page.clock.runFor(500)
    t.equal(await toast.count(), 1)
    await page.clock.runFor(500)
    t.equal(await toast.count(), 0)
  })

  t.test('the panel is accessible in both colour schemes', async t => {
    const page = await openEvent()
    await panel(page)
      .getByRole('link', { name: /^Show all/ })
      .waitFor()
    t.same(await findAxeViolationsInBothSchemes(panel(page)), [])
  })

  t.test('no page logs an error, violates its policy or contacts another server', async t => {
    t.same(site.complaints, [])
  })
})

const panel = (page: Page) => page.locator('.panel')
const opened = async (page: Page): Promise<string | undefined> => (await query(page)).event
const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

/** The text that a button copies, which happens after its click. */
async function copiedBy(page: Page, button: Locator): Promise<string> {
  const read = () => page.evaluate<string>('navigator.clipboard.readText()')
  await page.evaluate(`navigator.clipboard.writeText('nothing yet')`)
  await button.click()
  while ((await read()) === 'nothing yet') await page.waitForTimeout(10)
  return read()
}
