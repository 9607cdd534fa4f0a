import { refusedInput } from '../../model/app-error.js'
import { toFieldProblems } from '../../model/field-problems.js'
import { schemaCheck } from '../../model/schema-check.js'
import {
  type CaptureProgress,
  type CaptureRequest,
  CaptureRequestSchema,
  type CaptureResult,
  type CaptureTotals,
} from '../../model/subscriptions/capture.js'
import type { LiveReport } from '../../model/subscriptions/live-capture.js'
import { answerWithProgress, type ProgressLinesParts } from '../answer/progress-lines.js'
import { documented, type Endpoint, type RouteDoc } from '../http/route.js'
import type { ReadJsonBody } from '../request/body.js'

/** Captures watches into the served ledger. */
export interface ServedCaptures {
  run(
    request: CaptureRequest,
    call: { signal: AbortSignal; onProgress: (progress: CaptureProgress) => void },
  ): Promise<CaptureResult>
  /** Totals since the server started. */
  totals(): CaptureTotals
  /** Absent, or returns undefined, if no event queue is read. */
  live?(): LiveReport | undefined
}

interface CaptureRouteParts extends ProgressLinesParts {
  captures: ServedCaptures
  readJsonBody: ReadJsonBody
}

const MAX_BYTES = 256 * 1024
const check = schemaCheck(CaptureRequestSchema)

/**
 * `POST /api/captures`: captures watches for a command on this machine, and reports to it in lines of JSON: `progress`,
 * finally `result` or `failure`. The capture ends with the connection; events recorded until then stay.
 */
export function runCaptures({ captures, readJsonBody, ...parts }: CaptureRouteParts): Endpoint {
  return documented(DOC, async (req, res) => {
    const request = readRequest(await readJsonBody(req, res, MAX_BYTES))
    return answerWithProgress(parts, { req, res }, call => captures.run(request, call))
  })
}

function readRequest(input: unknown): CaptureRequest {
  if (!check.Check(input)) throw refusedInput('The capture', toFieldProblems(check.Errors(input), input))
  return input
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
