import { AppError } from '../../model/app-error.js'
import { freeSpaceText, isDiskLow } from '../../model/disk-space.js'
import type { ConnectionUse } from '../http/connections.js'
import type { HeldAnswer } from '../http/shutdown.js'
import { type Metric, metric, metricBy } from './metric.js'

/** The size of a program's files, and of the disk below them. Bytes. */
export interface StorageSizes {
  database: number
  /** Bytes of SQLite's WAL. */
  wal?: number
  /** Absent if the database is on another machine. */
  disk?: { size: number; free: number }
}

export type ReadStorageSizes = () => Promise<StorageSizes>

/** The parts that the metrics of both programs read. */
export interface ProgramParts {
  version: string
  /** Proves that the store can commit. @throws AppError `unavailable/…` */
  checkWritable: () => Promise<unknown>
  storageSizes: ReadStorageSizes
  connectionCounts: () => Record<ConnectionUse, number>
  heldCounts: () => Iterable<[HeldAnswer, number]>
}

/** Metrics of this process, which are always known. */
export function processMetrics({ version, connectionCounts, heldCounts }: ProgramParts): Metric[] {
  return [
    {
      type: 'gauge',
      name: 'daybook_build_info',
      help: 'The version of the server, with the value 1.',
      values: [{ labels: { version }, value: 1 }],
    },
    metricBy('use', Object.entries(connectionCounts()), {
      name: 'daybook_connections',
      help: 'Open connections, by their use.',
    }),
    metricBy('kind', heldCounts(), {
      name: 'daybook_held_answers',
      help: 'Answers that are held open: event streams, long polls, exports, logs of runs, streams of other boards.',
    }),
  ]
}

export async function readyMetric(checkWritable: () => Promise<unknown>): Promise<Metric[]> {
  const isReady = await checkWritable().then(() => true, unavailable)
  return [metric('daybook_ready', '1 if the store can commit, otherwise 0.', isReady ? 1 : 0)]
}

function unavailable(error: unknown): false {
  if (error instanceof AppError && error.category === 'unavailable') return false
  throw error
}

export async function storageMetrics(read: ReadStorageSizes): Promise<Metric[]> {
  const { database, wal, disk } = await read()
  return [
    metric('daybook_database_bytes', 'Size of the database, without its write-ahead log.', database),
    ...(wal === undefined ? [] : [metric('daybook_wal_bytes', 'Size of the write-ahead log of the database.', wal)]),
    ...(disk === undefined
      ? []
      : [
          metric('daybook_disk_size_bytes', 'Size of the file system of the database.', disk.size),
          metric('daybook_disk_free_bytes', 'Free space on it that the server may use.', disk.free),
        ]),
  ]
}

/** A warning for `GET /api/health`; undefined if there is room, or if it is not known. */
export async function diskLow(read: ReadStorageSizes): Promise<{ code: 'disk_low'; detail: string } | undefined> {
  const { disk } = await read().catch((error: unknown): Partial<StorageSizes> => {
    if (error instanceof Error && 'errno' in error) return {} // the store itself reports problems with the files
    throw error
  })
  const space = disk && { freeBytes: disk.free, totalBytes: disk.size }
  if (!space || !isDiskLow(space)) return undefined
  const detail = `The disk of the database has ${freeSpaceText(space)}. Make room, or move the database to a larger disk.`
  return { code: 'disk_low', detail }
}
