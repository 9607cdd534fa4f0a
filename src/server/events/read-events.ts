import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import Type from '#typebox'
import type { Identity } from '../../accounts/identity.js'
import type { ReadPage, WrapRead } from '../../ledger/wait-for-events.js'
import type { EventFacets } from '../../model/events/event-facets.js'
import type { EventHistogram } from '../../model/events/event-histogram.js'
import {
  type EventPage,
  type EventQuery,
  isRange,
  joinPages,
  type PageSummary,
  restOfPage,
} from '../../model/events/event-query.js'
import { EventPageSchema, FacetsSchema, HistogramSchema, named } from '../../model/ledger-answers.js'
import { type Micros, timestampOrNull, toTimestamp } from '../../model/timestamp.js'
import type { AnswerBudget } from '../answer/answer-budget.js'
import { BodyWriter } from '../answer/body-writer.js'
import { bestEncoding } from '../answer/compressed.js'
import { CompressedWriter } from '../answer/compressed-writer.js'
import { apiHeaders, json } from '../answer/reply.js'
import { closeSignal, hasLeft } from '../answer/slow-reader.js'
import { documented, type HttpRequest, type LedgerEndpoint, type Reply } from '../http/route.js'
import type { Shutdown } from '../http/shutdown.js'
import type { ServedLedger } from '../ledger/served-ledger.js'
import { listedNames } from '../request/accepted-encodings.js'
import { pathParam } from '../request/path-param.js'
import { pickMembers } from './event-fields.js'
import {
  EVENT_PARAMETERS,
  FACET_PARAMETERS,
  HISTOGRAM_PARAMETERS,
  readEventQuery,
  readFacetQuery,
  readHistogramQuery,
} from './event-query-params.js'
import { createPageReader, isPiece } from './page-reader.js'

export interface QueryEventsParts {
  ledger: ServedLedger
  shutdown: Shutdown
  now: () => Micros
  /** Rejects once the caller may no longer read. */
  checkMayRead: (req: HttpRequest<Identity>) => Promise<void>
  budget: AnswerBudget
}

/** A page that would become larger ends early with `has_more`. It has at least one event. */
const PAGE_BYTES = 16 * 1024 * 1024
const NOTHING = new Uint8Array()

/** `GET /api/events`: a page by filters and checkpoint, immediately or, with `wait`, as soon as something matches. */
export function queryEvents({ ledger, shutdown, now, checkMayRead, budget }: QueryEventsParts): LedgerEndpoint {
  return documented(DOCS.queryEvents, async (req, res) => {
    const { query, waitSeconds, fields } = readEventQuery(req.search, now())
    const shown = (items: Uint8Array) => (fields ? pickMembers(items, fields) : items)
    const room = budget.roomFor(res)
    req.room = room
    const wrapRead: WrapRead = read => createPageReader(read, room)
    const read = wrapRead((query, signal) => ledger.query(query, signal))
    // A range is read in one step, which is too short to abort, and a signal costs a third of a small answer.
    const signal = isRange(query) ? undefined : closeSignal(res)
    let first: EventPage
    if (waitSeconds === undefined) {
      first = await read(query, signal)
    } else {
      first = await hold({ ledger, shutdown, req, res, wrapRead }, query, waitSeconds)
      await checkMayRead(req) // the login may have ended by now
    }
    // Other long polls may have the same bytes.
    const isOwn = waitSeconds === undefined
    if (!isPiece(query, first)) {
      if (isOwn) budget.freeWith(res, first.items)
      return toPageReply(first, shown(first.items))
    }
    const encoding = bestEncoding(req)
    res.writeHead(200, [
      ...apiHeaders(req),
      'Content-Type',
      'application/json',
      ...(encoding ? ['Content-Encoding', encoding] : []),
    ])
    if (req.method === 'HEAD') res.end()
    else {
      const writer = new BodyWriter(res, room, budget.limits.takenMs)
      await writePieces(encoding ? new CompressedWriter(writer, encoding) : writer, {
        query,
        first,
        read,
        signal,
        budget,
        shown,
        isFirstOwn: isOwn,
      })
    }
    return undefined
  })
}

/**
 * Writes a page that is larger than a piece. The next piece is read when the reader has received the previous one. The
 * length of the page is not known in advance, because a repeat may change an event in between.
 *
 * Source: docs/decisions/0030.
 */
async function writePieces(
  writer: Pick<BodyWriter, 'isOver' | 'write' | 'end'>,
  {
    query,
    first,
    read,
    signal,
    budget,
    shown,
    isFirstOwn,
  }: {
    query: EventQuery
    first: EventPage
    read: ReadPage
    signal: AbortSignal | undefined
    budget: AnswerBudget
    /** The part of these items that the answer contains. */
    shown: (items: Uint8Array) => Uint8Array
    /** Whether no other long poll has the same bytes. */
    isFirstOwn: boolean
  },
): Promise<void> {
  let page: PageSummary = first
  let bytes = 0
  try {
    for (let piece = first; piece.count > 0; ) {
      if (piece !== first) page = joinPages(query, page, piece)
      bytes += piece.items.byteLength
      await writer.write(shown(piece.items), piece === first ? '{"items":[' : ',')
      if (piece !== first || isFirstOwn) budget.free(piece.items)
      // Drops the reference, so that even shared bytes do not stay in memory while the rest of this answer is sent.
      piece.items = NOTHING
      if (writer.isOver || !isPiece(query, page)) break
      piece = await read({ ...restOfPage(query, page), maxBytes: PAGE_BYTES - bytes }, signal)
    }
  } catch (error) {
    if (!writer.isOver) throw error
  }
  await writer.end(endOfPage(page))
}

