import type { ServerResponse } from 'node:http'
import type { Identity } from '../accounts/identity.js'
import type { EventHistogram } from '../model/event-histogram.js'
import type { EventPage, EventQuery } from '../model/event-query.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import { readEventQuery, readHistogramQuery } from './event-query-params.js'
import { pathParam } from './path-param.js'
import { json } from './reply.js'
import type { HttpRequest, LedgerHandler, Reply } from './route.js'
import type { ServedLedger } from './served-ledger.js'
import type { Shutdown } from './shutdown.js'

export interface QueryEventsParts {
  ledger: ServedLedger
  shutdown: Shutdown
  now: () => Micros
  /** Rejects once whoever sent the request may no longer read. */
  mayRead: (req: HttpRequest<Identity>) => Promise<void>
}

/** `GET /api/events`: a page by filters and checkpoint, at once or, with `wait`, as soon as something matches. */
export function queryEvents({ ledger, shutdown, now, mayRead }: QueryEventsParts): LedgerHandler {
  return async (req, res) => {
    const { query, waitSeconds } = readEventQuery(req.search, now())
    if (waitSeconds !== undefined) {
      const page = await hold(ledger, shutdown, res, query, waitSeconds)
      await mayRead(req) // the login may have ended meanwhile
      return toPageReply(page)
    }
    // Plain range reads are over before anybody could go away; a search may take longer.
    return toPageReply(await ledger.query(query, query.search && whenGone(res)))
  }
}

/** `GET /api/events/histogram`: how many there are over a range, in columns. */
export function histogram(ledger: ServedLedger, now: () => Micros): LedgerHandler {
  return async (req, res) =>
    json(200, toColumns(await ledger.histogram(readHistogramQuery(req.search, now()), whenGone(res))))
}

/** `GET /api/events/:dedupe_key`. The key arrives percent-encoded: keys hold `:` and `/`. */
export function getEvent(ledger: ServedLedger): LedgerHandler {
  return async req => ({ status: 200, body: await ledger.getEvent(pathParam(req)) })
}

async function hold(
  ledger: ServedLedger,
  shutdown: Shutdown,
  res: ServerResponse,
  query: EventQuery,
  seconds: number,
): Promise<EventPage> {
  const held = shutdown.open()
  res.once('close', held.end)
  try {
    return await ledger.waitFor(query, seconds, held.signal)
  } catch (error) {
    if (!shutdown.begun || res.closed) throw error
    // The server stops: whoever waits gets what there is.
    return ledger.query(query)
  }
}

/** Aborts once the connection is closed: nobody waits for the answer any more. */
export function whenGone(res: ServerResponse): AbortSignal {
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  return gone.signal
}

/** Assembled around the stored JSON texts: no event is parsed or written anew. */
function toPageReply(page: EventPage): Reply {
  const members = {
    count: page.count,
    latest_captured_at: timestampOrNull(page.latestCapturedAt),
    next_since: timestampOrNull(page.nextSince),
    has_more: page.hasMore,
    head: timestampOrNull(page.head),
    epoch: page.epoch,
  }
  return { status: 200, body: ['{"items":[', page.items, `],${JSON.stringify(members).slice(1)}`] }
}

function toColumns(histogram: EventHistogram) {
  const { from, to, starts, counts, count, bySource, countedFrom, head, epoch } = histogram
  return {
    from: timestampOrNull(from),
    to: timestampOrNull(to),
    starts: starts.map(toTimestamp),
    counts,
    count,
    by_source: Object.fromEntries(bySource.map(({ source, ...columns }) => [source, columns])),
    complete: countedFrom === from,
    counted_from: timestampOrNull(countedFrom),
    head: timestampOrNull(head),
    epoch,
  }
}

function timestampOrNull(micros: Micros | null): string | null {
  return micros === null ? null : toTimestamp(micros)
}
