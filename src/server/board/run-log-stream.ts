import Type from '#typebox'
import type { Executor } from '../../board/executor.js'
import { isRefusal } from '../../model/app-error.js'
import { LogText } from '../../model/board/log-text.js'
import { isFinished, type LogPiece } from '../../model/board/run.js'
import { untilClosed } from '../answer/body-writer.js'
import { beginEventStream, endOnceRefused, lastEventId } from '../answer/event-stream-response.js'
import { PacedAnswer, type StreamTimes } from '../answer/paced-answer.js'
import { documented, type Reply, type RouteDoc } from '../http/route.js'
import type { Shutdown } from '../http/shutdown.js'
import { pathParam } from '../request/path-param.js'
import { QueryString } from '../request/query-string.js'
import type { BoardEndpoint, BoardRequest } from './board-route.js'
import { SHOWS_COMMAND } from './run-routes.js'
import type { ShowPlan } from './shown-plan.js'

interface RunLogParts {
  executor: Executor
  shutdown: Shutdown
  times: StreamTimes
  /** Rejects when the sender of the request may no longer read: a stream outlives a login. */
  checkMayRead: (req: BoardRequest) => Promise<void>
  planShownTo: (req: BoardRequest) => Promise<ShowPlan>
}

/** The largest `seq` of a run, and the largest integer that `QueryString` reads. */
const MAX_SEQ = 999_999_999

/**
 * `GET /api/runs/:id/log`: the log of a run as server-sent events, one for each piece, with its `seq` as `id:`, so that
 * a reader that reconnects (`Last-Event-ID`, or `after`) continues where it stopped. When the run has ended, the last
 * message is `event: end` with the run. A reader that reads nothing for too long receives `event: dropped`, and the
 * connection is closed. With `format=text` the answer is the current log as text.
 *
 * Source: WHATWG HTML, "Server-sent events".
 */
export function runLog({ executor, shutdown, times, checkMayRead, planShownTo }: RunLogParts): BoardEndpoint {
  return documented(DOC, async (req, res) => {
    const { after, format } = readLogRequest(req)
    const { id } = await executor.get(pathParam(req, 1))
    if (format === 'text') return toText(await executor.log(id, after))

    const show = await planShownTo(req)
    const open = shutdown.hold(req, res, 'run_log')
    if (!beginEventStream(req, res)) return undefined
    let sent = after
    const answer = new PacedAnswer(res, {
      times,
      open,
      beat: () => ': heartbeat\n\n',
      farewell: () => message('dropped', { after: sent }),
    })
    const stopAsking = endOnceRefused(open, () => checkMayRead(req), times.heartbeatMs)
    try {
      // The first piece may take a long time, and a proxy could give up without any byte.
      answer.write(': log\n\n')
      for await (const pieces of executor.follow(id, after, open.signal)) {
        await checkMayRead(req)
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
  })
}

function readLogRequest(req: BoardRequest): { after: number; format: 'events' | 'text' } {
  const query = new QueryString(req.search, ['after', 'format'])
  const given = query.integer('after', { min: 0, max: MAX_SEQ })
  const format = query.oneOf('format', ['events', 'text']) ?? 'events'
  const resumed = lastEventId(req.headers)
  // `Last-Event-ID` takes precedence over the address. `EventSource` sends an empty one before the first event.
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

const DOC: RouteDoc = {
  summary: "A run's log, as server-sent events while it is written, or as text",
  description: 'The stream ends when the run ends; a reader that reconnects continues after the last piece it knows.',
  query: [
    {
      name: 'after',
      description: '`seq` of the last known piece; only later pieces are sent.',
      schema: Type.Integer(),
    },
    {
      name: 'format',
      description: '`text`: the present log as text, immediately.',
      schema: Type.Enum(['events', 'text']),
    },
  ],
  headers: [
    { name: 'Last-Event-ID', description: 'The same as `after`, and takes precedence.', schema: Type.String() },
    SHOWS_COMMAND,
  ],
  answers: {
    200: {
      description: 'A message for each piece, its id the `seq`; `event: end` with the run is the last',
      type: ['text/event-stream', 'text/plain'],
    },
  },
}
