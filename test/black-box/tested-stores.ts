import { join } from 'node:path'
import type { Test } from 'tap'
import { shownAddress } from '../../src/model/postgres-address.js'
import { TestCluster } from '../support/postgres/cluster.js'
import { findPostgres } from '../support/postgres/find-postgres.js'
import { ownFolder } from './own-folder.js'

/** Where a suite keeps its ledger. */
export interface TestedStore {
  /** Name at the end of test titles. */
  name: 'SQLite' | 'PostgreSQL'
  /** Any number of servers may share a ledger. */
  isShared: boolean
  /** `EVENT_DB` of an empty ledger, which is removed after the test. */
  newDatabase(t: Test): Promise<string>
}

const SQLITE: TestedStore = {
  name: 'SQLite',
  isShared: false,
  newDatabase: async t => join(ownFolder(t), 'events.db'),
}

/** Every available store. Suites that do not depend on files run with each. */
export async function testedStores(t: Test): Promise<TestedStore[]> {
  const programs = findPostgres()
  if (programs === undefined) return [SQLITE]
  const cluster = await TestCluster.shared(t, programs)
  const newDatabase = async (t: Test) => shownAddress(await cluster.emptyLedger(t))
  return [SQLITE, { name: 'PostgreSQL', isShared: true, newDatabase }]
}
