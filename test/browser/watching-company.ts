import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import type { LedgerAccounts } from '../../src/accounts/ledger-accounts.js'
import { Ledger } from '../../src/ledger/ledger.js'
import { readEvent } from '../../src/ledger/read-event.js'
import type { User } from '../../src/model/accounts/user.js'
import { listPlatforms } from '../../src/platforms/adapters.js'
import type { NoteStore } from '../../src/store/note-store.js'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import { PASSWORD, startWithUsers } from '../accounts/accounts-rig.js'
import type { Served, ServeOptions } from '../server/serve.js'
import { testFolder } from '../support/test-folder.js'
import { logIn } from './login-site.js'
import { follow, type ObservatorySite } from './observatory-site.js'

/** A real ledger with accounts: Ada, an admin, and bob, a member; a few days of chat, and the given subscriptions. */
interface WatchingCompany {
  served: Served
  ledger: Ledger
  accounts: LedgerAccounts
  ada: User
  bob: User
  /** Shows a path to a user who is logged in, in the one page that this user has with these options. */
  openAs(username: string, path: string, options?: BrowserContextOptions): Promise<Page>
}

const DAY = 86_400_000_000

export async function serveCompany(
  t: Test,
  site: ObservatorySite,
  more: (ledger: Ledger, notes: NoteStore) => ServeOptions = () => ({}),
): Promise<WatchingCompany> {
  const time = { now: 0 }
  const clock = () => time.now || Date.now() * 1000
  const path = join(testFolder(t), 'events.db')
  const store = await openSqliteStore({ path, clock, onFailure: error => t.fail(String(error)) })
  let ids = 0
  const ledger = await Ledger.open({ store, clock, newSubscriptionId: () => `sub_${++ids}` })
  for (const [ago, count] of [
    [5, 3],
    [2, 1],
    [0, 4],
  ] as const) {
    time.now = Date.now() * 1000 - ago * DAY - 3_600_000_000
    for (let i = 0; i < count; i++) await ledger.record([said(`${ago}-${i}`, 'eng', 'deploys')])
  }
  time.now = 0
  const { accounts, ada, bob } = await startWithUsers({ throttleLogins: false })
  const served = await site.serve(t, { ledger, accounts, platforms: listPlatforms(), ...more(ledger, store.notes) })
  t.teardown(() => store.close())
  const sessions = new Map<string, BrowserContextOptions['storageState']>()
  const logged = async (username: string, path: string, options: BrowserContextOptions) => {
    const page = await site.open(t, served, path, options)
    await logIn(page, username, PASSWORD)
    await page.getByRole('navigation', { name: 'Views' }).waitFor()
    sessions.set(username, await page.context().storageState())
    return page
  }
  const pages = new Map<string, Promise<Page>>()
  const openAs: WatchingCompany['openAs'] = async (username, path, options = {}) => {
    const key = JSON.stringify([username, options])
    const opened = pages.get(key)
    if (opened) return follow(await opened, path)
    const storageState = sessions.get(username)
    const page = storageState
      ? site.openTab(t, served, path, { ...options, storageState })
      : logged(username, path, options)
    pages.set(key, page)
    return page
  }
  return { served, ledger, accounts, ada, bob, openAs }
}

function said(id: string, stream: string, topic: string) {
  const event = readEvent({
    source: 'chat',
    kind: 'message.created',
    subject_type: 'message',
    subject_id: id,
    actor: { id: '9', display: 'Ada Okafor' },
    conversation: { text: `<b>Word</b> ${id}` },
    target: {
      type: 'message',
      key: `message:${id}`,
      parent: { type: 'topic', display: topic, parent: { type: 'stream', key: 'stream:4', display: stream } },
    },
  })
  return { event, provenance: { route: 'api', verified: 'none' } as const }
}
