import { join } from 'node:path'
import t from 'tap'
import { openSqliteStore } from '../../../../src/store/sqlite/store.js'
import { testFolder } from '../../../support/test-folder.js'
import { captureConformance } from '../../capture-conformance.js'

captureConformance(t, async (t, clock = () => Date.now() * 1000) => {
  const onFailure = (error: unknown) => t.fail(String(error))
  const store = await openSqliteStore({ path: join(testFolder(t), 'events.db'), clock, onFailure })
  t.teardown(() => store.close())
  return store
})
