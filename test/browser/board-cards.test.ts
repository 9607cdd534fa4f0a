import type { Locator } from 'playwright-core'
import t from 'tap'
import { BoardSite, layOut } from './board-site.js'
import { inBrowser, openBrowser } from './chromium.js'
import { findAxeViolations, findTurningMarks, focused } from './page-checks.js'

/** Elements that Markdown must never create. */
const ATTACKS = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 1">',
  '<svg onload="window.hacked = 1"><a xlink:href="javascript:window.hacked=1">x</a></svg>',
  '[click](javascript:window.hacked=1)',
  '[click](JaVa&#x09;ScRiPt:window.hacked=1)',
  '<a href="javascript:window.hacked=1">click</a>',
  '[data](data:text/html,<script>window.hacked=1</script>)',
  '![picture](https://elsewhere.example/pixel.png)',
  '![](x"onerror="window.hacked=1)',
  '<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
  '<style>* { display: none }</style><p style="position:fixed" class="button primary" id="app">x</p>',
  '<form action="https://elsewhere.example"><input name=q autofocus onfocus="window.hacked=1"></form>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=window.hacked=1>',
  '[a](//elsewhere.example/x) [b](/api/logout) [c](mailto:x@y.z) <https://ok.example/x>',
  '`<b>`\u202etxt.exe and nothing',
]

