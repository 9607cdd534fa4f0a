import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { Test } from 'tap'
import { atProcessEnd } from '../support/process-end.js'

/** Debian's Chromium without its windows and menus, which take a third of the time. */
export const CHROMIUM = '/usr/bin/chromium-headless-shell'

/** The browser makes no requests except those of the page. */
export const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The pages of a window share a process.
  '--process-per-site',
  // A page lives for seconds: what optimising compilers and a process of its own for painting cost, they do not give back.
  '--js-flags=--max-lazy,--single-threaded,--no-opt,--no-maglev,--min-semi-space-size=8',
  '--in-process-gpu',
]

/** Only a hang takes so long, however busy the machine. */
const LONGEST_MILLISECONDS = 120_000

/** Options for tests that need a browser. Without one, the tests are skipped and reported; in CI they fail. */
export function inBrowser(): { skip: false | string } {
  if (existsSync(CHROMIUM)) return { skip: false }
  if (process.env.CI === 'true') throw new Error(`This suite needs a browser: ${CHROMIUM}.`)
  console.error(`\n*** SKIPPED: ${CHROMIUM} is missing (Debian package chromium-headless-shell). ***\n`)
  return { skip: `SKIPPED: ${CHROMIUM} is missing` }
}

let shared: Promise<Browser> | undefined

/** Windows that stay open for the next files of this process, by their options: the page of each that stays open. */
const kept = new Map<string, Page>()
/** Of the pages in such windows since they were last cleared. */
const origins = new Set<string>()

/** The browser of this process. When the test ends, its windows are closed, or keep nothing of their pages. */
export async function openBrowser(t: Test): Promise<Browser> {
  shared ??= launch()
  const browser = await shared
  t.teardown(async () => {
    const firsts = new Map([...kept.values()].map(page => [page.context(), page]))
    for (const context of browser.contexts()) {
      const first = firsts.get(context)
      if (first === undefined) await context.close()
      else await clearWindow(context, first)
    }
    origins.clear()
  })
  return browser
}

export function keptWindow(options: string): Page | undefined {
  return kept.get(options)
}

/** @param first its page that stays open */
export function keepWindow(options: string, first: Page): void {
  kept.set(options, first)
  first.context().on('request', request => {
    if (request.isNavigationRequest()) origins.add(new URL(request.url()).origin)
  })
}

/** Leaves one page in a window, and nothing of what the others have stored: another server may have the same port later. */
async function clearWindow(context: BrowserContext, first: Page): Promise<void> {
  for (const page of context.pages()) if (page !== first) await page.close()
  await context.setOffline(false)
  await context.clearPermissions()
  const session = await context.newCDPSession(first)
  await context.clearCookies()
  for (const origin of origins) await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  await session.detach()
}

async function launch(): Promise<Browser> {
  // Chromium leaves a folder in its place for temporary files.
  const folder = mkdtempSync(join(tmpdir(), 'daybook-'))
  const env = { ...process.env, TMPDIR: folder }
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS, env })
  atProcessEnd(async () => {
    await browser.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return browser
}

/** A separate window without animations. */
export async function openWindow(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(LONGEST_MILLISECONDS)
  return context
}
