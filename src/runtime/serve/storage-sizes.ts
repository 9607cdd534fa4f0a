import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { StorageSizes } from '../../server/metrics/process-metrics.js'
import { bytesOf } from '../via-server-or-file.js'

/** The sizes of a SQLite database and of the disk below it. */
export async function sqliteSizes(database: string): Promise<StorageSizes> {
  const [size, wal, disk] = await Promise.all([
    bytesOf(database),
    bytesOf(`${database}-wal`),
    statfs(dirname(database)),
  ])
  return { database: size, wal, disk: { size: disk.blocks * disk.bsize, free: disk.bavail * disk.bsize } }
}
