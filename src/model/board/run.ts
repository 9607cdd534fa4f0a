import Type, { type Static } from '#typebox'

/** `dry_run` reports what would run; `mock` plays a run through its states; only `real` starts a process. */
export const RUN_MODES = ['dry_run', 'mock', 'real'] as const
export type RunMode = (typeof RUN_MODES)[number]

/** `interrupted`: the server ended during the run. */
export const RUN_STATES = ['queued', 'running', 'done', 'failed', 'cancelled', 'interrupted'] as const
export type RunState = (typeof RUN_STATES)[number]

export const RUN_LIMITS = {
  /** Log of one run; the oldest text is dropped. */
  logBytes: 1024 * 1024,
  /** Limit in pieces: pieces of a few bytes need far more memory than their text. */
  logPieces: 20_000,
  /** Runs that wait for their turn. */
  queued: 100,
  /** Finished runs that are kept; the oldest are deleted. */
  kept: 1_000,
  pageSize: { default: 50, max: 500 },
} as const

const Instant = Type.String({ format: 'date-time' })
const MaybeInstant = Type.Union([Instant, Type.Null()])

/** The command that a real run would start. */
const RunPlanSchema = Type.Object({
  command: Type.Optional(
    Type.Union([Type.Array(Type.String()), Type.Null()], {
      description:
        "Program and arguments, started without a shell; null when none is configured. Absent without the executor's token.",
    }),
  ),
  folder: Type.String({ description: 'The working folder.' }),
  environment: Type.Array(Type.String(), { description: 'Names of the variables that are passed on.' }),
  timeout_seconds: Type.Integer(),
})
export type RunPlan = Static<typeof RunPlanSchema>

/** One execution of a card. Source: decisions on the board, section 8. */
export const RunSchema = Type.Object({
  id: Type.String(),
  card_id: Type.String(),
  mode: Type.Enum(RUN_MODES),
  state: Type.Enum(RUN_STATES),
  reason: Type.Union([Type.String(), Type.Null()], {
    description: 'Why it failed, in a word: exit, signal, timeout, not_started.',
  }),
  exit_code: Type.Union([Type.Integer(), Type.Null()]),
  signal: Type.Union([Type.String(), Type.Null()]),
  created_at: Instant,
  started_at: MaybeInstant,
  finished_at: MaybeInstant,
  timeout_seconds: Type.Integer(),
  log_bytes: Type.Integer({ description: 'Bytes of the log in store.' }),
  log_dropped_bytes: Type.Integer({ description: 'Bytes dropped from its beginning.' }),
  plan: Type.Union([RunPlanSchema, Type.Null()], { description: 'Only for a dry run.' }),
})
export type Run = Static<typeof RunSchema>

export function isFinished({ state }: Pick<Run, 'state'>): boolean {
  return state !== 'queued' && state !== 'running'
}

/** Newest first. */
export const RunListSchema = Type.Object({
  items: Type.Array(RunSchema),
  count: Type.Integer(),
  next: Type.Union([Type.Integer(), Type.Null()], { description: '`after` of the next page; null at the end.' }),
})

export const ExecutorStatusSchema = Type.Object({
  real: Type.Boolean({ description: 'Real runs are possible: an executor token and a command are configured.' }),
  paused: Type.Boolean(),
  running: Type.Union([Type.String(), Type.Null()], { description: 'Id of the run in progress.' }),
  queued: Type.Integer(),
  plan: RunPlanSchema,
})
export type ExecutorStatus = Static<typeof ExecutorStatusSchema>

/** A piece of a run's log, as the stream sends it. */
export interface LogPiece {
  /** Number of the piece within its run, from 1. */
  seq: number
  /** UTC, six digits. */
  at: string
  stream: 'out' | 'err' | 'note'
  text: string
}
