import { join } from 'node:path'
import { Database } from '../src/store/sqlite/files/database.js'
import { median } from './statistics.js'

const scanSql = (terms: number) => /* sql */ `
  SELECT body FROM events WHERE ${Array(terms).fill('body LIKE ?').join(' AND ')} ORDER BY seq DESC LIMIT 100`

/**
 * Measures searches without an index. No server may have the ledger open.
 *
 * @param searches the terms of each search, all of which must occur
 * @returns median milliseconds for each search
 */
export function likeScan(folder: string, searches: readonly (readonly string[])[], runs: number): number[] {
  const database = new Database(join(folder, 'events.db'), { noun: 'ledger', refuseForeign: () => {} })
  try {
    return searches.map(terms => {
      const times = Array.from({ length: runs }, () => {
        const startedAt = performance.now()
        database.all(scanSql(terms.length), ...terms.map(term => `%${term}%`))
        return performance.now() - startedAt
      })
      return median(times)
    })
  } finally {
    database.close()
  }
}
