import { rename, writeFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { Compile } from '#typebox/compile'
import { AppError } from '../../model/app-error.js'
import { readRegularFile } from '../../model/files/regular-file.js'
import { DeliveryTraceSchema, type DeliveryTraceState } from '../../model/platforms/delivery-trace.js'
import type { Micros } from '../../model/timestamp.js'
import { DeliveryTrace } from '../../server/events/delivery-trace.js'

const EVERY_MS = 60_000
const MAX_BYTES = 4 * 1024 * 1024
const check = Compile(DeliveryTraceSchema)

/** The trace of deliveries of a ledger in a file, which outlives its server in a file beside the database. */
export interface KeptTrace {
  trace: DeliveryTrace
  /** Saves what has changed. */
  close(): Promise<void>
}

/** @param database path of the database; absent: the trace ends with the server */
export function keepTrace(
  database: string | undefined,
  { now, logger }: { now: () => Micros; logger: Pick<Logger, 'warn'> },
): KeptTrace {
  if (database === undefined) return { trace: new DeliveryTrace(now), close: async () => {} }
  const path = pathOf(database)
  const trace = new DeliveryTrace(now, readOrBegin(database, logger))
  let saved = trace.changes
  const save = async () => {
    if (saved === trace.changes) return
    saved = trace.changes
    const temporary = `${path}.new`
    try {
      await writeFile(temporary, JSON.stringify(trace.state()), { mode: 0o600 })
      await rename(temporary, path)
    } catch (error) {
      // Deliveries are not refused because their trace cannot be kept.
      logger.warn({ err: error, path }, 'the trace of deliveries could not be saved')
    }
  }
  const timer = setInterval(save, EVERY_MS)
  timer.unref()
  return {
    trace,
    close: async () => {
      clearInterval(timer)
      await save()
    },
  }
}

/** @returns undefined if nothing was kept. @throws Error if what was kept is not readable */
export function readKeptTrace(database: string): DeliveryTraceState | undefined {
  try {
    const kept: unknown = JSON.parse(readRegularFile(pathOf(database), MAX_BYTES))
    if (check.Check(kept)) return kept
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new AppError('unavailable', 'trace_unreadable', `${pathOf(database)} is damaged. Delete it to begin again.`)
}

function pathOf(database: string): string {
  return `${database}.deliveries`
}

function readOrBegin(database: string, logger: Pick<Logger, 'warn'>): DeliveryTraceState | undefined {
  try {
    return readKeptTrace(database)
  } catch (error) {
    logger.warn({ err: error }, 'the trace of deliveries is not readable and begins again')
    return undefined
  }
}
