import type { ServerResponse } from 'node:http'
import type { Identity } from '../accounts/identity.js'
import type { ReadPage } from '../ledger/wait-for-events.js'
import type { EventHistogram } from '../model/events/event-histogram.js'
import {
  type EventPage,
  type EventQuery,
  joinPages,
  type PageSummary,
  restOfPage,
} from '../model/events/event-query.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import type { AnswerBudget } from './answer-budget.js'
import { BodyWriter } from './body-writer.js'
import { readEventQuery, readHistogramQuery } from './event-query-params.js'
import { createPageReader, isPiece } from './page-reader.js'
import { pathParam } from './path-param.js'
import { apiHeaders, json } from './reply.js'
import type { HttpRequest, LedgerHandler, Reply } from './route.js'
import type { ServedLedger } from './served-ledger.js'
import type { Shutdown } from './shutdown.js'
import { hasLeft } from './slow-reader.js'

export interface QueryEventsParts {
  ledger: ServedLedger
  shutdown: Shutdown
  now: () => Micros
  /** Rejects once whoever sent the request may no longer read. */
  mayRead: (req: HttpRequest<Identity>) => Promise<void>
  budget: AnswerBudget
}

/** A page ends early, saying that there is more, rather than grow larger; it holds one event at least. */
const PAGE_BYTES = 16 * 1024 * 1024
const NOTHING = new Uint8Array()

/** `GET /api/events`: a page by filters and checkpoint, at once or, with `wait`, as soon as something matches. */
export function queryEvents({ ledger, shutdown, now, mayRead, budget }: QueryEventsParts): LedgerHandler {
  return async (req, res) => {
    const { query, waitSeconds } = readEventQuery(req.search, now())
    req.room = budget.roomFor(res)
    const read = createPageReader(ledger, req.room)
    const signal = whenGone(res)
    let first: EventPage
    if (waitSeconds === undefined) {
      first = await read(query, signal)
    } else {
      first = await hold({ ledger, shutdown, req, res, read }, query, waitSeconds)
      await mayRead(req) // the login may have ended by now
    }
    if (!isPiece(query, first)) return toPageReply(first)
    res.writeHead(200, [...apiHeaders(req), 'Content-Type', 'application/json'])
    if (req.method === 'HEAD') res.end()
    else await writePieces(new BodyWriter(res, req.room, budget.limits.takenMs), { query, first, read, signal })
    return undefined
  }
}

/**
 * Writes a page that is larger than a piece: the next piece is read when the reader has taken the one before. Its length
 * is not known in advance, as a repeat may change an event in between.
 *
 * Source: docs/decisions/0030.
 */
async function writePieces(
  writer: BodyWriter,
  {
    query,
    first,
    read,
    signal,
  }: { query: EventQuery; first: EventPage; read: ReadPage; signal: AbortSignal | undefined },
): Promise<void> {
  let page: PageSummary = first
  let bytes = 0
  try {
    for (let piece = first; piece.count > 0; ) {
      if (piece !== first) page = joinPages(query, page, piece)
      await writer.write(piece.items, piece === first ? '{"items":[' : ',')
      bytes += piece.items.byteLength
      // What was taken shall not stay in memory for as long as the answer goes on.
      piece.items = NOTHING
      if (writer.isOver || !isPiece(query, page)) break
      piece = await read({ ...restOfPage(query, page), maxBytes: PAGE_BYTES - bytes }, signal)
    }
  } catch (error) {
    if (!writer.isOver) throw error
  }
  await writer.end(endOfPage(page))
}

/** `GET /api/histogram`: how many there are over a range, in columns. */
export function histogram(ledger: ServedLedger, now: () => Micros): LedgerHandler {
  return async (req, res) =>
    json(200, toColumns(await ledger.histogram(readHistogramQuery(req.search, now()), whenGone(res))))
}

/** `GET /api/events/:dedupe_key`. The key arrives percent-encoded: keys hold `:` and `/`. */
export function getEvent(ledger: ServedLedger, budget: AnswerBudget): LedgerHandler {
  return async (req, res) => {
    const admit = (bytes: number) => {
      req.room ??= budget.roomFor(res)
      return req.room.reserve(bytes)
    }
    return { status: 200, body: await ledger.getEvent(pathParam(req), admit) }
  }
}

async function hold(
  {
    ledger,
    shutdown,
    req,
    res,
    read,
  }: Pick<QueryEventsParts, 'ledger' | 'shutdown'> & { req: HttpRequest; res: ServerResponse; read: ReadPage },
  query: EventQuery,
  seconds: number,
): Promise<EventPage> {
  const held = shutdown.hold(req, res)
  try {
    return await ledger.waitFor(query, seconds, held.signal, read)
  } catch (error) {
    if (!shutdown.begun || hasLeft(res)) throw error
    // The server stops: whoever waits gets what there is.
    return read(query, whenGone(res))
  }
}

/** Aborts once the connection is closed, also where it was closed before: the answer has no reader any more. */
export function whenGone(res: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (hasLeft(res)) gone.abort()
  else res.once('close', () => gone.abort())
  return gone.signal
}

/** Assembled around the stored JSON texts: no event is parsed or written anew. */
function toPageReply(page: EventPage): Reply {
  return { status: 200, body: ['{"items":[', page.items, endOfPage(page)] }
}

function endOfPage(page: PageSummary): string {
  const members = {
    count: page.count,
    latest_captured_at: timestampOrNull(page.latestCapturedAt),
    next_since: timestampOrNull(page.nextSince),
    has_more: page.hasMore,
    head: timestampOrNull(page.head),
    epoch: page.epoch,
  }
  return `],${JSON.stringify(members).slice(1)}`
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
