/** Takes the pictures of the documentation: the pages of a demo, as a browser shows them. `npm run pictures` */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { chromium, type Page } from 'playwright-core'
import { CHROMIUM, CHROMIUM_ARGS } from './chromium.js'

const FOLDER = 'docs/pictures'
const WINDOW = { width: 1280, height: 800 }

interface Picture {
  name: string
  page: 'ledger' | 'board'
  path: string
  scheme: 'light' | 'dark'
  /** Brings the page into the state that is shown. */
  prepare?: (page: Page) => Promise<void>
}

const PICTURES: readonly Picture[] = [
  { name: 'events', page: 'ledger', path: '/?days=7', scheme: 'light' },
  {
    name: 'event',
    page: 'ledger',
    path: '/?days=7&source=chat&kind=message.created',
    scheme: 'dark',
    prepare: async page => {
      await page.locator('.event-row:not(.is-skeleton)').first().click()
      await page.locator('.entry-talk[aria-busy=false]').waitFor()
    },
  },
  { name: 'subscriptions', page: 'ledger', path: '/subscriptions', scheme: 'light' },
  { name: 'board', page: 'board', path: '/', scheme: 'light' },
  {
    name: 'card',
    page: 'board',
    path: '/',
    scheme: 'dark',
    prepare: async page => {
      await page
        .locator('.card-title')
        .filter({ hasText: /^Find out why .* fails$/ })
        .click()
      await page.getByText('run it again').waitFor()
    },
  },
]

const demo = spawn(process.execPath, ['bin/run.js', 'serve', '--demo', '--json', '--port', '0', '--board-port', '0'], {
  stdio: ['ignore', 'pipe', 'ignore'],
})
const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS })
try {
  const lines = createInterface({ input: demo.stdout })[Symbol.asyncIterator]()
  const urls = JSON.parse((await lines.next()).value ?? '') as Record<Picture['page'], string>
  for (const { name, page: program, path, scheme, prepare } of PICTURES) {
    const page = await browser.newPage({ viewport: WINDOW, colorScheme: scheme, reducedMotion: 'reduce' })
    await page.goto(urls[program] + path)
    await page.waitForLoadState('networkidle')
    await prepare?.(page)
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: `${FOLDER}/${name}.png` })
    await page.close()
    console.log(`${FOLDER}/${name}.png`)
  }
} finally {
  await browser.close()
  demo.kill()
}
