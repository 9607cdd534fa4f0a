import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openWindow } from './chromium.js'

/** The size of a desktop's window. */
const DESKTOP = { width: 1280, height: 800 }

/** Windows that the tests of a file share, one for each set of options. */
export class SharedWindows {
  /** The page of each that stays open. */
  readonly #first = new Map<string, Promise<Page>>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(private readonly browser: Browser) {}

  /** Opens an empty tab in the window that has these options. Tabs of desktops may differ in their size. */
  async openTab(options: BrowserContextOptions): Promise<Page> {
    if (options.isMobile) return this.#openTab(options)
    const viewport = options.viewport ?? DESKTOP
    const page = await this.#openTab({ ...options, viewport: DESKTOP })
    if (viewport.width !== DESKTOP.width || viewport.height !== DESKTOP.height) await page.setViewportSize(viewport)
    return page
  }

  async #openTab(options: BrowserContextOptions): Promise<Page> {
    const key = JSON.stringify(options)
    const opened = this.#first.get(key) ?? this.#open(options)
    this.#first.set(key, opened)
    const first = await opened
    // One after the other, because two popups cannot be distinguished.
    const tab = this.#last.then(() => popup(first))
    this.#last = tab.catch(() => undefined)
    return tab
  }

  /**
   * Pages of one site and window share a process, which ends with the last of them. One page stays open, so that each tab
   * finds the process and the scripts that it has compiled. All servers of tests are one site: ports do not count.
   */
  async #open(options: BrowserContextOptions): Promise<Page> {
    const window = await openWindow(this.browser, options)
    const page = await window.newPage()
    await page.route('**', route => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
    await page.goto('http://127.0.0.1/')
    return page
  }
}

/** A tab in the process of the page that opens it. A tab that no page opens begins in a process of its own. */
async function popup(first: Page): Promise<Page> {
  const [page] = await Promise.all([first.waitForEvent('popup'), first.evaluate(`open('about:blank') && undefined`)])
  return page
}
