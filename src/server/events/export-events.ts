import { retryWhileBusy } from '../../ledger/wait-for-events.js'
import { AppError } from '../../model/app-error.js'
import { type EventQuery, eventsOf, QUERY_LIMITS, restOfPage } from '../../model/events/event-query.js'
import { toTimestamp } from '../../model/timestamp.js'
import { BodyWriter } from '../answer/body-writer.js'
import { apiHeaders } from '../answer/reply.js'
import { documented, type LedgerEndpoint, type RouteDoc } from '../http/route.js'
import { splitElements } from '../request/split-json.js'
import { CSV_HEAD, csvLine } from './event-csv.js'
import { EXPORT_PARAMETERS, type ExportFormat, readExportQuery } from './event-query-params.js'
import { createPageReader } from './page-reader.js'
import type { QueryEventsParts } from './read-events.js'

interface Format {
  type: string
  query: Pick<EventQuery, 'withoutPayload'>
  /** Text before the first event, and between the pages. */
  head: string
  between: string
  /** The lines of a page; may reuse the bytes of the page. @param items JSON texts, joined by commas */
  toLines: (items: Buffer) => Buffer
}

const FORMATS: Record<ExportFormat, Format> = {
  jsonl: { type: 'application/x-ndjson', query: {}, head: '', between: '\n', toLines: toJsonLines },
  csv: {
    type: 'text/csv; charset=utf-8',
    query: { withoutPayload: true },
    head: CSV_HEAD,
    between: '',
    toLines: items => toOwnBytes(eventsOf({ items }).map(csvLine).join('')),
  },
}
const LINE_FEED = 0x0a

/**
 * `GET /api/export`: every event that matches when the export begins, in the ledger's order. It reads the next page
 * when the reader has received the last one, and waits while the ledger is busy. If an export cannot continue, its
 * connection is cut, so it never looks complete.
 *
 * @throws AppError `invalid/bad_request` in HTTP/1.0, where a closed connection also ends a complete answer
 */
export function exportEvents({ ledger, shutdown, now, checkMayRead, budget }: QueryEventsParts): LedgerEndpoint {
  return documented(DOC, async (req, res) => {
    if (req.httpVersionMinor === 0) throw tooOldHttp()
    const began = now()
    const { matching, format: name } = readExportQuery(req.search, began)
    const format = FORMATS[name]
    const { signal } = shutdown.hold(req, res, 'export')
    const room = budget.roomFor(res)
    const read = createPageReader((query, signal) => ledger.query(query, signal), room)
    let query: EventQuery = { ...matching, ...format.query, order: 'asc', limit: QUERY_LIMITS.limit }
    let page = await read(query, signal)
    const file = `daybook-events-${toTimestamp(began).slice(0, 19).replaceAll(':', '')}Z.${name}`
    res.writeHead(200, [
      ...[...apiHeaders(req), 'Content-Type', format.type, 'X-Accel-Buffering', 'no'],
      ...['Content-Disposition', `attachment; filename="${file}"`],
    ])
    if (req.method === 'HEAD') {
      res.end()
      return undefined
    }
    const writer = new BodyWriter(res, room, budget.limits.takenMs)
    let before = format.head
    for (;;) {
      if (page.count > 0) {
        const { buffer, byteOffset, byteLength } = page.items
        const lines = format.toLines(Buffer.from(buffer, byteOffset, byteLength))
        room.hold(lines.length)
        await writer.write(lines, before)
        budget.free(page.items)
        budget.free(lines)
        room.hold(0)
        before = format.between
      }
      if (writer.isOver || !page.hasMore) break
      await checkMayRead(req)
      query = { ...restOfPage(query, page), limit: query.limit }
      page = await retryWhileBusy(() => read(query, signal), signal)
    }
    await writer.end(before)
    return undefined
  })
}

function tooOldHttp(): AppError {
  return new AppError(
    'invalid',
    'bad_request',
    'An export needs HTTP/1.1: in HTTP/1.0 its reader cannot see that it is incomplete.',
    {
      hint: 'If a proxy asks, configure it to use HTTP/1.1.',
    },
  )
}

/** Not `Buffer.from`: it may take the bytes from Node's shared pool, which cannot be freed with them. */
function toOwnBytes(text: string): Buffer {
  return Buffer.from(new TextEncoder().encode(text).buffer)
}

/** The commas between the events become line feeds. */
function toJsonLines(items: Buffer): Buffer {
  let end = 0
  for (const event of splitElements(items)) {
    end += event.length
    if (end < items.length) items[end++] = LINE_FEED
  }
  return items
}

const DOC: RouteDoc = {
  summary: 'Every event that matches, oldest first, as a file',
  description: 'Sends events as they are read; the connection of a slow reader is closed.',
  query: EXPORT_PARAMETERS,
  answers: {
    200: {
      description: 'The events as JSON Lines, or as CSV; complete if the body ends properly',
      type: ['application/x-ndjson', 'text/csv'],
    },
  },
}
