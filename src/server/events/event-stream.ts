import Type from '#typebox'
import type { Identity } from '../../accounts/identity.js'
import { AppError, isRefusal } from '../../model/app-error.js'
import { type Micros, readTimestamp, toTimestamp } from '../../model/timestamp.js'
import type { AnswerBudget } from '../answer/answer-budget.js'
import { untilClosed } from '../answer/body-writer.js'
import { beginEventStream, endOnceRefused, lastEventId } from '../answer/event-stream-response.js'
import type { StreamTimes } from '../answer/paced-answer.js'
import { documented, type HttpRequest, type LedgerEndpoint, type RouteDoc } from '../http/route.js'
import type { Shutdown } from '../http/shutdown.js'
import type { ServedLedger } from '../ledger/served-ledger.js'
import { EVENT_STREAM_PARAMETERS, readEventStreamRequest } from './event-query-params.js'
import { EventStreamWriter } from './event-stream-writer.js'
import { createPageReader } from './page-reader.js'

/** Maximum events per page. One page is all that is held in memory for a reader. */
const PAGE_EVENTS = 100

interface EventStreamParts {
  ledger: ServedLedger
  shutdown: Shutdown
  now: () => Micros
  times: StreamTimes
  budget: AnswerBudget
  /** Rejects once the caller may no longer read: a stream outlives a login. */
  checkMayRead: (req: HttpRequest<Identity>) => Promise<void>
}

/**
 * `GET /api/stream`: server-sent events, one for each matching event, with its `captured_at` as `id:`, so that a reader
 * that reconnects (`Last-Event-ID`) misses nothing. Without a start, the stream begins now. A reader that may no longer
 * read receives nothing more, and its stream ends within a heartbeat.
 *
 * The next page is read when the reader has received the last one. See `EventStreamWriter` for the other messages.
 *
 * Source: WHATWG HTML, "Server-sent events".
 */
export function streamEvents({ ledger, shutdown, now, times, checkMayRead, budget }: EventStreamParts): LedgerEndpoint {
  return documented(DOC, async (req, res) => {
    const { filters, since } = readEventStreamRequest(req.search, lastEventId(req.headers), now())
    const open = shutdown.hold(req, res, 'stream')
    // Read before the answer begins, because this also refuses a checkpoint that the ledger has not reached.
    const { head } = await ledger.query({
      ...(since === undefined ? {} : { since }),
      order: 'desc',
      limit: 1,
      maxBytes: 0,
    })
    // `from` is a time, not a checkpoint, so the ledger need not have reached it.
    const start = since ?? Math.min((filters.from ?? Number.POSITIVE_INFINITY) - 1, head ?? 0)

    if (!beginEventStream(req, res)) return undefined
    const room = budget.roomFor(res)
    const reader = new EventStreamWriter(res, toTimestamp(start), { times, open, room })
    const stopAsking = endOnceRefused(open, () => checkMayRead(req), times.heartbeatMs)
    try {
      for (let since: Micros | undefined = start; since !== undefined; ) {
        const query = { ...filters, since, order: 'asc', limit: PAGE_EVENTS } as const
        since = undefined
        try {
          for await (const page of ledger.follow(query, open.signal, read => createPageReader(read, room))) {
            if (page.count > 0) await checkMayRead(req)
            await reader.take(page)
            room.hold(0)
            if (open.signal.aborted) break
          }
        } catch (error) {
          // Retention has overtaken a slow reader.
          if (!(error instanceof AppError) || error.code !== 'pruned' || error.nextSince === undefined) throw error
          since = readTimestamp('next_since', error.nextSince).micros
          await reader.skip(error.nextSince)
        }
      }
    } catch (error) {
      if (!open.signal.aborted && !isRefusal(error)) throw error
    } finally {
      stopAsking()
      reader.end()
    }
    await untilClosed(res)
    return undefined
  })
}

const DOC: RouteDoc = {
  summary: 'Events as they arrive, as server-sent events',
  description: 'Begins after `since` or now; a reader that reconnects with `Last-Event-ID` misses nothing.',
  query: EVENT_STREAM_PARAMETERS,
  headers: [
    {
      name: 'Last-Event-ID',
      description: 'Where a reader that was connected before stopped; takes precedence over `since`.',
      schema: Type.String({ format: 'date-time' }),
    },
  ],
  answers: {
    200: {
      description:
        'One message an event, its id the `captured_at`; `checkpoint`, `dropped` and `pruned` carry `next_since`',
      type: 'text/event-stream',
    },
  },
}
