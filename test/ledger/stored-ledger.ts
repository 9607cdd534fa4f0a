import { join } from 'node:path'
import type { Test } from 'tap'
import { Ledger } from '../../src/ledger/ledger.js'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import { testFolder } from '../support/test-folder.js'

/** A ledger on a real store, whose clock is set by hand. @param now epoch microseconds */
export async function openStoredLedger(t: Test, now: number) {
  const time = { now }
  const clock = () => time.now
  const path = join(testFolder(t), 'events.db')
  const store = await openSqliteStore({ path, clock, onFailure: error => t.fail(String(error)) })
  t.teardown(() => store.close())
  const ledger = await Ledger.open({ store, clock, newSubscriptionId: () => 'sub_new' })
  return { ledger, store, time }
}
