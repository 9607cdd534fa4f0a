import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import { type Served, type ServeOptions, serve } from '../server/serve.js'
import { openWindow } from './chromium.js'
import { SharedWindows } from './shared-windows.js'

/** Below a root path, as behind a proxy that serves other things as well. */
export const ROOT_PATH = '/book'

export const LAPTOP = { viewport: { width: 1280, height: 800 } }
export const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }
export const WALL = { viewport: { width: 2560, height: 1440 } }

/** Ledgers of a test, and one browser for their observatory. */
export class ObservatorySite {
  /** Errors that pages logged, violations of their policy, and requests to other servers. */
  readonly complaints: string[] = []
  readonly #windows: SharedWindows

  constructor(private readonly browser: Browser) {
    this.#windows = new SharedWindows(browser)
  }

  /** A server whose ledger and accounts are those of `options`; an open and empty ledger without any. */
  serve(t: Test, { settings, ...options }: ServeOptions = {}): Promise<Served> {
    return serve(t, { ...options, settings: { rootPath: ROOT_PATH, ...settings } })
  }

  /**
   * Opens a page in a window of its own, with nothing in its cache, its storage or its cookies. It takes more processor time
   * than a tab: it has a process of its own.
   *
   * @param path below the root path, from `/`
   */
  async open(t: Test, { url }: Pick<Served, 'url'>, path = '/', options: BrowserContextOptions = {}): Promise<Page> {
    const context = await openWindow(this.browser, { ...LAPTOP, ...options })
    t.teardown(() => context.close())
    return this.#go(t, await context.newPage(), url + ROOT_PATH + path)
  }

  /**
   * Opens a page in another tab of the window that has these options. Of a server that was looked at before, everything
   * is loaded already. Tabs share what is kept on the device and the cookies, but not what is kept for a tab.
   *
   * @param path below the root path, from `/`
   */
  async openTab(t: Test, { url }: Pick<Served, 'url'>, path = '/', options: BrowserContextOptions = {}): Promise<Page> {
    const page = await this.#windows.openTab({ ...LAPTOP, ...options })
    t.teardown(() => page.close())
    return this.#go(t, page, url + ROOT_PATH + path)
  }

  async #go(t: Test, page: Page, address: string): Promise<Page> {
    const complain = (complaint: string) => this.complaints.push(`${t.name}: ${complaint}`)
    page.on('pageerror', error => complain(String(error.stack)))
    page.on('console', message => {
      // The browser also logs failures of the network; tests of these check the page.
      if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) complain(message.text())
    })
    page.on('request', request => {
      if (new URL(request.url()).hostname !== '127.0.0.1') complain(`asked for ${request.url()}`)
    })
    await page.goto(address)
    return page
  }
}
