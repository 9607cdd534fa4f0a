import { join } from 'node:path'
import t from 'tap'
import { openSqliteStore } from '../../../../src/store/sqlite/store.js'
import { testFolder } from '../../../support/test-folder.js'
import { noteStoreConformance } from '../../note-store-conformance.js'

noteStoreConformance(t, async (t, clock = () => Date.now() * 1000) => {
  const store = await openSqliteStore({
    path: join(testFolder(t), 'events.db'),
    clock,
    onFailure: error => t.fail(String(error)),
  })
  t.teardown(() => store.close())
  return store
})
