import { join } from 'node:path'
import { Database } from '../src/store/sqlite/database.js'
import { median } from './statistics.js'

const SCAN = /* sql */ `SELECT body FROM events WHERE body LIKE ? ORDER BY seq DESC LIMIT 100`

/**
 * What a search takes without an index. No server may have the ledger open.
 *
 * @returns median milliseconds for each text
 */
export function likeScan(folder: string, texts: readonly string[], runs: number): number[] {
  const database = new Database(join(folder, 'events.db'))
  try {
    return texts.map(text => {
      const times = Array.from({ length: runs }, () => {
        const startedAt = performance.now()
        database.all(SCAN, `%${text}%`)
        return performance.now() - startedAt
      })
      return median(times)
    })
  } finally {
    database.close()
  }
}
