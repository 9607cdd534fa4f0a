import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
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

/** The browser of this process. Its windows are closed when the test ends. */
export async function openBrowser(t: Test): Promise<Browser> {
  shared ??= launch()
  const browser = await shared
  t.teardown(async () => {
    for (const context of browser.contexts()) await context.close()
  })
  return browser
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
