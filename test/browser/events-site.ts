import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { Ledger } from '../../src/ledger/ledger.js'
import { listPlatforms } from '../../src/platforms/adapters.js'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import { type RunningServer, startServer } from '../black-box/running-server.js'
import type { Served } from '../server/serve.js'
import { testFolder } from '../support/test-folder.js'
import { type ObservatorySite, ROOT_PATH } from './observatory-site.js'

type Change = Record<string, unknown> & { text?: string; who?: string; payload?: unknown }

let posted = 0

/** Events as programs send them, a new one each. */
export function message({ text = 'Nothing red overnight.', who = 'Ada Okafor', ...more }: Change = {}) {
  const id = String(++posted)
  return {
    kind: 'message.created',
    subject_type: 'message',
    subject_id: id,
    source: 'chat',
    actor: { id: `u-${who}`, display: who },
    actor_role: 'maintainer',
    target: {
      type: 'topic',
      key: 'topic:deploys',
      display: 'deploys',
      parent: { type: 'channel', key: 'channel:4', display: 'eng' },
    },
    conversation: { text },
    ...more,
  }
}

export async function post({ url }: Pick<RunningServer, 'url'>, ...events: unknown[]): Promise<void> {
  const answer = await fetch(`${url}${ROOT_PATH}/api/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(events),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

/** A ledger in a file whose clock is the real one, served by this process. */
export async function serveEvents(t: Test, site: ObservatorySite): Promise<Served> {
  const clock = () => Date.now() * 1000
  const path = join(testFolder(t), 'events.db')
  const store = await openSqliteStore({ path, clock, onFailure: error => t.fail(String(error)) })
  t.teardown(() => store.close())
  const ledger = await Ledger.open({ store, clock, newSubscriptionId: () => 'sub_1' })
  return site.serve(t, { ledger, platforms: listPlatforms(), now: clock })
}

/** What it prints is the ledger's whole address; here it is the server's. */
export async function start(t: Test, database: string, port = 0): Promise<RunningServer> {
  // Paths of sockets are short, wherever the tests are.
  const home = mkdtempSync(join(tmpdir(), 'daybook-'))
  t.teardown(() => rmSync(home, { recursive: true, force: true }))
  const server = await startServer(t, { database, home, port, flags: ['--root-path', ROOT_PATH] })
  return { ...server, url: new URL(server.url).origin }
}

/** Rows of the list that are in the page. */
export const rows = (page: Page) => page.locator('.list-row')

/** Only a hang takes so long, however busy the machine. */
const LONGEST_MILLISECONDS = 120_000

/** Waits until the list has this number of rows, or more than a few. */
export async function hasRows(page: Page, amount?: number): Promise<void> {
  const until = performance.now() + LONGEST_MILLISECONDS
  for (;;) {
    const present = await rows(page).count()
    if (amount === undefined ? present > 5 : present === amount) return
    if (performance.now() > until) throw new Error(`There are ${present} rows.`)
    await page.waitForTimeout(25)
  }
}

/** The text of the first rows. */
export async function said(page: Page): Promise<string[]> {
  await rows(page).first().waitFor()
  return page.locator('.event-said').allInnerTexts()
}
