import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core'
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
  /** Those of `visit`, by server and options. */
  readonly #visited = new Map<string, Promise<Page>>()

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

  /**
   * Shows a path in the tab that the tests of a file share for this server and these options. It is loaded once; later a link inside it
   * leads to the path, which takes a fifth of the time. It keeps what earlier tests have opened over the view and loaded, so a test
   * that changes the clock, the network or the page itself opens its own.
   *
   * @param t the test of the file
   * @param path below the root path, from `/`
   */
  async visit(t: Test, served: Pick<Served, 'url'>, path = '/', options: BrowserContextOptions = {}): Promise<Page> {
    const key = JSON.stringify([served.url, options])
    const visited = this.#visited.get(key)
    if (visited) return follow(await visited, path)
    const opened = this.openTab(t, served, path, options)
    this.#visited.set(key, opened)
    return opened
  }

  async #go(t: Test, page: Page, address: string): Promise<Page> {
    noteRequests(page)
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

/**
 * Requests of each page that have no complete answer yet, except for those that wait for something new, and for those of the
 * health: the page reads no more than their status.
 */
const unanswered = new WeakMap<Page, Set<Request>>()

function noteRequests(page: Page): void {
  const open = new Set<Request>()
  unanswered.set(page, open)
  page.on('request', request => {
    // Those of the document before count no longer. The end of a navigation is not always reported.
    if (request.isNavigationRequest()) open.clear()
    else if (!/[?&]wait=|\/stream\b|\/api\/health$/.test(request.url())) open.add(request)
  })
  page.on('requestfinished', request => open.delete(request))
  page.on('requestfailed', request => open.delete(request))
}

/** Follows a link inside the page, and waits until it shows what the server answered. @param path below the root path, from `/` */
export async function follow(page: Page, path: string): Promise<Page> {
  await page.evaluate(`(async () => {
    const link = document.createElement('a')
    link.href = ${JSON.stringify(ROOT_PATH + path)}
    document.body.append(link)
    link.click()
    link.remove()
    ${TWO_FRAMES}
  })()`)
  const until = performance.now() + LONGEST_MILLISECONDS
  for (let open = unanswered.get(page); open?.size; await page.waitForTimeout(20)) {
    if (performance.now() > until) throw new Error(`No answer to ${[...open].map(request => request.url()).join(' ')}`)
  }
  await page.evaluate(`(async () => { ${TWO_FRAMES} })()`)
  return page
}

/** Only a hang takes so long, however busy the machine. */
const LONGEST_MILLISECONDS = 120_000
const TWO_FRAMES = 'for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)'
