import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { Ledger } from '../../src/ledger/ledger.js'
import { checkCopiedLedger, renewEpoch } from '../../src/store/sqlite/copy/copied-ledger.js'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import { message, type Served, serve } from '../server/serve.js'
import { testFolder } from '../support/test-folder.js'

type Handler = Served['handler']

/** One address, at which a ledger answers, another one, or none. */
export async function switchableLedger(t: Test) {
  let current: Handler | undefined
  const server = createServer((req, res) => (current ? current(req, res) : req.socket.destroy()))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const show = (handler: Handler | undefined) => {
    current = handler
    server.closeAllConnections()
  }
  t.teardown(() => {
    show(undefined)
    server.close()
  })
  return { url, show }
}

/** A ledger with a store, and a server for it. */
export async function openServed(t: Test, path = join(testFolder(t), 'events.db')) {
  const now = () => Date.now() * 1000
  const store = await openSqliteStore({ path, clock: now, onFailure: error => t.fail(String(error)) })
  const ledger = await Ledger.open({ store, clock: now, newSubscriptionId: () => 'sub_1' })
  const served = await serve(t, { ledger, now })
  t.teardown(() => store.close())
  const record = async (...subjects: (string | number)[]) => {
    for (const subject of subjects) await served.post('/api/events', message(subject))
  }
  return { ...served, store, ledger, record }
}

/** A backup of a ledger as `ledger restore` puts it in place. @returns its path */
export async function restoredCopy(t: Test, store: { copyTo: (path: string) => Promise<unknown> }): Promise<string> {
  const copy = join(testFolder(t), 'restored.db')
  await store.copyTo(copy)
  checkCopiedLedger(copy)
  renewEpoch(copy, Date.now())
  return copy
}
