import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import type { LedgerAccounts } from '../../src/accounts/ledger-accounts.js'
import type { LoginDesign } from '../../src/model/login-design.js'
import { serve } from '../server/serve.js'
import { openWindow } from './chromium.js'
import { SharedWindows } from './shared-windows.js'

export const ROOT_PATH = '/book'
/** Where a login on the page that `open` opened leads. */
export const NEXT = `${ROOT_PATH}/api/health?after=login`

/** A closed ledger, and one browser for its pages. */
export class LoginSite {
  /** Errors that pages logged, violations of their policy, and requests to other servers. */
  readonly complaints: string[] = []
  readonly #windows: SharedWindows

  constructor(
    private readonly browser: Browser,
    private readonly accounts: LedgerAccounts,
  ) {
    this.#windows = new SharedWindows(browser)
  }

  /** @returns the address of a login page with that look, below a root path */
  async serve(t: Test, look: Partial<LoginDesign> = {}): Promise<string> {
    const loginPage: LoginDesign = { palette: 'indigo', layout: 'card', appearance: 'system', ...look }
    const { url } = await serve(t, { accounts: this.accounts, settings: { rootPath: ROOT_PATH, loginPage } })
    return `${url}${ROOT_PATH}/login?next=${encodeURIComponent(NEXT)}`
  }

  /** Opens a page in a window of its own, which has not been anywhere yet. */
  async open(t: Test, address: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await openWindow(this.browser, options)
    t.teardown(() => context.close())
    return this.#go(t, await context.newPage(), address)
  }

  /** Opens a page in another tab of the window that has these options, for tests that need no login and store nothing in the browser. */
  async openTab(t: Test, address: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await this.#windows.openTab(options)
    t.teardown(() => page.close())
    return this.#go(t, page, address)
  }

  async #go(t: Test, page: Page, address: string): Promise<Page> {
    const complain = (complaint: string) => this.complaints.push(`${t.name}: ${complaint}`)
    page.on('pageerror', error => complain(error.message))
    page.on('console', message => {
      // The browser also logs a refused login.
      const isRefusal = message.location().url.endsWith('/api/login')
      if (message.type() === 'error' && !isRefusal) complain(message.text())
    })
    page.on('request', request => {
      if (new URL(request.url()).hostname !== '127.0.0.1') complain(`asked for ${request.url()}`)
    })
    await page.goto(address)
    return page
  }
}

/** An answer of the server that a test chooses. */
export interface ScriptedAnswer {
  status: number
  body?: Record<string, unknown> | string
  headers?: Record<string, string>
}

/** Sets the answer to the next logins of this page. */
export async function answerLogins(page: Page, { status, body = {}, headers = {} }: ScriptedAnswer): Promise<void> {
  await page.route('**/api/login', route =>
    route.fulfill({
      status,
      headers: { 'content-type': 'application/problem+json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  )
}

export async function logIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
}

/** What has the focus: its id. */
export function focused(page: Page): Promise<string> {
  return page.evaluate('document.activeElement.id')
}

/** What a screen reader announces for an element in addition to its name. */
export function described(page: Page, id: string): Promise<string> {
  return page.evaluate(`document.getElementById('${id}').getAttribute('aria-describedby').split(' ')
    .map(id => document.getElementById(id).innerText).filter(text => text).join(' ').replace(/\\s+/g, ' ')`)
}

/** The scripts of the page receive a key event with Caps Lock on, which no keyboard of a test has. */
export function pressWithCapsLock(page: Page, isOn: boolean): Promise<unknown> {
  return page.evaluate(`document.getElementById('password').dispatchEvent(
    new KeyboardEvent('keyup', { key: 'A', bubbles: true, modifierCapsLock: ${isOn} }))`)
}
