import type { ServerResponse } from 'node:http'
import { Compile } from '#typebox/compile'
import { AppError, refusedInput } from '../model/app-error.js'
import { toFailure } from '../model/failure.js'
import { toFieldProblems } from '../model/field-problems.js'
import {
  type CaptureLine,
  type CaptureProgress,
  type CaptureRequest,
  CaptureRequestSchema,
  type CaptureResult,
} from '../model/subscriptions/capture.js'
import type { ReadJsonBody } from './json-body.js'
import { apiHeaders } from './reply.js'
import type { Handler } from './route.js'
import type { Shutdown } from './shutdown.js'

/** What captures watches into the ledger that is served. */
export interface ServedCaptures {
  run(
    request: CaptureRequest,
    call: { signal: AbortSignal; onProgress: (progress: CaptureProgress) => void },
  ): Promise<CaptureResult>
}

export interface CaptureRouteParts {
  captures: ServedCaptures
  readJsonBody: ReadJsonBody
  shutdown: Shutdown
  heartbeatMs: number
}

const MAX_BYTES = 256 * 1024
const check = Compile(CaptureRequestSchema)

/**
 * `POST /api/captures`: captures watches for a command beside this server, and tells it how that goes, one line of JSON
 * each: `progress`, at last `result` or `failure`. It ends with the connection: what was recorded by then stays.
 */
export function runCaptures({ captures, readJsonBody, shutdown, heartbeatMs }: CaptureRouteParts): Handler {
  return async (req, res) => {
    const request = readRequest(await readJsonBody(req, res, MAX_BYTES))
    req.isHeld = true
    const open = shutdown.open()
    res.once('close', open.end)
    res.writeHead(200, [...apiHeaders(req), 'Content-Type', 'application/x-ndjson'])
    const tell = (line: CaptureLine) => res.write(`${JSON.stringify(line)}\n`)
    const heartbeat = setInterval(() => res.write('\n'), heartbeatMs)
    try {
      const onProgress = (progress: CaptureProgress) => tell({ progress })
      tell({ result: await captures.run(request, { signal: open.signal, onProgress }) })
    } catch (error) {
      const refusal = open.signal.aborted ? stopping() : error
      if (!(refusal instanceof AppError)) throw error
      tell({ failure: toFailure(refusal) })
    } finally {
      clearInterval(heartbeat)
    }
    await ended(res)
    return undefined
  }
}

function readRequest(input: unknown): CaptureRequest {
  if (!check.Check(input)) throw refusedInput('The capture', toFieldProblems(check.Errors(input), input))
  return input
}

function stopping(): AppError {
  return new AppError('unavailable', 'stopping', 'The server stops. Run it again to go on from what is recorded.')
}

function ended(res: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    if (res.closed) resolve()
    else res.end(resolve)
  })
}
