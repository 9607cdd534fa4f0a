import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { LOGIN_PALETTES } from '../../src/model/login-design.js'
import { PASSWORD, startWithUsers } from '../accounts/accounts-rig.js'
import { inBrowser, openBrowser } from './chromium.js'
import {
  answerLogins,
  described,
  focused,
  LoginSite,
  logIn,
  NEXT,
  pressWithCapsLock,
  ROOT_PATH,
  type ScriptedAnswer,
} from './login-site.js'
import { addressOf, findAxeViolations, overflow } from './page-checks.js'

const LAPTOP = { viewport: { width: 1280, height: 800 } }
const PHONE = { viewport: { width: 360, height: 640 } }
/** Of the window in which tests log in, one after the other. */
const LOGGING_IN = { locale: 'en-GB' }
const MISMATCH = 'Wrong name or password.'

t.test('the login page in a browser', inBrowser(), async t => {
  const { accounts } = await startWithUsers({ throttleLogins: false })
  const site = new LoginSite(await openBrowser(t), accounts)
  const [address, split] = [await site.serve(t), await site.serve(t, { layout: 'split' })]
  const openToLogIn = async (t: Test, address: string) => {
    const page = await site.openTab(t, address, LOGGING_IN)
    t.teardown(() => page.context().clearCookies())
    return page
  }

  t.test('a user logs in with the keyboard and reaches the requested page', async t => {
    const page = await openToLogIn(t, address)
    await page.locator('#username:focus').waitFor()
    await page.keyboard.type('ada')
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${NEXT}`)
    const [cookie] = await page.context().cookies()
    t.match(cookie, { name: 'event_session', httpOnly: true, sameSite: 'Lax', path: ROOT_PATH })
  })

  t.test('the login at the address of the first page leads to the first page', async t => {
    const first = new URL('.', address).href
    const page = await openToLogIn(t, first)
    await logIn(page, ' ada ', PASSWORD)
    await page.getByRole('link', { name: 'Events' }).waitFor()
    t.equal((await addressOf(page)).href, first)
  })

  t.test(
    'the form has its reading order, what password managers need, a warning of Caps Lock, and no unwanted animations',
    async t => {
      const page = await site.openTab(t, address)
      await page.locator('#username:focus').waitFor()
      const order = [await focused(page)]
      for (let i = 0; i < 3; i++) {
        await page.keyboard.press('Tab')
        order.push(await focused(page))
      }
      t.same(order, ['username', 'password', 'reveal', 'submit'])
      t.equal(await page.getByLabel('Name').getAttribute('autocomplete'), 'username')
      t.equal(await page.getByLabel('Password', { exact: true }).getAttribute('autocomplete'), 'current-password')
      await page.getByLabel('Password', { exact: true }).focus()
      await pressWithCapsLock(page, true)
      t.match(await described(page, 'password'), 'Caps Lock is on')
      await pressWithCapsLock(page, false)
      t.equal(await described(page, 'password'), '')
      await pressWithCapsLock(page, true)
      await page.keyboard.press('Tab')
      t.equal(await described(page, 'password'), '')
      const duration = 'getComputedStyle(document.getElementById("submit")).transitionDuration'
      t.equal(await page.evaluate(duration), '0s')
      await page.emulateMedia({ reducedMotion: 'no-preference' })
      t.equal(await page.evaluate(duration), '0.12s')
    },
  )

  t.test(
    'a failed login keeps the name, empties and hides the password and does not reveal which was wrong',
    async t => {
      const page = await site.openTab(t, address)
      const field = page.getByLabel('Password', { exact: true })
      const eye = page.getByRole('button', { name: 'Show password' })
      const shown = async () => [await field.getAttribute('type'), await eye.getAttribute('aria-pressed')]
      await eye.click()
      t.same(await shown(), ['text', 'true'])
      const notes: string[] = []
      for (const name of ['ada', 'nobody']) {
        await logIn(page, name, `${PASSWORD}!`)
        await page.getByRole('alert').getByText(MISMATCH).waitFor()
        await page.getByRole('button', { name: 'Log in' }).waitFor()
        notes.push(await page.getByRole('alert').innerText())
        t.equal(await page.getByLabel('Name').inputValue(), name)
        t.equal(await field.inputValue(), '')
        t.same(await shown(), ['password', 'false'])
        t.equal(await focused(page), 'password')
        t.match(await described(page, 'password'), MISMATCH)
      }
      t.equal(notes[0], notes[1])
    },
  )

  const WAITS: readonly (ScriptedAnswer & { note: string })[] = [
    { status: 429, headers: { 'retry-after': '45' }, note: 'Wait 45 seconds, then try again.' },
    { status: 429, headers: { 'retry-after': '600' }, note: 'Wait 10 minutes, then try again.' },
    { status: 503, headers: { 'retry-after': '1' }, note: 'Daybook is busy. Wait 1 second, then try again.' },
    { status: 503, note: 'Wait a little, then try again.' },
    {
      status: 503,
      headers: { 'retry-after': '60' },
      body: { code: 'capacity', detail: 'There are 1024 sessions already.' },
      note: 'There are 1024 sessions already.',
    },
    { status: 403, body: { detail: 'Come from here.' }, note: 'This login was refused. Come from here.' },
    {
      status: 413,
      body: { detail: 'Send less at a time.' },
      note: 'This login was refused. The name or the password is too long.',
    },
    { status: 500, body: { detail: 'It broke.', request_id: 'r-7' }, note: 'It broke. Request r-7.' },
    { status: 200, body: '<p>Hotel network', note: 'Daybook did not answer. Check that you are connected' },
  ]

  t.test('every other failure is shown, and Enter tries again', async t => {
    const page = await openToLogIn(t, address)
    for (const { note, ...answer } of WAITS) {
      await answerLogins(page, answer)
      await logIn(page, 'ada', PASSWORD)
      await page.getByText(note.slice(-20)).waitFor()
      await page.getByRole('button', { name: 'Log in' }).waitFor()
      t.match(await described(page, 'submit'), note)
      t.equal(await focused(page), 'submit')
      t.equal(await page.getByLabel('Password', { exact: true }).inputValue(), PASSWORD)
    }
    await page.route('**/api/login', route => route.abort())
    await page.keyboard.press('Enter')
    await page.getByText('Daybook did not answer.').waitFor()
    await page.getByRole('button', { name: 'Log in' }).waitFor()
    await page.unrouteAll()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${NEXT}`)
  })

  t.test('a browser that rejects the cookie gets an explanation instead of a redirect loop', async t => {
    const page = await openToLogIn(t, address)
    await page.route('**/api/login', async route => {
      const answer = await route.fetch()
      await page.context().clearCookies()
      const { 'set-cookie': dropped, ...headers } = answer.headers()
      t.match(dropped, /^event_session=/)
      await route.fulfill({ response: answer, headers })
    })
    await logIn(page, 'ada', PASSWORD)
    await page.getByText('The browser did not keep the login.').waitFor()
    t.match(await described(page, 'submit'), 'this page was loaded over plain HTTP. Open its https address.')
    t.equal(await focused(page), 'submit')
    await page.unrouteAll()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${NEXT}`)
  })

  t.test('an error of a field is shown next to it', async t => {
    const page = await site.openTab(t, address)
    await page.getByRole('button', { name: 'Log in' }).click()
    t.equal(await described(page, 'username'), 'Required.')
    t.equal(await described(page, 'password'), 'Required.')
    t.equal(await focused(page), 'username')
    await logIn(page, 'ada', 'x'.repeat(1025))
    await page.getByText('Password may have at most 1024 bytes.').waitFor()
    t.equal(await described(page, 'username'), '')
    t.match(await described(page, 'password'), 'Password may have at most 1024 bytes.')
    t.equal(await page.getByLabel('Password', { exact: true }).getAttribute('aria-invalid'), 'true')
    t.equal(await focused(page), 'password')
  })

  t.test('only one login runs at a time, and the button shows it', async t => {
    const page = await openToLogIn(t, address)
    let asked = 0
    let answer = () => {}
    const answered = new Promise<void>(resolve => {
      answer = resolve
    })
    await page.route('**/api/login', async route => {
      asked += 1
      await answered
      await route.continue()
    })
    await logIn(page, 'ada', PASSWORD)
    const button = page.getByRole('button', { name: 'Logging in…' })
    await button.waitFor()
    t.equal(await button.getAttribute('aria-disabled'), 'true')
    await page.keyboard.press('Enter')
    await button.click({ force: true })
    answer()
    await page.waitForURL(`**${NEXT}`)
    t.equal(asked, 1)
  })

  t.test('without script, the page explains that it needs it, and asks for no password', async t => {
    const page = await site.openTab(t, address, { javaScriptEnabled: false })
    const sentence = page.locator('noscript p')
    t.match(await sentence.innerText(), 'Logging in needs JavaScript')
    t.ok(await sentence.isVisible())
    t.notOk(await page.getByLabel('Password', { exact: true }).isVisible())
  })

  t.test('every palette and layout is accessible in both colour schemes, with every message', async t => {
    const page = await site.openTab(t, 'about:blank', LAPTOP)
    const grounds = new Set<string>()
    for (const layout of [address, split]) {
      await page.goto(layout)
      await sayEverything(page)
      for (const palette of LOGIN_PALETTES) {
        // As the server sets it.
        await page.evaluate(`document.documentElement.dataset.palette = '${palette}'`)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          const colorsAlone = palette !== LOGIN_PALETTES[0] || colorScheme === 'dark'
          t.same(await findAxeViolations(page, { colorsAlone }), [], `${palette} ${layout} ${colorScheme}`)
          grounds.add(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
        }
      }
    }
    t.equal(grounds.size, LOGIN_PALETTES.length * 2, 'each palette has a ground of its own in each scheme')
  })

  t.test("a chosen appearance overrides the system's, before any script runs", async t => {
    for (const [appearance, colorScheme] of [
      ['dark', 'light'],
      ['light', 'dark'],
    ] as const) {
      const page = await site.openTab(t, await site.serve(t, { appearance }), { javaScriptEnabled: false })
      await page.emulateMedia({ colorScheme })
      t.equal(await page.evaluate('getComputedStyle(document.documentElement).colorScheme'), appearance)
    }
  })

  t.test("the appearance chosen on this device overrides the server's", async t => {
    const page = await openToLogIn(t, await site.serve(t, { palette: 'forest', appearance: 'light' }))
    await page.evaluate(`localStorage.setItem('daybook.appearance', '{"palette":"amber","scheme":"dark"}')`)
    await page.reload()
    t.match(await page.evaluate('({ ...document.documentElement.dataset })'), { palette: 'amber', scheme: 'dark' })
    t.equal(await page.evaluate('getComputedStyle(document.documentElement).colorScheme'), 'dark')
  })

  t.test('the page fits a narrow phone, large text and a window zoomed to 200 %', async t => {
    const page = await site.openTab(t, 'about:blank', PHONE)
    for (const layout of [address, split]) {
      await page.setViewportSize(PHONE.viewport)
      await page.goto(layout)
      await sayEverything(page)
      t.equal(await overflow(page), 0, `${layout} at 360 px`)
      await page.evaluate(`document.documentElement.style.fontSize = '200%'`)
      t.equal(await overflow(page), 0, `${layout} at 360 px with letters twice as large`)
      await page.evaluate(`document.documentElement.style.fontSize = ''`)
      await page.setViewportSize({ width: 640, height: 400 })
      t.equal(await overflow(page), 0, `${layout} at 1280 px, zoomed`)
      await page.getByRole('button', { name: 'Log in' }).scrollIntoViewIfNeeded()
      t.ok(await page.getByRole('button', { name: 'Log in' }).isVisible())
    }
  })

  t.test('the split layout shows the left half next to the form if there is room for both', async t => {
    const page = await site.openTab(t, split, LAPTOP)
    const sentence = page.getByText('Everything that happened, recorded exactly once.')
    t.ok(await sentence.isVisible())
    await page.setViewportSize({ width: 759, height: 800 })
    await sentence.waitFor({ state: 'hidden' })
  })

  t.test('controls are at least 44 px large', async t => {
    const page = await site.openTab(t, address, { ...PHONE, hasTouch: true, isMobile: true })
    for (const id of ['username', 'password', 'reveal', 'submit']) {
      const box = await page.locator(`#${id}`).boundingBox()
      t.ok(box && box.height >= 44 && box.width >= 44, `${id}: ${box?.width} × ${box?.height}`)
    }
  })

  t.test('no page logs an error, violates its policy or contacts another server', async t => {
    t.same(site.complaints, [])
  })
})

/** Brings the page to show a note, a problem of a field and the hint on Caps Lock, all together. */
async function sayEverything(page: Page): Promise<void> {
  await logIn(page, 'nobody', 'not it')
  await page.getByText(MISMATCH).waitFor()
  await page.keyboard.press('Enter')
  await pressWithCapsLock(page, true)
}
