import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Locator } from 'playwright-core'
import t from 'tap'
import { serveClosed } from '../server/closed-ledger.js'
import { API_KEY, addCards, BoardSite, EXECUTOR_TOKEN, PASSWORD } from './board-site.js'
import { inBrowser, openBrowser } from './chromium.js'
import { ROOT_PATH } from './observatory-site.js'
import { addressOf, findAxeViolations } from './page-checks.js'

const OWN_TOKEN = 'executor-of-this-board-01'
type Fields = [Locator, Locator]

t.test('access to the board in a browser', inBrowser(), async t => {
  const site = new BoardSite(await openBrowser(t))

  t.test(
    'a user logs in by password, logs in again after the session ended without losing the draft, and logs out',
    async t => {
      const board = await site.serve(t, { BOARD_PASSWORD: PASSWORD, BOARD_API_KEY: API_KEY })
      const ids = await addCards(board, [{ title: 'Card' }])
      const logIn = async () => {
        await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
        await page.keyboard.press('Enter')
      }
      const page = await site.openTab(t, board, '/#new?title=Asked%20for&link=chat%3A1')
      await logIn()
      t.equal(await page.getByLabel('Title').inputValue(), 'Asked for', 'the login has kept what stands behind #')
      await page.getByRole('button', { name: 'Discard draft' }).click()
      await page.getByRole('link', { name: 'Card' }).click()
      await page.keyboard.press('e')
      await page.getByLabel('Text, in Markdown').fill('begun')
      await page.context().clearCookies()
      await page.keyboard.press('Control+Enter')
      // The script of the login page shows this. Before it runs, the Enter key would submit the form without it.
      await page.getByText('Log in to continue where you were, with your unsaved text.').waitFor()
      await logIn()
      t.equal(await page.getByText('begun').innerText(), 'begun')
      t.equal((await addressOf(page)).search, `?card=${ids.Card}`)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Not saved yet', { exact: true }).waitFor({ state: 'detached' })
      t.match(await board.ask(`/api/cards/${ids.Card}`), { body: 'begun' })
      await page.context().clearCookies()
      await page.keyboard.press('r')
      await page.getByText('Log in to continue where you were.').waitFor()
      await logIn()
      await page.getByRole('link', { name: 'Card' }).waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('n')
      await page.keyboard.type('Written last')
      await page.context().clearCookies()
      await page.keyboard.press('Enter')
      await page.getByText('Log in to continue where you were, with your unsaved text.').waitFor()
      await logIn()
      const field = page.getByLabel(/^Title of a new card/)
      t.equal(await field.inputValue(), 'Written last')
      await field.press('Enter')
      await page.getByRole('link', { name: 'Written last' }).waitFor()
      await page.getByRole('button', { name: 'Account: Shared login' }).click()
      await page.getByRole('menuitem', { name: 'Log out' }).click()
      await page.getByLabel('Password', { exact: true }).waitFor()
      t.same(await page.context().cookies(), [])
    },
  )

  t.test('a ledger login opens the board under the name of its user, until that session ends', async t => {
    const ledger = await serveClosed(t)
    const board = await site.serve(t, { BOARD_LEDGER_LOGIN: `http://127.0.0.1:${ledger.port}` })
    const page = await site.openTab(t, board)
    await page.getByText('log in there, then load this page again').waitFor()
    t.same(await findAxeViolations(page), [])
    const session = await ledger.logIn(ledger.mia)
    const [name = '', value = ''] = session.cookie.split('=')
    await page.context().addCookies([{ name, value, url: page.url() }])
    await page.reload()
    await page.getByRole('button', { name: 'Account: mia' }).click()
    await page.getByRole('menuitem', { name: 'Appearance…' }).waitFor()
    t.equal(await page.getByRole('menuitem', { name: 'Log out' }).count(), 0)
    await page.keyboard.press('Escape')
    // A new card needs a column, and the columns come with the cards.
    await page.getByRole('heading', { name: 'No cards yet.' }).waitFor()
    await page.keyboard.press('n')
    await page.keyboard.type('Written by mia')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Written by mia' }).waitFor()
    t.match(await ledger.send('/api/logout', { method: 'POST', headers: session.headers }), { status: 204 })
    await page.reload()
    await page.getByText('log in there, then load this page again').waitFor()
    await page.context().clearCookies()
  })

  t.test('with only an API key configured, the page asks for the key and keeps it only in memory', async t => {
    const board = await site.serve(t, { BOARD_API_KEY: API_KEY })
    await addCards(board, [{ title: 'Card' }])
    const page = await site.openTab(t, board)
    const field = page.getByLabel('API key', { exact: true })
    await field.waitFor()
    t.same(await findAxeViolations(page), [])
    for (const wrong of ['nonsense-0123456789', 'kein Schlüssel']) {
      await field.fill(wrong)
      await page.keyboard.press('Enter')
      await page.getByText('This key is not valid.').waitFor()
    }
    await field.fill(API_KEY)
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Card' }).click()
    await page.keyboard.press('e')
    await page.getByLabel('Text, in Markdown').fill('by key')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Not saved yet', { exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Mock run', exact: true }).click()
    await page.getByRole('log').getByText('Step 3 of 3.').waitFor()
    const kept = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])'
    t.notMatch(await page.evaluate(kept), API_KEY)
    t.notMatch(await page.content(), API_KEY)
    await page.reload()
    await field.waitFor()
  })

  t.test('the page reaches another board by its profile, marks it clearly, and asks for its own token', async t => {
    const other = await site.serve(t, {
      BOARD_API_KEY: 'key-of-the-other-board-01',
      BOARD_EXECUTOR_COMMAND: JSON.stringify(['/bin/echo', 'hello from there']),
      BOARD_EXECUTOR_TOKEN: EXECUTOR_TOKEN,
    })
    await addCards(other, [{ title: 'Over there' }])
    const board = await site.serve(t, { BOARD_PASSWORD: PASSWORD, BOARD_EXECUTOR_TOKEN: OWN_TOKEN })
    const profile = { url: `${other.url}${ROOT_PATH}`, api_key_file: 'b.key' }
    const wrong = { url: `${other.url}${ROOT_PATH}`, api_key_file: 'wrong.key' }
    mkdirSync(board.home, { recursive: true })
    writeFileSync(join(board.home, 'b.key'), 'key-of-the-other-board-01', { mode: 0o600 })
    writeFileSync(join(board.home, 'wrong.key'), 'another-key-0123456789', { mode: 0o600 })
    writeFileSync(join(board.home, 'backends.json'), JSON.stringify({ profiles: { 'team-b': profile, locked: wrong } }))
    const page = await site.openTab(t, board)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Board: This machine' }).click()
    await page.getByRole('menuitem', { name: /team-b/ }).click()
    await page.getByRole('banner').getByText('On team-b').waitFor()
    await page.getByRole('link', { name: 'Over there' }).click()
    await page.getByRole('button', { name: 'Real run…' }).click()
    await page
      .getByRole('dialog', { name: 'Start a real run?' })
      .filter({ hasText: /On\s*team-b/ })
      .waitFor()
    const [own, others] = ['this machine', 'team-b'].map(name => page.getByLabel(`Executor token of ${name}`)) as Fields
    const focused = page.locator(':focus')
    t.same(await findAxeViolations(page), [])
    await page.keyboard.press('Enter')
    await own.and(focused).waitFor()
    await own.fill(OWN_TOKEN)
    await page.keyboard.press('Enter')
    await others.and(focused).waitFor()
    for (const [first, second] of [
      [OWN_TOKEN, 'nonsense-0123456789'],
      ['nonsense-0123456789', EXECUTOR_TOKEN],
    ] as const) {
      await own.fill(first)
      await others.fill(second)
      await page.keyboard.press('Enter')
      while ((await own.inputValue()) + (await others.inputValue()) !== '') await delay(10)
      t.equal(
        await page.getByRole('dialog').getByRole('alert').innerText(),
        'The executor refused. Check both tokens, or ask an operator of these boards.',
      )
    }
    await own.and(focused).waitFor()
    await own.fill(OWN_TOKEN)
    await others.fill(EXECUTOR_TOKEN)
    await page.keyboard.press('Enter')
    await page.getByRole('log').getByText('hello from there').waitFor()
    await page.getByText('Executor tokens of both boards held in this page only').waitFor()
    await page.getByRole('button', { name: 'Forget them' }).click()
    await page.getByRole('button', { name: 'Real run…' }).click()
    t.equal(await others.inputValue(), '')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByRole('row', { name: /Done\s+Over there\s+Real run/ }).waitFor()
    await page.getByRole('button', { name: 'Board: team-b' }).click()
    await page.getByRole('menuitem', { name: /locked/ }).click()
    await page.getByText('That board refused the key in its profile.').first().waitFor()
    t.equal(await page.getByLabel('Password', { exact: true }).count(), 0, 'it is not our login that has ended')
    await page.getByRole('link', { name: /On locked/ }).click()
    await page.getByRole('heading', { name: 'No runs yet.' }).waitFor()
  })

  t.test('no page logs an error, violates its policy or contacts another server', async t => {
    t.same(site.complaints, [])
  })
})
