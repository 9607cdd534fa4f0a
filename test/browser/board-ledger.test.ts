import { join } from 'node:path'
import t from 'tap'
import { serve } from '../../src/runtime/serve/serve.js'
import { readServeSettings } from '../../src/settings/serve-settings.js'
import { ownFolder } from '../black-box/own-folder.js'
import { memorySources } from '../settings/memory-sources.js'
import { inBrowser, openBrowser } from './chromium.js'
import { message, post } from './events-site.js'
import { ObservatorySite, ROOT_PATH } from './observatory-site.js'
import { findAxeViolations } from './page-checks.js'

t.test('events and cards of one process in a browser', inBrowser(), async t => {
  const site = new ObservatorySite(await openBrowser(t))
  const folder = ownFolder(t)
  const env = { EVENT_LOG_LEVEL: 'silent', BOARD_HOME: join(folder, 'board') }
  const sources = memorySources({ env })
  const roots = { rootPath: ROOT_PATH, boardRootPath: ROOT_PATH }
  const flags = { db: join(folder, 'events.db'), port: '0', boardPort: '0', ...roots }
  const running = await serve(readServeSettings(flags, sources), sources)
  t.teardown(() => running.close())
  const ledger = { url: new URL(running.ledger?.url ?? '').origin }
  const parent = { type: 'repository', key: 'repository:1', display: 'acme/app' }
  await post(
    ledger,
    message({
      kind: 'workflow_run.completed',
      subject_type: 'workflow_run',
      source: 'ci',
      action: { outcome: 'failed' },
      target: { type: 'workflow_run', key: 'workflow_run:1', display: 'ci', metadata: { ref: 'main' }, parent },
    }),
  )

  const page = await site.openTab(t, ledger)
  await page.locator('.event-row:not(.is-skeleton)').click()
  await page.getByRole('link', { name: 'Make a card' }).click()
  const form = page.getByRole('dialog', { name: 'New card' })
  await form.getByRole('button', { name: 'Create card' }).click()

  const panel = page.getByRole('dialog', { name: 'Card: Workflow ci failed on main of acme/app' })
  const sentence = panel.getByRole('link', { name: 'Ada Okafor ran workflow ci on acme/app: failed' })
  await sentence.waitFor()
  await panel.getByRole('img', { name: 'Failed' }).waitFor()
  await panel.getByText('just now').first().waitFor()
  t.same(await findAxeViolations(page), [])

  const address = await sentence.getAttribute('href')
  await page.goto(address ?? '')
  const cards = page.getByRole('region', { name: 'Cards' })
  t.match(await cards.innerText(), /Workflow ci failed on main of acme\/app\s+backlog/i)
  t.same(await findAxeViolations(page), [])
  await cards.getByRole('link').click()
  await panel.waitFor()
  t.same(site.complaints, [])
})
