import t from 'tap'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'
import { captureConformance } from '../capture-conformance.js'
import { consumerStoreConformance } from '../consumer-store-conformance.js'
import { copyStoreConformance } from '../copy-store-conformance.js'
import { erasures } from '../erasure-conformance.js'
import { eventChain } from '../event-chain-conformance.js'
import { eventStoreConformance, type OpenStore } from '../event-store-conformance.js'
import { noteStoreConformance } from '../note-store-conformance.js'
import { sourceStoreConformance } from '../source-store-conformance.js'
import { userStoreConformance } from '../user-store-conformance.js'

const programs = findPostgres()
if (programs === undefined) {
  t.plan(0, 'there is no PostgreSQL server')
} else {
  const cluster = await TestCluster.shared(t, programs)
  const open: OpenStore = async (t, clock) => {
    const address = await cluster.emptyLedger(t)
    const store = await openPostgresStore({ address, clock })
    t.teardown(() => store.close())
    return store
  }
  eventStoreConformance(t, open)
  eventChain(t, open)
  captureConformance(t, open)
  userStoreConformance(t, open)
  consumerStoreConformance(t, open)
  erasures(t, open)
  copyStoreConformance(t, open)
  sourceStoreConformance(t, open)
  noteStoreConformance(t, open)
}