/** `GET /api/histogram`: event counts over a range, in buckets. */
export function histogram({ ledger, now }: Pick<QueryEventsParts, 'ledger' | 'now'>): LedgerEndpoint {
  return documented(DOCS.histogram, async (req, res) =>
    json(200, toColumns(await ledger.histogram(readHistogramQuery(req.search, now()), closeSignal(res)))),
  )
}

/** `GET /api/facets`: the values of the matching events, with the number of events for each. */
export function facets({ ledger, now }: Pick<QueryEventsParts, 'ledger' | 'now'>): LedgerEndpoint {
  return documented(DOCS.facets, async (req, res) =>
    json(200, toFacetCounts(await ledger.facets(readFacetQuery(req.search, now()), closeSignal(res)))),
  )
}

/** `GET /api/events/:dedupe_key`. The key arrives percent-encoded: keys hold `:` and `/`. */
export function getEvent({ ledger, budget }: Pick<QueryEventsParts, 'ledger' | 'budget'>): LedgerEndpoint {
  return documented(DOCS.getEvent, async (req, res) => {
    const admit = (bytes: number) => {
      req.room ??= budget.roomFor(res)
      return req.room.reserve(bytes)
    }
    const body = await ledger.getEvent(pathParam(req), admit)
    const tag = entityTag(body)
    const isKnown = listedNames(req.headers['if-none-match']).some(known => known === '*' || `W/${known}` === tag)
    return { ...(isKnown ? { status: 304, body: '' } : { status: 200, body }), headers: ['ETag', tag] }
  })
}

/** Weak, because the compressed answer has other bytes. A repeat changes the tag, because it changes `seen_count`. */
function entityTag(body: Uint8Array): string {
  return `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
}

async function hold(
  {
    ledger,
    shutdown,
    req,
    res,
    wrapRead,
  }: Pick<QueryEventsParts, 'ledger' | 'shutdown'> & { req: HttpRequest; res: ServerResponse; wrapRead: WrapRead },
  query: EventQuery,
  seconds: number,
): Promise<EventPage> {
  const held = shutdown.hold(req, res, 'poll')
  try {
    return await ledger.waitFor(query, seconds, held.signal, wrapRead)
  } catch (error) {
    if (!shutdown.begun || hasLeft(res)) throw error
    // The server stops: a waiting caller gets the page as it is now.
    return wrapRead((query, signal) => ledger.query(query, signal))(query, closeSignal(res))
  }
}

/** Assembles the answer around the stored JSON texts: no event is parsed or serialised again. */
function toPageReply(page: EventPage, items: Uint8Array): Reply {
  return { status: 200, body: ['{"items":[', items, endOfPage(page)] }
}

function endOfPage(page: PageSummary): string {
  const members = {
    count: page.count,
    latest_captured_at: timestampOrNull(page.latestCapturedAt),
    next_since: timestampOrNull(page.nextSince),
    has_more: page.hasMore,
    head: timestampOrNull(page.head),
    earliest: timestampOrNull(page.earliest),
    epoch: page.epoch,
  }
  return `],${JSON.stringify(members).slice(1)}`
}

function toColumns(histogram: EventHistogram) {
  const { from, to, starts, counts, count, bySource, byOutcome, countedFrom, head, epoch } = histogram
  return {
    from: timestampOrNull(from),
    to: timestampOrNull(to),
    starts: starts.map(toTimestamp),
    counts,
    count,
    by_source: Object.fromEntries(bySource.map(({ source, ...columns }) => [source, columns])),
    ...(byOutcome && {
      by_outcome: Object.fromEntries(byOutcome.map(({ outcome, ...columns }) => [outcome, columns])),
    }),
    complete: countedFrom === from,
    counted_from: timestampOrNull(countedFrom),
    head: timestampOrNull(head),
    epoch,
  }
}

function toFacetCounts({ from, to, count, values, countedFrom, head, epoch }: EventFacets) {
  return {
    from: timestampOrNull(from),
    to: timestampOrNull(to),
    count,
    facets: values,
    complete: countedFrom === from,
    counted_from: timestampOrNull(countedFrom),
    head: timestampOrNull(head),
    epoch,
  }
}

const DOCS = {
  queryEvents: {
    summary: 'Events by filters and checkpoint',
    description: 'Newest first without `since`; with `since`, oldest first, for consumers that save `next_since`.',
    query: EVENT_PARAMETERS,
    answers: { 200: { description: 'A page and its checkpoint', schema: EventPageSchema } },
  },
  histogram: {
    summary: 'How many events there are over a range, by source, in equal parts of it',
    description: 'Counts the events that the same filters of `GET /api/events` match.',
    query: HISTOGRAM_PARAMETERS,
    answers: { 200: { description: 'The counts, in columns', schema: HistogramSchema } },
  },
  facets: {
    summary: 'Which sources, kinds, outcomes and actors the matching events have, with counts',
    description: 'For menus of filters; counts the most frequent values.',
    query: FACET_PARAMETERS,
    answers: { 200: { description: 'The counts by value', schema: FacetsSchema } },
  },
  getEvent: {
    summary: 'One stored event',
    description: 'With its payload; the answer has an `ETag`, and 304 saves sending it again.',
    headers: [
      { name: 'If-None-Match', description: 'The `ETag` of an earlier answer, or several.', schema: Type.String() },
    ],
    answers: {
      200: { description: 'The event', schema: named('Event') },
      304: { description: 'It is still the one with that `ETag`' },
    },
  },
}
