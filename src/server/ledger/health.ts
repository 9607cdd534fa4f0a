import { clockBehind } from '../../ledger/clock-behind.js'
import { AppError } from '../../model/app-error.js'
import { type Micros, toTimestamp } from '../../model/timestamp.js'
import type { StoreHealth } from '../../store/event-store.js'
import { HTTP_STATUS, toProblemReply } from '../answer/problem.js'
import { json } from '../answer/reply.js'
import type { Handler, Reply } from '../http/route.js'
import type { ServedLedger } from './served-ledger.js'

/** Which database this is, for when it cannot say so itself. */
export type DatabaseName = Pick<StoreHealth, 'database' | 'engine'> & {
  /** What seemed to be missing when it was opened. */
  warning?: string
}

/** What it is that is served. */
export interface ServedAs {
  version: string
  /** The events are invented: a page says so. */
  isDemo: boolean
  /** The wall clock. */
  now: () => Micros
}

/** `GET /api/health`: 200 when the store can commit, 503 with the reason when it cannot, or once it has met damage. */
export function health(ledger: ServedLedger, named: DatabaseName, served: ServedAs): Handler {
  const { version, isDemo, now } = served
  const demo = isDemo ? { demo: true } : {}
  const missing = named.warning === undefined ? [] : [{ code: 'files_missing', detail: named.warning }]
  const withWarnings = (found: readonly object[]) => (found.length > 0 ? { warnings: found } : {})
  return async req => {
    try {
      const { database, engine, head, epoch, schemaVersion, damage } = await ledger.health()
      const warning = clockBehind(head, now())
      const known = {
        database,
        version,
        engine,
        head: head === null ? null : toTimestamp(head),
        epoch,
        schema_version: schemaVersion,
        ...withWarnings(warning ? [...missing, warning] : missing),
        ...demo,
      }
      return damage ? unavailable(damage, known, req.requestId) : json(200, { status: 'ok', ...known })
    } catch (error) {
      if (!(error instanceof AppError) || error.category !== 'unavailable') throw error
      const { database, engine } = named
      const known = { database, version, engine, head: null, ...withWarnings(missing), ...demo }
      return unavailable(error, known, req.requestId)
    }
  }
}

function unavailable(error: AppError, known: object, requestId: string): Reply {
  const body = { status: 'unavailable', ...known, code: error.code, detail: error.message }
  return {
    ...json(HTTP_STATUS.unavailable, body),
    headers: toProblemReply(error, requestId).headers ?? [],
  }
}
