import Type, { type Static } from '#typebox'
import { Compile } from '#typebox/compile'
import type { Executor } from '../../board/executor.js'
import type { Gate, RequestFacts } from '../../gate/gate.js'
import { refusedInput } from '../../model/app-error.js'
import {
  ExecutorStatusSchema,
  RUN_LIMITS,
  RUN_MODES,
  RUN_STATES,
  RunListSchema,
  RunSchema,
} from '../../model/board/run.js'
import { toFieldProblems } from '../../model/field-problems.js'
import type { ReadJsonBody } from '../json-body.js'
import { pathParam } from '../path-param.js'
import { QueryString } from '../query-string.js'
import { json } from '../reply.js'
import type { ParameterDoc, RouteDoc } from '../route.js'
import type { BoardHandler, BoardRequest } from './board-route.js'
import type { ShowPlan } from './shown-plan.js'

/** What routes need that show runs, or the executor. */
export interface RunViewParts {
  executor: Executor
  planShownTo: (req: BoardRequest) => Promise<ShowPlan>
}

export interface StartRunParts extends RunViewParts {
  gate: Pick<Gate, 'admitExecution'>
  readJsonBody: ReadJsonBody
  /** Of a request, what the gate looks at to allow a real run. */
  executionFacts: (req: BoardRequest) => Pick<RequestFacts, 'executorToken' | 'address'>
}

const NewRunSchema = Type.Object(
  { mode: Type.Enum(RUN_MODES, { description: 'Only real starts anything; it needs X-Board-Executor-Token.' }) },
  { additionalProperties: false },
)
const check = Compile(NewRunSchema)
/** Of the body of a new run. */
export const NEW_RUN_BYTES = 4 * 1024
const MAX_ID_CHARACTERS = 200
/** As many as `QueryString` reads. */
const MAX_AFTER = 999_999_999

/** `POST /api/cards/:id/runs` */
export function startRun({ executor, gate, readJsonBody, executionFacts, planShownTo }: StartRunParts): BoardHandler {
  return async (req, res) => {
    const { mode } = readNewRun(await readJsonBody(req, res, NEW_RUN_BYTES))
    // Which mode it is stands in the body, so it could not be asked for before.
    if (mode === 'real') await gate.admitExecution(executionFacts(req))
    const show = await planShownTo(req)
    const run = await executor.start(pathParam(req, 1), mode)
    req.isNotable = mode === 'real'
    req.logged = { run: run.id, mode }
    return json(201, show(run))
  }
}

/** `GET /api/runs`: newest first. */
export function listRuns({ executor, planShownTo }: RunViewParts): BoardHandler {
  return async req => {
    const query = new QueryString(req.search, ['card_id', 'state', 'limit', 'after'])
    const card_id = query.text('card_id', MAX_ID_CHARACTERS)
    const state = query.oneOf('state', RUN_STATES)
    const limit = query.integer('limit', { min: 1, max: RUN_LIMITS.pageSize.max }) ?? RUN_LIMITS.pageSize.default
    const after = query.integer('after', { min: 0, max: MAX_AFTER }) ?? null
    query.finish()
    const filter = { ...(card_id === undefined ? {} : { card_id }), ...(state === undefined ? {} : { state }) }
    const { items, next } = await executor.list(filter, { limit, after })
    return json(200, { items: items.map(await planShownTo(req)), count: items.length, next })
  }
}

/** `GET /api/runs/:id` */
export function getRun({ executor, planShownTo }: RunViewParts): BoardHandler {
  return async req => json(200, (await planShownTo(req))(await executor.get(pathParam(req))))
}

/** `POST /api/runs/:id/cancel`: answers when the run is over. */
export function cancelRun(executor: Executor): BoardHandler {
  return async req => json(200, await executor.cancel(pathParam(req, 1)))
}

/** `GET /api/executor` */
export function executorStatus({ executor, planShownTo }: RunViewParts): BoardHandler {
  return async req => json(200, (await planShownTo(req))(await executor.status()))
}

/** `POST /api/executor/pause` */
export function pauseExecutor(executor: Executor): BoardHandler {
  return async () => json(200, await executor.pause())
}

/** `POST /api/executor/resume` */
export function resumeExecutor(executor: Executor): BoardHandler {
  return async () => json(200, await executor.resume())
}

function readNewRun(input: unknown): Static<typeof NewRunSchema> {
  if (!check.Check(input)) throw refusedInput('The run', toFieldProblems(check.Errors(input), input))
  return input
}

const EXECUTOR_TOKEN: ParameterDoc = {
  name: 'X-Board-Executor-Token',
  description: "The executor's token, besides whatever lets the request through the gate.",
  schema: Type.String(),
}
const SHOWS_COMMAND: ParameterDoc = { ...EXECUTOR_TOKEN, description: "The executor's token: shows the command." }

const AFTER: ParameterDoc = { name: 'after', description: '`next` of the page before.', schema: Type.Integer() }

const STATUS_ANSWER = { 200: { description: 'How it stands now', schema: ExecutorStatusSchema } }

/** What the API description says of the routes of runs. */
export const RUN_DOCS = {
  startRun: {
    summary: 'Runs a card: `dry_run` says what would run, `mock` plays a run, `real` starts it',
    headers: [{ ...EXECUTOR_TOKEN, description: 'A real run needs it; a dry run shows the command with it.' }],
    body: { 'application/json': NewRunSchema },
    answers: { 201: { description: 'The run, which may have to wait for its turn', schema: RunSchema } },
  },
  listRuns: {
    summary: 'Runs by filters, newest first',
    query: [
      { name: 'card_id', description: 'Of this card.', schema: Type.String() },
      { name: 'state', description: 'In this state.', schema: Type.Enum(RUN_STATES) },
      {
        name: 'limit',
        description: 'Runs a page.',
        schema: Type.Integer({ minimum: 1, maximum: RUN_LIMITS.pageSize.max, default: RUN_LIMITS.pageSize.default }),
      },
      AFTER,
    ],
    headers: [SHOWS_COMMAND],
    answers: { 200: { description: 'A page', schema: RunListSchema } },
  },
  getRun: {
    summary: 'One run',
    headers: [SHOWS_COMMAND],
    answers: { 200: { description: 'The run', schema: RunSchema } },
  },
  runLog: {
    summary: "A run's log, as server-sent events while it is written, or as text",
    query: [
      { ...AFTER, description: '`seq` of the last piece that is known; only what comes after it is sent.' },
      {
        name: 'format',
        description: '`text`: what the log holds now, as text, at once.',
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
        type: 'text/event-stream',
      },
    },
  },
  cancelRun: {
    summary: 'Ends a run with all its processes, and answers when it is over',
    headers: [EXECUTOR_TOKEN],
    answers: { 200: { description: 'The run as it is then', schema: RunSchema } },
  },
  executorStatus: {
    summary: 'What the executor does, and what it would start',
    headers: [SHOWS_COMMAND],
    answers: STATUS_ANSWER,
  },
  pauseExecutor: {
    summary: 'Lets no run begin, also after a restart; the one under way goes on',
    headers: [EXECUTOR_TOKEN],
    answers: STATUS_ANSWER,
  },
  resumeExecutor: { summary: 'Lets runs begin again', headers: [EXECUTOR_TOKEN], answers: STATUS_ANSWER },
} satisfies Record<string, RouteDoc>
