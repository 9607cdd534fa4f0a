import { Compile } from '#typebox/compile'
import { invalidField, refusedInput } from '../../model/app-error.js'
import { toFieldProblems } from '../../model/field-problems.js'
import { readHookUrl } from '../../model/platforms/hook-address.js'
import {
  type ReconcileProgress,
  type ReconcileRequest,
  ReconcileRequestSchema,
  type ReconcileResult,
} from '../../model/platforms/reconciliation.js'
import { answerWithProgress, type ProgressLinesParts } from '../answer/progress-lines.js'
import { documented, type Endpoint, type RouteDoc } from '../http/route.js'
import type { ReadJsonBody } from '../request/body.js'

/** Compares what platforms have delivered with the served ledger. */
export interface ServedReconciliations {
  run(
    request: ReconcileRequest,
    call: { signal: AbortSignal; onProgress: (progress: ReconcileProgress) => void },
  ): Promise<ReconcileResult>
}

export interface ReconcileRouteParts extends ProgressLinesParts {
  reconciliations: ServedReconciliations
  readJsonBody: ReadJsonBody
}

const MAX_BYTES = 512 * 1024
const check = Compile(ReconcileRequestSchema)

/** `POST /api/reconciliations`: finds and fetches missed deliveries for a command on this machine. */
export function runReconciliation({ reconciliations, readJsonBody, ...parts }: ReconcileRouteParts): Endpoint {
  return documented(DOC, async (req, res) => {
    const request = readRequest(await readJsonBody(req, res, MAX_BYTES))
    return answerWithProgress(parts, { req, res }, call => reconciliations.run(request, call))
  })
}

function readRequest(input: unknown): ReconcileRequest {
  if (!check.Check(input)) throw refusedInput('The reconciliation', toFieldProblems(check.Errors(input), input))
  for (const [index, { source, url }] of input.hooks.entries()) {
    if (readHookUrl(source, url) !== url) throw invalidField(`/hooks/${index}/url`, `It is not a hook of ${source}.`)
  }
  return input
}

const DOC: RouteDoc = {
  summary:
    'Finds and fetches missed deliveries; for commands on this machine, over the socket of the owner of the ledger',
  description: 'Reports progress as JSON lines, and ends with the result.',
  body: { 'application/json': ReconcileRequestSchema },
  answers: {
    200: {
      description: 'Lines of JSON: `progress` repeatedly, finally `result` or `failure`',
      type: 'application/x-ndjson',
    },
  },
}
