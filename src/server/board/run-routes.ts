import Type, { type Static } from '#typebox'
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
import { schemaCheck } from '../../model/schema-check.js'
import { json } from '../answer/reply.js'
import { documented, type ParameterDoc, type RouteDoc } from '../http/route.js'
import type { ReadJsonBody } from '../request/body.js'
import { pathParam } from '../request/path-param.js'
import { QueryString } from '../request/query-string.js'
import type { BoardEndpoint, BoardRequest } from './board-route.js'
import { cardActor } from './card-actor.js'
import type { ShowPlan } from './shown-plan.js'

interface RunRouteParts {
  executor: Executor
  planShownTo: (req: BoardRequest) => Promise<ShowPlan>
}

export interface StartRunParts extends RunRouteParts {
  gate: Pick<Gate, 'admitExecution'>
  readJsonBody: ReadJsonBody
  /** The parts of a request by which the gate admits a real run. */
  executionFacts: (req: BoardRequest) => Pick<RequestFacts, 'executorToken' | 'address'>
}

const NewRunSchema = Type.Object(
  { mode: Type.Enum(RUN_MODES, { description: 'Only real starts a program; it needs X-Board-Executor-Token.' }) },
  { additionalProperties: false },
)
const check = schemaCheck(NewRunSchema)
/** The largest body of a new run. */
export const MAX_NEW_RUN_BYTES = 4 * 1024
const MAX_ID_CHARACTERS = 200
/** The largest integer that `QueryString` reads. */
const MAX_AFTER = 999_999_999

/** `POST /api/cards/:id/runs` */
export function startRun({ executor, gate, readJsonBody, executionFacts, planShownTo }: StartRunParts): BoardEndpoint {
  return documented(DOCS.startRun, async (req, res) => {
    const { mode } = readNewRun(await readJsonBody(req, res, MAX_NEW_RUN_BYTES))
    // The mode is in the body, so the token could not be required earlier.
    if (mode === 'real') await gate.admitExecution(executionFacts(req))
    const show = await planShownTo(req)
    const run = await executor.start(pathParam(req, 1), mode, cardActor(req.identity))
    req.isNotable = mode === 'real'
    req.logged = { run: run.id, mode }
    return json(201, show(run))
  })
}

/** `GET /api/runs` */
export function listRuns({ executor, planShownTo }: RunRouteParts): BoardEndpoint {
  return documented(DOCS.listRuns, async req => {
    const query = new QueryString(req.search, ['card_id', 'state', 'limit', 'after'])
    const card_id = query.text('card_id', MAX_ID_CHARACTERS)
    const state = query.oneOf('state', RUN_STATES)
    const limit = query.integer('limit', { min: 1, max: RUN_LIMITS.pageSize.max }) ?? RUN_LIMITS.pageSize.default
    const after = query.integer('after', { min: 0, max: MAX_AFTER }) ?? null
    query.finish()
    const filter = { ...(card_id === undefined ? {} : { card_id }), ...(state === undefined ? {} : { state }) }
    const { items, next } = await executor.list(filter, { limit, after })
    return json(200, { items: items.map(await planShownTo(req)), count: items.length, next })
  })
}

/** `GET /api/runs/:id` */
export function getRun({ executor, planShownTo }: RunRouteParts): BoardEndpoint {
  return documented(DOCS.getRun, async req => json(200, (await planShownTo(req))(await executor.get(pathParam(req)))))
}

/** `POST /api/runs/:id/cancel` */
export function cancelRun({ executor }: Pick<RunRouteParts, 'executor'>): BoardEndpoint {
  return documented(DOCS.cancelRun, async req =>
    json(200, await executor.cancel(pathParam(req, 1), cardActor(req.identity))),
  )
}

/** `GET /api/executor` */
export function executorStatus({ executor, planShownTo }: RunRouteParts): BoardEndpoint {
  return documented(DOCS.executorStatus, async req => json(200, (await planShownTo(req))(await executor.status())))
}

/** `POST /api/executor/pause` */
export function pauseExecutor({ executor }: Pick<RunRouteParts, 'executor'>): BoardEndpoint {
  return documented(DOCS.pauseExecutor, async () => json(200, await executor.pause()))
}

/** `POST /api/executor/resume` */
export function resumeExecutor({ executor }: Pick<RunRouteParts, 'executor'>): BoardEndpoint {
  return documented(DOCS.resumeExecutor, async () => json(200, await executor.resume()))
}

function readNewRun(input: unknown): Static<typeof NewRunSchema> {
  if (!check.Check(input)) throw refusedInput('The run', toFieldProblems(check.Errors(input), input))
  return input
}

const EXECUTOR_TOKEN: ParameterDoc = {
  name: 'X-Board-Executor-Token',
  description: "The executor's token, in addition to the credentials that the gate requires.",
  schema: Type.String(),
}
/** Shows the command in runs. */
export const SHOWS_COMMAND: ParameterDoc = {
  ...EXECUTOR_TOKEN,
  description: "The executor's token: the answer then shows the command.",
}

const AFTER: ParameterDoc = { name: 'after', description: '`next` of the previous page.', schema: Type.Integer() }

const STATUS_ANSWER = { 200: { description: 'The new status', schema: ExecutorStatusSchema } }

const DOCS = {
  startRun: {
    summary: 'Runs a card: `dry_run` shows what would run, `mock` plays a run, `real` starts the program',
    description:
      'Runs are queued, and one runs at a time; only a real run starts a process, and it needs the executor token.',
    headers: [{ ...EXECUTOR_TOKEN, description: 'A real run needs it; a dry run shows the command with it.' }],
    body: { 'application/json': NewRunSchema },
    answers: { 201: { description: 'The run, which may be queued', schema: RunSchema } },
  },
  listRuns: {
    summary: 'Runs by filters, newest first',
    description: 'Continue with `after` set to the `next` of the previous page.',
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
    description: 'Has the state of the run, and what it runs if the executor token was sent.',
    headers: [SHOWS_COMMAND],
    answers: { 200: { description: 'The run', schema: RunSchema } },
  },
  cancelRun: {
    summary: 'Ends a run with all its processes, and answers when it has ended',
    description: 'A run that has ended already stays as it is.',
    headers: [EXECUTOR_TOKEN],
    answers: { 200: { description: 'The ended run', schema: RunSchema } },
  },
  executorStatus: {
    summary: 'The state of the executor, and the program that it would start',
    description: 'Shows whether runs are started, which one is running and how many wait.',
    headers: [SHOWS_COMMAND],
    answers: STATUS_ANSWER,
  },
  pauseExecutor: {
    summary: 'Starts no further runs, also after a restart; the current run continues',
    description: 'New runs wait in the queue until the executor is resumed.',
    headers: [EXECUTOR_TOKEN],
    answers: STATUS_ANSWER,
  },
  resumeExecutor: {
    summary: 'Starts runs again',
    description: 'The queue continues with the oldest run.',
    headers: [EXECUTOR_TOKEN],
    answers: STATUS_ANSWER,
  },
} satisfies Record<string, RouteDoc>
