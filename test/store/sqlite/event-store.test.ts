import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openSqliteStore } from '../../../src/store/sqlite/store.js'
import { testFolder } from '../../support/test-folder.js'
import { copyStoreConformance } from '../copy-store-conformance.js'
import { erasures } from '../erasure-conformance.js'
import { eventChain } from '../event-chain-conformance.js'
import { eventStoreConformance } from '../event-store-conformance.js'

const open = async (t: Test, clock = () => Date.now() * 1000) => {
  const store = await openSqliteStore({
    path: join(testFolder(t), 'events.db'),
    clock,
    onFailure: error => t.fail(String(error)),
  })
  t.teardown(() => store.close())
  return store
}

eventStoreConformance(t, open)
eventChain(t, open)
erasures(t, open)
copyStoreConformance(t, open)
