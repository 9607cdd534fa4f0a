import { readFile } from 'node:fs/promises'
import t from 'tap'
import { addCards, BoardSite, EXECUTOR_TOKEN, layOut } from './board-site.js'
import { inBrowser, openBrowser } from './chromium.js'
import { follow } from './observatory-site.js'
import { findAxeViolations } from './page-checks.js'

const REFUSED = 'The executor refused. Check the token, or ask an operator of this board.'

/** A program that prints in colour and does not end on its own; for a card with a long title it prints many lines and fails. */
const COMMAND = [
  '/bin/sh',
  '-c',
  `case "$(cat)" in *Long*) seq 1 5600; sleep 0.3; echo last; exit 3;; esac
printf 'one\\033[31m red\\n<b>two</b>\\n'; echo oops >&2; sleep 600`,
]

t.test('runs in a browser', inBrowser(), async t => {
  const site = new BoardSite(await openBrowser(t))

  t.test('a dry run shows the command, and a mock run plays to its end', async t => {
    const board = await site.serve(t, { BOARD_EXECUTOR_COMMAND: JSON.stringify(COMMAND) })
    const ids = await addCards(board, [{ title: 'Card' }])
    const page = await site.openTab(t, board, `/?card=${ids.Card}`)
    await page.getByRole('button', { name: 'Dry run' }).click()
    await page.getByText(/Nothing was started\. A real run would start this/).waitFor()
    await page
      .locator('.run-plan')
      .filter({ hasText: /Program\s*shown with the executor token only/ })
      .waitFor()
    await page.getByRole('button', { name: 'Mock run', exact: true }).click()
    await page
      .getByRole('region', { name: /^Mock run/ })
      .getByRole('listitem')
      .filter({ hasText: 'Done' })
      .waitFor()
    await page.getByRole('log').getByText('Step 3 of 3.').waitFor()
    t.match(await page.getByRole('log').innerText(), /\d\d:\d\d:\d\d\s+\d+:\d\d\s+Step 3 of 3\./)
    await page.getByRole('link', { name: /^Card/ }).getByText('Mock run').waitFor()

    const { items: before } = await board.ask<{ items: { id: string; mode: string }[] }>('/api/runs')
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.locator('.run-chip').nth(2).waitFor()
    const { items: after } = await board.ask<{ items: { id: string; mode: string }[] }>('/api/runs')
    t.same(
      after.map(({ mode }) => mode),
      ['mock', 'mock', 'dry_run'],
    )
    t.not(after[0]?.id, before[0]?.id)
    await page
      .locator('.run-chip[aria-current]')
      .getByText(/^Mock run/)
      .waitFor()
    await page.getByRole('button', { name: 'Real run…' }).press('Enter')
    await page.getByText('Real runs are not set up on this board.').waitFor()
    t.same(await findAxeViolations(page), [])
  })

  const board = await site.serve(t, {
    BOARD_EXECUTOR_COMMAND: JSON.stringify(COMMAND),
    BOARD_EXECUTOR_TOKEN: EXECUTOR_TOKEN,
  })

  t.test(
    'a real run asks for the executor token, and the page keeps it only in memory until the user forgets it',
    async t => {
      const ids = await layOut(board, [{ title: 'Card' }])
      const page = await site.openTab(t, board, `/?card=${ids.Card}`)
      await page.getByRole('button', { name: 'Real run…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Start a real run?' })
      await dialog.getByText('shown with the executor token only').waitFor()
      t.match(
        await dialog.innerText(),
        /Program\s+shown with the executor token only(.|\n)*On\s+This machine\s+At most\s+10/,
      )
      const field = dialog.getByLabel('Executor token')
      t.equal(await field.getAttribute('autocomplete'), 'off')
      t.equal(await field.getAttribute('type'), 'password')
      t.same(await findAxeViolations(dialog), [])
      for (const wrong of ['nonsense-0123456789', 'kein Schlüssel']) {
        await field.fill(wrong)
        await page.keyboard.press('Enter')
        t.equal(await dialog.getByRole('alert').innerText(), REFUSED)
      }
      await field.fill(EXECUTOR_TOKEN)
      await page.keyboard.press('Enter')
      await page.getByText('Executor token held in this page only').waitFor()
      const log = page.getByRole('log')
      await log.getByText('<b>two</b>').waitFor()
      t.match(await log.innerText(), /\d\d:\d\d:\d\d\s+\d+:\d\d\s+one red\n/)
      t.equal(
        await log
          .locator('.log-err')
          .innerText()
          .then(text => text.includes('oops')),
        true,
      )

      const kept = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])'
      t.notMatch(await page.evaluate(kept), EXECUTOR_TOKEN)
      t.notMatch(await page.content(), EXECUTOR_TOKEN)

      await board.restart()
      await page
        .getByRole('region', { name: /^Real run/ })
        .getByRole('listitem')
        .filter({ hasText: 'Interrupted' })
        .waitFor()
      t.equal(await log.getByText('<b>two</b>').count(), 1, 'what was read before is not read again')

      await page.getByRole('button', { name: 'Run again…' }).click()
      await dialog.getByRole('button', { name: 'Start real run' }).click()
      await page.getByRole('button', { name: 'Cancel run' }).click()
      await page
        .getByRole('region', { name: /^Real run/ })
        .getByRole('listitem')
        .filter({ hasText: 'Cancelled' })
        .waitFor()
      await page.getByRole('button', { name: 'Forget it' }).click()
      await page.getByRole('button', { name: 'Pause' }).click()
      await page.getByRole('dialog', { name: 'Pause the executor?' }).getByLabel('Executor token').fill(EXECUTOR_TOKEN)
      await page.keyboard.press('Enter')
      await page.getByRole('group', { name: 'Executor' }).getByText('paused').waitFor()
      t.match(await board.ask('/api/executor'), { paused: true })
      await page.getByRole('button', { name: 'Resume' }).click()
      await page.getByRole('group', { name: 'Executor' }).getByText('idle').waitFor()
      await follow(page, '/runs')
      await page.getByRole('link', { name: 'Interrupted' }).click()
      await log.getByText('<b>two</b>').waitFor()
    },
  )

  t.test('a live log ends with the run, and a long log keeps its end', async t => {
    const ids = await layOut(board, [{ title: 'Long' }])
    const page = await site.openTab(t, board, `/?card=${ids.Long}`)
    await page.getByRole('button', { name: 'Real run…' }).click()
    await page.getByLabel('Executor token').fill(EXECUTOR_TOKEN)
    await page.keyboard.press('Enter')
    await page.getByRole('paragraph').getByText('The program ended with exit code 3.').waitFor()
    // Roles are looked for beside the log alone: among all its lines this takes long.
    const log = page.locator('.log')
    const last = log.locator('.log-line:last-child')
    const found = page.locator('.log-find')
    const controls = page.locator('.log + .row')
    // The state of the run and its log are two answers, and either may come first.
    await last.getByText('The program ended with exit code 3.').waitFor()
    t.equal(await log.locator('.log-line').count(), 5000)
    t.ok(await log.evaluate(box => box.scrollHeight - box.scrollTop - box.clientHeight < 2), 'it has followed')
    await log.evaluate(box => box.scrollTo({ top: 100 }))
    await controls.getByRole('switch', { name: 'Following', checked: false }).waitFor()

    const find = found.getByRole('searchbox', { name: 'Find in the log' })
    const state = found.getByRole('status')
    const current = log.locator('.is-found .log-words')
    await find.fill('EXIT CODE')
    t.equal(await state.innerText(), '1 of 1 in the last 5,000 lines')
    await find.fill('499')
    await state.getByText(/of 15 in the last/).waitFor()
    const [first, at] = [await current.innerText(), Number.parseInt(await state.innerText(), 10)]
    await find.press('Enter')
    await state.getByText(`${(at % 15) + 1} of 15`).waitFor()
    t.not(await current.innerText(), first)
    await found.getByRole('button', { name: 'Previous line found' }).click()
    await state.getByText(`${at} of 15`).waitFor()
    t.equal(await current.innerText(), first)
    t.ok(
      await current.evaluate(row => {
        const [line, box] = [row.getBoundingClientRect(), row.closest('.log')?.getBoundingClientRect()]
        return box !== undefined && line.top >= box.top && line.bottom <= box.bottom
      }),
      'it is in view',
    )
    t.equal(await page.evaluate(`CSS.highlights.get('log-found').size`), 15)
    await find.fill('nothing like it')
    t.match(await state.innerText(), /^No line/)

    const [file] = await Promise.all([
      page.waitForEvent('download'),
      controls.getByRole('button', { name: 'Download' }).click(),
    ])
    t.match(file.suggestedFilename(), /^run-.+\.log$/)
    const saved = await readFile(await file.path(), 'utf8')
    t.equal(saved.split('\n').filter(line => /^\d+$/.test(line)).length, 5600, 'also what the page no longer shows')

    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByRole('row', { name: /Failed\s+Long\s+Real run/ }).waitFor()
    t.same(await findAxeViolations(page), [])
  })

  t.test('no page logs an error, violates its policy or contacts another server', async t => {
    t.same(site.complaints, [])
  })
})
