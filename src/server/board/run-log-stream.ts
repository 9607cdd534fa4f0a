import { type Executor, isFinished } from '../../board/executor.js'
import { LogText } from '../../model/board/log-text.js'
import type { LogPiece } from '../../model/board/run.js'
import { untilClosed } from '../body-writer.js'
import { PacedAnswer, type StreamTimes } from '../paced-answer.js'
import { pathParam } from '../path-param.js'
import { QueryString } from '../query-string.js'
import type { Reply } from '../route.js'
import { beginEvents, endOnceRefused, isRefusal, lastEventId } from '../server-sent-events.js'
import type { Shutdown } from '../shutdown.js'
import type { BoardHandler, BoardRequest } from './board-route.js'
import type { ShowPlan } from './shown-plan.js'

export interface RunLogParts {
  executor: Executor
  shutdown: Shutdown
  times: StreamTimes
  /** Rejects once the sender of the request may no longer read: a stream outlives a login. */
  mayRead: (req: BoardRequest) => Promise<void>
  planShownTo: (req: BoardRequest) => Promise<ShowPlan>
}

/** As many pieces as a run can have written; also as many as `QueryString` reads. */
const MAX_SEQ = 999_999_999

/**
 * `GET /api/runs/:id/log`: the log of a run as server-sent events, one for each piece, `id:` its `seq`, so that a reader
 * that connects again (`Last-Event-ID`, or `after`) goes on where it was. `event: end` with the run comes last, once the
 * run is over. A reader that takes nothing for long is sent `event: dropped` and let go. With `format=text` it is what
 * the log holds now, as text.
 *
 * Source: WHATWG HTML, "Server-sent events".
 */
export function runLog({ executor, shutdown, times, mayRead, planShownTo }: RunLogParts): BoardHandler {
  return async (req, res) => {
    const { after, format } = readLogRequest(req)
    const { id } = await executor.get(pathParam(req, 1))
    if (format === 'text') return toText(await executor.log(id, after))

    const show = await planShownTo(req)
    const open = shutdown.hold(req, res)
    if (!beginEvents(req, res)) return undefined
    let sent = after
    const answer = new PacedAnswer(res, {
      ...{ times, open },
      beat: () => ': heartbeat\n\n',
      farewell: () => message('dropped', { after: sent }),
    })
    const stopAsking = endOnceRefused(open, () => mayRead(req), times.heartbeatMs)
    try {
      // It may take a while until anything is said; until then a proxy could take the answer for lost.
      answer.write(': log\n\n')
      for await (const pieces of executor.follow(id, after, open.signal)) {
        await mayRead(req)
        await answer.deliver(pieces.map(toMessage).join(''))
        sent = pieces.at(-1)?.seq ?? sent
      }
      const run = await executor.find(id)
      if (run && isFinished(run) && !open.signal.aborted) await answer.deliver(message('end', show(run)))
    } catch (error) {
      if (!open.signal.aborted && !isRefusal(error)) throw error
    } finally {
      stopAsking()
      answer.end()
    }
    await untilClosed(res)
    return undefined
  }
}

function readLogRequest(req: BoardRequest): { after: number; format: 'events' | 'text' } {
  const query = new QueryString(req.search, ['after', 'format'])
  const given = query.integer('after', { min: 0, max: MAX_SEQ })
  const format = query.oneOf('format', ['events', 'text']) ?? 'events'
  const resumed = lastEventId(req.headers)
  // It knows better than the address where it stopped. `EventSource` sends an empty one until it got any.
  const after = resumed ? Number(resumed) : (given ?? 0)
  if (resumed && (!/^\d{1,9}$/.test(resumed) || after > MAX_SEQ)) {
    query.refuse('Last-Event-ID', 'Last-Event-ID must be the seq of a piece, a whole number.')
  }
  query.finish()
  return { after, format }
}

function toText(pieces: readonly LogPiece[]): Reply {
  const text = new LogText()
  return { status: 200, type: 'text/plain; charset=utf-8', body: pieces.map(piece => text.add(piece)).join('') }
}

function toMessage(piece: LogPiece): string {
  return `id: ${piece.seq}\ndata: ${JSON.stringify(piece)}\n\n`
}

function message(event: 'end' | 'dropped', value: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`
}
