import { closeSync, openSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { isErrno } from './file-error.js'

export type DiskTrouble = 'full' | 'read_only'

/** With less than that free, a transaction of the largest size did not fit: that is why it failed. */
const LARGEST_TRANSACTION_BYTES = 32 * 1024 * 1024

/** Why the disk under `database` has just failed a write; `undefined` when nothing can be seen. */
export function findDiskTrouble(database: string): DiskTrouble | undefined {
  try {
    closeSync(openSync(database, 'r+'))
    const { bavail, bsize } = statfsSync(dirname(database))
    return bavail * bsize < LARGEST_TRANSACTION_BYTES ? 'full' : undefined
  } catch (error) {
    return isErrno(error, 'EROFS', 'EACCES', 'EPERM') ? 'read_only' : undefined
  }
}
