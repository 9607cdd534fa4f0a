import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
import type { Test } from 'tap'
import { ownFolder } from '../black-box/own-folder.js'

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
]

/** Only a hang takes so long, however busy the machine. */
const LONGEST_MILLISECONDS = 120_000

/** Options for tests that need a browser: skipped, loudly, where there is none; a failure in CI. */
export function inBrowser(): { skip: false | string } {
  if (existsSync(CHROMIUM)) return { skip: false }
  if (process.env.CI === 'true') throw new Error(`This suite needs a browser: ${CHROMIUM}.`)
  console.error(`\n*** SKIPPED: ${CHROMIUM} is missing (Debian package chromium-headless-shell). ***\n`)
  return { skip: `SKIPPED: ${CHROMIUM} is missing` }
}

/** A browser that is closed when the test ends. */
export async function openBrowser(t: Test): Promise<Browser> {
  // Chromium leaves a folder in its place for temporary files.
  const env = { ...process.env, TMPDIR: ownFolder(t) }
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS, env })
  t.teardown(() => browser.close())
  return browser
}

/** A window of its own, in which nothing moves for show. */
export async function openWindow(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(LONGEST_MILLISECONDS)
  return context
}
