import type { ServerResponse } from 'node:http'
import { Compile } from '#typebox/compile'
import { AppError, refusedInput } from '../../model/app-error.js'
import { toFailure } from '../../model/failure.js'
import { toFieldProblems } from '../../model/field-problems.js'
import {
  type CaptureLine,
  type CaptureProgress,
  type CaptureRequest,
  CaptureRequestSchema,
  type CaptureResult,
  type CaptureTotals,
} from '../../model/subscriptions/capture.js'
import type { StreamTimes } from '../answer/paced-answer.js'
import { apiHeaders } from '../answer/reply.js'
import { documented, type Endpoint, type RouteDoc } from '../http/route.js'
import type { Shutdown } from '../http/shutdown.js'
import type { ReadJsonBody } from '../request/body.js'

/** Captures watches into the served ledger. */
export interface ServedCaptures {
  run(
    request: CaptureRequest,
    call: { signal: AbortSignal; onProgress: (progress: CaptureProgress) => void },
  ): Promise<CaptureResult>
  /** Since the server started. */
  totals(): CaptureTotals
}

export interface CaptureRouteParts {
  captures: ServedCaptures
  readJsonBody: ReadJsonBody
  shutdown: Shutdown
  times: Pick<StreamTimes, 'heartbeatMs'>
}

const MAX_BYTES = 256 * 1024
const check = Compile(CaptureRequestSchema)

/**
 * `POST /api/captures`: captures watches for a command on this machine, and reports to it in lines of JSON: `progress`,
 * finally `result` or `failure`. It ends with the connection; the events recorded until then stay.
 */
export function runCaptures({ captures, readJsonBody, shutdown, times }: CaptureRouteParts): Endpoint {
  return documented(DOC, async (req, res) => {
    const request = readRequest(await readJsonBody(req, res, MAX_BYTES))
    req.isHeld = true
    const open = shutdown.open()
    res.once('close', open.end)
    res.writeHead(200, [...apiHeaders(req), 'Content-Type', 'application/x-ndjson'])
    const report = (line: CaptureLine) => res.write(`${JSON.stringify(line)}\n`)
    const heartbeat = setInterval(() => res.write('\n'), times.heartbeatMs)
    try {
      const onProgress = (progress: CaptureProgress) => report({ progress })
      report({ result: await captures.run(request, { signal: open.signal, onProgress }) })
    } catch (error) {
      const refusal = open.signal.aborted ? stopping() : error
      if (!(refusal instanceof AppError)) throw error
      report({ failure: toFailure(refusal) })
    } finally {
      clearInterval(heartbeat)
    }
    await ended(res)
    return undefined
  })
}

function readRequest(input: unknown): CaptureRequest {
  if (!check.Check(input)) throw refusedInput('The capture', toFieldProblems(check.Errors(input), input))
  return input
}

function stopping(): AppError {
  return new AppError('unavailable', 'stopping', 'The server stops. Run it again to continue from what is recorded.')
}

function ended(res: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    if (res.closed) resolve()
    else res.end(resolve)
  })
}

const DOC: RouteDoc = {
  summary: 'Captures watches; for commands on this machine, over the socket of the process that owns the ledger',
  description: 'Reports progress as JSON lines, and ends with the result.',
  body: { 'application/json': CaptureRequestSchema },
  answers: {
    200: {
      description: 'Lines of JSON: `progress` repeatedly, finally `result` or `failure`',
      type: 'application/x-ndjson',
    },
  },
}