t.test('cards in a browser', inBrowser(), async t => {
  const site = new BoardSite(await openBrowser(t))
  const board = await site.serve(t)

  t.test('a user writes, previews and saves a card, with labels, assignee and events', async t => {
    const ids = await layOut(board, [
      { title: 'Card', body: 'old' },
      { title: 'Other', labels: ['release'] },
    ])
    const page = await site.openTab(t, board, `/?card=${ids.Card}`)
    const panel = page.getByRole('dialog', { name: 'Card: Card' })
    await panel.getByText('old', { exact: true }).waitFor()
    await page.keyboard.press('e')
    await panel.getByLabel('Text, in Markdown').fill('## Why\n\n- [x] one\n- [ ] **two**')
    await panel.getByRole('radio', { name: 'Preview' }).check()
    await panel.getByRole('heading', { name: 'Why' }).waitFor()
    t.ok(await panel.getByRole('checkbox', { name: 'one' }).isChecked())
    await panel.getByRole('button', { name: 'Label' }).click()
    await page.keyboard.type('re')
    await panel.getByRole('option', { name: 'release' }).waitFor()
    await panel.getByRole('option', { name: 'Use “re”' }).click()
    await panel.getByRole('button', { name: 'Assignee' }).click()
    await page.keyboard.type('Ada Okafor')
    const composed = `new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true })`
    await page.evaluate(`document.activeElement.dispatchEvent(${composed})`)
    await panel.getByRole('option', { name: 'Use “Ada Okafor”' }).waitFor()
    await page.keyboard.press('Enter')
    await panel.getByRole('button', { name: 'Link' }).click()
    await page.keyboard.type('http://127.0.0.1:8765/?event=chat%3A7')
    await page.keyboard.press('Enter')
    await panel.getByText('chat:7').waitFor()
    await panel.getByRole('button', { name: 'Save' }).click()
    await panel.getByText('Not saved yet', { exact: true }).waitFor({ state: 'detached' })
    t.match(await board.ask(`/api/cards/${ids.Card}`), {
      version: 2,
      labels: ['re'],
      assignee: 'Ada Okafor',
      links: ['chat:7'],
      body: '## Why\n\n- [x] one\n- [ ] **two**',
    })
  })

  t.test('the history of a card shows who did what, and is updated with each change', async t => {
    const body = '## Why\n\n- [ ] one'
    const ids = await layOut(board, [
      { title: 'Card', body, labels: ['re'], assignee: 'Ada Okafor', links: ['chat:7'] },
    ])
    const page = await site.openTab(t, board, `/?card=${ids.Card}`)
    const panel = page.getByRole('dialog', { name: 'Card: Card' })
    await panel.getByText('History').click()
    const entries = panel.locator('.card-history li')
    await entries.filter({ hasText: /^Someone created the card in Backlog/ }).waitFor()
    await panel.getByRole('checkbox', { name: 'one' }).check()
    await entries.filter({ hasText: /^Someone ticked a task/ }).waitFor()
    t.equal(await entries.count(), 2)
    t.same(await findAxeViolations(panel), [])
    await board.ask(`/api/cards/${ids.Card}`, { method: 'DELETE' })
    await page.reload()
    const lost = page.getByRole('dialog', { name: 'Card' })
    await lost.getByText('History').click()
    await lost.locator('.card-history li', { hasText: /^Someone deleted the card/ }).waitFor()
  })

  t.test(
    'hostile Markdown and titles are shown as text: no script runs, no request is sent, and no link deceives',
    async t => {
      const title = '<img src=x onerror="window.hacked=1">\u202egpj'
      const ids = await layOut(board, [
        { title, body: ATTACKS.join('\n\n'), labels: ['<b>x\u202ey</b>'], assignee: '<i>\u202e' },
      ])
      const page = await site.openTab(t, board, `/?card=${ids[title]}&label=${encodeURIComponent('x\u202ey')}`)
      const text = page.locator('.markdown')
      await text.getByText('txt.exe').waitFor()
      t.equal(await page.evaluate('window.hacked'), undefined)
      t.equal(await page.locator('.markdown :is(script, img, svg, iframe, style, form, math)').count(), 0)
      t.equal(await page.locator('.markdown :is([style], [id], [onerror], [class]:not(.mark-name))').count(), 0)
      const links = await text.locator('a[href]').evaluateAll(all => all.map(link => link.outerHTML))
      t.same(links, [
        '<a href="https://elsewhere.example/pixel.png" rel="noopener noreferrer" target="_blank">picture</a>',
        '<a href="https://ok.example/x" rel="noopener noreferrer" target="_blank">https://ok.example/x</a>',
      ])
      t.match(await text.innerText(), '<script>window.hacked = 1</script>', 'it is shown as what it is')
      t.match(await text.innerText(), 'RLO')
      t.equal(await page.locator('.card img').count(), 0)
      t.equal(await page.getByRole('button', { name: 'Remove <b>xy</b>' }).count(), 1)
      t.same(await findTurningMarks(page), [])
    },
  )

  t.test(
    'a paragraph with a word of 4,096 characters is shown as it was written, and the others as Markdown',
    async t => {
      const [longest, tooLong] = [4_095, 4_096].map(length => '_a'.repeat(length).slice(0, length))
      const body = `**before** ${longest}\n\n**within** ${tooLong}\n\n- [ ] ${tooLong}\n\n**after**`
      const ids = await layOut(board, [{ title: 'Card', body }])
      const page = await site.openTab(t, board, `/?card=${ids.Card}`)
      const text = page.locator('.markdown')
      await text.getByText('after').waitFor()
      t.same(await text.locator('strong').allInnerTexts(), ['before', 'after'])
      t.ok((await text.innerText()).includes(`**within** ${tooLong}`))
      t.equal(await text.getByRole('checkbox').count(), 1)
    },
  )

  t.test('ticking a task in the reading view saves it, and changes no other text', async t => {
    const body = '```\n- [ ] code\n```\n\n1. [ ] first\n   - [x] within\n> * [ ] **quoted** task\n\n- [ ] last'
    const ids = await layOut(board, [{ title: 'Card', body }])
    const page = await site.openTab(t, board, `/?card=${ids.Card}`)
    const task = (name: string) => page.getByRole('checkbox', { name })
    /** Ticks, and waits until the text is drawn again: between the two halves of a press, this would undo the press. */
    const tick = async (name: string, press: (box: Locator) => Promise<unknown>) => {
      const before = await task(name).elementHandle()
      await press(task(name))
      await before?.waitForElementState('hidden')
    }
    await tick('quoted task', box => box.check())
    await tick('within', box => box.press('Space'))
    await tick('last', box => box.check())
    const ticked = body.replace('[ ] **', '[x] **').replace('[x] within', '[ ] within').replace('[ ] last', '[x] last')
    while ((await board.ask(`/api/cards/${ids.Card}`)).body !== ticked) await page.waitForTimeout(10)
    await page.getByText('Not saved yet', { exact: true }).waitFor({ state: 'detached' })
    t.equal(await page.getByRole('checkbox').count(), 4, 'code has no task')

    await page.keyboard.press('e')
    await page.getByLabel('Title').fill('Another title')
    await page.getByRole('radio', { name: 'Preview' }).check()
    await task('first').check()
    await page.getByRole('button', { name: 'Save' }).waitFor()
    t.match(await board.ask(`/api/cards/${ids.Card}`), { title: 'Card', body: ticked }, 'a draft is not saved unasked')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Not saved yet', { exact: true }).waitFor({ state: 'detached' })
    t.match(await board.ask(`/api/cards/${ids.Card}`), {
      title: 'Another title',
      body: ticked.replace('[ ] first', '[x] first'),
    })
    await board.ask(`/api/cards/${ids.Card}`, { method: 'PATCH', body: { body: `${body}!` } })
    await task('first').uncheck()
    await page.getByRole('alert', { name: 'Conflict' }).waitFor()
    t.match(await board.ask(`/api/cards/${ids.Card}`), { body: `${body}!` })
  })

  t.test('the second of two users who edit one card is warned, loses no text, and chooses a version', async t => {
    const ids = await layOut(board, [{ title: 'Card', body: 'one\ntwo\nthree' }])
    const [first, second] = await Promise.all([begin('one\nFIRST\nthree'), begin('one\nSECOND\nthree')])
    await first.keyboard.press('Control+Enter')
    await first.getByText('Not saved yet', { exact: true }).waitFor({ state: 'detached' })
    await second.keyboard.press('Control+Enter')
    const note = second.getByRole('alert', { name: 'Conflict' })
    t.match(await note.innerText(), /Someone saved this card just now, while you wrote\.\s+One line differs/)
    t.match(await note.innerText(), /−\s*SECOND\s*yours\s*\+\s*FIRST\s*saved/)
    t.equal(await second.getByLabel('Text, in Markdown').inputValue(), 'one\nSECOND\nthree')
    t.same(await findAxeViolations(second.getByRole('dialog')), [])
    t.match(await board.ask(`/api/cards/${ids.Card}`), { body: 'one\nFIRST\nthree' })

    await note.getByRole('button', { name: 'Use the saved version' }).press('Enter')
    t.equal(await focused(second), 'Card: Card, content')
    await second.getByRole('button', { name: 'Restore mine' }).click()
    await note.getByRole('button', { name: 'Merge', exact: true }).press('Enter')
    await second.getByLabel('Text, in Markdown').and(second.locator(':focus')).waitFor()
    t.equal(
      await second.getByLabel('Text, in Markdown').inputValue(),
      'one\n<<<<<<< yours\nSECOND\n=======\nFIRST\n>>>>>>> saved\nthree',
    )
    await second.keyboard.press('Control+Enter')
    await second.getByText('The card was not saved.').waitFor()
    t.match(await board.ask(`/api/cards/${ids.Card}`), { body: 'one\nFIRST\nthree' }, 'markers are not saved unasked')
    await second.getByRole('button', { name: 'Save with the markers' }).waitFor()
    await second.getByLabel('Text, in Markdown').fill('one\nBOTH\nthree')
    await second.getByText('Both versions').waitFor({ state: 'detached' })
    await board.ask(`/api/cards/${ids.Card}`, { method: 'PATCH', body: { body: 'third' } })
    await second.keyboard.press('Control+Enter')
    await note.getByRole('button', { name: 'Overwrite with mine' }).press('Enter')
    await second.getByText('Not saved yet', { exact: true }).waitFor({ state: 'detached' })
    await note.waitFor({ state: 'detached' })
    t.equal(await focused(second), 'Card: Card, content')
    t.match(await board.ask(`/api/cards/${ids.Card}`), { body: 'one\nBOTH\nthree' })

    async function begin(text: string) {
      const page = await site.openTab(t, board, `/?card=${ids.Card}`)
      await page.getByText('one two three').waitFor()
      await page.keyboard.press('e')
      await page.getByLabel('Text, in Markdown').fill(text)
      return page
    }
  })

  t.test(
    'a card that was only moved during the edit is saved without a notice, also by keys on a narrow window',
    async t => {
      const ids = await layOut(board, [{ title: 'Card' }])
      const page = await site.openTab(t, board, '/', { viewport: { width: 900, height: 800 } })
      await page.getByRole('link', { name: 'Card' }).focus()
      await page.keyboard.press('e')
      await page.locator('textarea:focus').waitFor()
      await page.keyboard.type('mine')
      await board.ask(`/api/cards/${ids.Card}`, { method: 'PATCH', body: { column: 'done' } })
      await page.keyboard.press('Control+Enter')
      await page.getByText('Not saved yet', { exact: true }).waitFor({ state: 'detached' })
      t.match(await board.ask(`/api/cards/${ids.Card}`), { body: 'mine', column: 'done', version: 3 })
    },
  )

  t.test('text that is typed and saved before the page redraws is saved completely', async t => {
    const ids = await layOut(board, [{ title: 'Card' }])
    const page = await site.openTab(t, board, `/?card=${ids.Card}`)
    await page.getByRole('dialog', { name: 'Card: Card' }).waitFor()
    await page.evaluate(TYPE_AND_SAVE_IN_ONE_TASK)
    await page.getByLabel('Text, in Markdown').waitFor({ state: 'detached' })
    t.match(await board.ask(`/api/cards/${ids.Card}`), { body: 'in one go', version: 2 })
  })

  t.test('text that is typed while a card is created becomes its draft', async t => {
    const page = await site.openTab(t, board, '/?card=new')
    let release = () => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    await page.route('**/api/cards', async route => {
      if (route.request().method() === 'POST') await released
      await route.continue()
    })
    const title = page.getByRole('dialog').getByLabel('Title')
    await title.fill('Early')
    const asked = page.waitForRequest(request => request.method() === 'POST')
    await title.press('Control+Enter')
    await asked
    await title.fill('Early, and late')
    release()
    const panel = page.getByRole('dialog', { name: 'Card: Early' })
    await panel.getByText('Not saved yet', { exact: true }).waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('dialog', { name: 'Card: Early, and late' }).waitFor()
  })

  t.test('the keys of a card work after the window became narrow and wide again', async t => {
    const ids = await layOut(board, [{ title: 'Card', body: 'old' }])
    const page = await site.openTab(t, board, `/?card=${ids.Card}`)
    const panel = page.getByRole('dialog', { name: 'Card: Card' })
    await panel.getByText('old', { exact: true }).waitFor()
    for (const [width, modal] of [
      [1000, '.panel.is-modal'],
      [1280, '.panel:not(.is-modal)'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.locator(modal).waitFor()
      await page.keyboard.press('r')
      await panel.getByRole('radio', { name: 'Runs', checked: true }).waitFor()
      await page.keyboard.press('r')
      await panel.getByRole('radio', { name: 'Card', checked: true }).waitFor()
    }
  })

  t.test('a draft survives closing the card, reloading the page, and the deletion of the card', async t => {
    const ids = await layOut(board, [{ title: 'Card' }])
    const page = await site.openTab(t, board, `/?card=${ids.Card}`)
    await page.getByRole('dialog', { name: 'Card: Card' }).waitFor()
    await page.keyboard.press('e')
    await page.locator('textarea:focus').waitFor()
    await page.keyboard.type('begun')
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Card' }).getByText('Not saved').waitFor()
    await board.ask(`/api/cards/${ids.Card}`, { method: 'DELETE' })
    await page.reload()
    const note = page.getByText('Your text for “Card” is kept.')
    await note.waitFor()
    await page.getByRole('button', { name: 'New card', exact: true }).click()
    await page.getByLabel('Title').fill('Begun as well')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Open the draft' }).click()
    t.equal(await page.getByLabel('Title').inputValue(), 'Begun as well', 'one draft is not written over the other')
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await page.getByRole('button', { name: 'Create a new card from it' }).click()
    t.equal(await page.getByLabel('Text, in Markdown').inputValue(), 'begun')
    await note.waitFor({ state: 'detached' })
  })

  t.test('no page logs an error, violates its policy or contacts another server', async t => {
    t.same(site.complaints, [])
  })
})

/** Types and saves as soon as the text field exists, before the page is drawn again. */
const TYPE_AND_SAVE_IN_ONE_TASK = `new Promise(resolve => {
  const observer = new MutationObserver(() => {
    const field = document.querySelector('textarea[placeholder^=Description]')
    if (!field) return
    observer.disconnect()
    field.value = 'in one go'
    field.dispatchEvent(new Event('input', { bubbles: true }))
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }))
    resolve()
  })
  observer.observe(document.body, { childList: true, subtree: true })
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'e', bubbles: true }))
})`
