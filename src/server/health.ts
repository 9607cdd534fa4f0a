import { AppError } from '../model/app-error.js'
import { toTimestamp } from '../model/timestamp.js'
import type { StoreHealth } from '../store/event-store.js'
import { HTTP_STATUS, toProblemReply } from './problem.js'
import { json } from './reply.js'
import type { Handler } from './route.js'
import type { ServedLedger } from './served-ledger.js'

/** Which database this is, for when it cannot say so itself. */
export type DatabaseName = Pick<StoreHealth, 'database' | 'engine'>

/** What it is that is served. */
export interface ServedAs {
  version: string
  /** The events are invented: a page says so. */
  isDemo: boolean
}

/** `GET /api/health`: 200 when the store can commit, 503 with the reason when it cannot. */
export function health(ledger: ServedLedger, named: DatabaseName, served: ServedAs): Handler {
  const { version, isDemo } = served
  const demo = isDemo ? { demo: true } : {}
  return async req => {
    try {
      const { database, engine, head, epoch } = await ledger.health()
      return json(200, {
        status: 'ok',
        database,
        version,
        engine,
        head: head === null ? null : toTimestamp(head),
        epoch,
        ...demo,
      })
    } catch (error) {
      if (!(error instanceof AppError) || error.category !== 'unavailable') throw error
      const { database, engine } = named
      const status = { status: 'unavailable', database, version, engine, head: null, ...demo }
      return {
        ...json(HTTP_STATUS.unavailable, { ...status, code: error.code, detail: error.message }),
        headers: toProblemReply(error, req.requestId).headers ?? [],
      }
    }
  }
}
