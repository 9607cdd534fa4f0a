import { invalidField, refusedInput } from '../../model/app-error.js'
import { toFieldProblems } from '../../model/field-problems.js'
import { readHookUrl } from '../../model/platforms/hook-address.js'
import {
  type ReconcileProgress,
  type ReconcileRequest,
  ReconcileRequestSchema,
  type ReconcileResult,
  type ReconcileStart,
  ReconcileStartSchema,
  type ReconcileStatus,
  ReconcileStatusSchema,
} from '../../model/platforms/reconciliation.js'
import { schemaCheck } from '../../model/schema-check.js'
import { answerWithProgress, type ProgressLinesParts } from '../answer/progress-lines.js'
import { json } from '../answer/reply.js'
import { documented, type Endpoint, type RouteDoc } from '../http/route.js'
import type { ReadJsonBody } from '../request/body.js'

/** Compares what platforms have delivered with the served ledger. */
export interface ServedReconciliations {
  status(): Promise<ReconcileStatus>
  /** Begins a run over the hooks. @throws AppError `conflict/reconcile_running`, `conflict/reconcile_off` */
  start(wanted: ReconcileStart): Promise<void>
  run(
    request: ReconcileRequest,
    call: { signal: AbortSignal; onProgress: (progress: ReconcileProgress) => void },
  ): Promise<ReconcileResult>
}

interface ReconcileRouteParts extends ProgressLinesParts {
  reconciliations: ServedReconciliations
  readJsonBody: ReadJsonBody
}

const MAX_BYTES = 512 * 1024
const check = schemaCheck(ReconcileRequestSchema)
const checkStart = schemaCheck(ReconcileStartSchema)

/** `GET /api/reconciliations` */
export function reconcileStatus({ reconciliations }: Pick<ReconcileRouteParts, 'reconciliations'>): Endpoint {
  return documented(STATUS_DOC, async () => json(200, await reconciliations.status()))
}

/** `POST /api/reconciliations/run`: the run continues after the request, so that the page can be closed. */
export function startReconciliation(parts: Pick<ReconcileRouteParts, 'reconciliations' | 'readJsonBody'>): Endpoint {
  const { reconciliations, readJsonBody } = parts
  return documented(START_DOC, async (req, res) => {
    const input = await readJsonBody(req, res, MAX_BYTES)
    if (!checkStart.Check(input)) throw refusedInput('The run', toFieldProblems(checkStart.Errors(input), input))
    await reconciliations.start(input)
    return json(202, await reconciliations.status())
  })
}

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

const STATUS_DOC: RouteDoc = {
  summary: 'What is compared with platforms, and what was found last',
  description: 'Hooks are those of this server, set by EVENT_RECONCILE_HOOKS_…; the rest is of the ledger.',
  answers: { 200: { description: 'The state', schema: ReconcileStatusSchema } },
}

const START_DOC: RouteDoc = {
  summary: 'Compares the hooks of the server with their platforms now, and fetches what is missing',
  description: 'Answers immediately; `GET /api/reconciliations` shows the progress and the result.',
  body: { 'application/json': ReconcileStartSchema },
  answers: { 202: { description: 'It has begun', schema: ReconcileStatusSchema } },
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
