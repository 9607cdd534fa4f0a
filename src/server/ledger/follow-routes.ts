import Type from '#typebox'
import type { Identity } from '../../accounts/identity.js'
import { AppError, refusedInput } from '../../model/app-error.js'
import { toFieldProblems } from '../../model/field-problems.js'
import type { FollowStatus, PromotedLedger, Promotion, PromotionInput } from '../../model/follow.js'
import { CapturedAtOrNull } from '../../model/ledger-answers.js'
import { schemaCheck } from '../../model/schema-check.js'
import { json } from '../answer/reply.js'
import { type Access, documented, type Endpoint, type Route, type RouteDoc } from '../http/route.js'
import type { ReadJsonBody } from '../request/body.js'

/** The parts that HTTP handlers use of a ledger that follows another one, or once did. */
export interface ServedFollowing {
  /** Undefined for a ledger that follows no other one. */
  status(): FollowStatus | undefined
  /** Undefined for a ledger that never followed another one. @throws AppError `unavailable/…` */
  promotion(): Promise<Promotion | undefined>
  /** @throws AppError `conflict/not_following`, `conflict/leader_answers`, `conflict/follower_behind` */
  promote(input: PromotionInput): Promise<PromotedLedger>
}

/** Whether the requests of a route change the ledger. `reads`: only those that are not a GET. */
const CHANGES: Record<Access, 'never' | 'reads' | 'always'> = {
  public: 'never',
  optional_login: 'never',
  read: 'never',
  login: 'never',
  logout: 'never',
  copy: 'never',
  record: 'always',
  webhook: 'always',
  write: 'always',
  account: 'reads',
  admin: 'reads',
  local: 'reads',
}
/** Routes that change no copied data, in spite of their method. Sessions belong to the server that began them. */
const ALSO_FOLLOWING: ReadonlySet<string> = new Set([
  ...['/api/promotion', '/api/verify', '/api/backups', '/api/sources/:name/test'],
  ...['/api/me/sessions', '/api/me/sessions/:session_id'],
  ...['/api/users/:id/sessions', '/api/users/:id/sessions/:session_id'],
])
const RETRY_SECONDS = 30

/** The same routes. Refuses changes while the ledger follows another one: `unavailable/ledger_follows`. */
export function refusingWhileFollowing(routes: readonly Route[], following: Pick<ServedFollowing, 'status'>): Route[] {
  return routes.map(route => {
    if (!changesLedger(route)) return route
    const handle: typeof route.handle = (req, res) => {
      const status = following.status()
      if (status) throw follows(status)
      return route.handle(req, res)
    }
    return { ...route, handle }
  })
}

function changesLedger({ access, method, pattern }: Route): boolean {
  if (CHANGES[access] === 'always') return true
  return CHANGES[access] === 'reads' && method !== 'GET' && !ALSO_FOLLOWING.has(pattern)
}

/** 503, so that platforms deliver again: the ledger may be promoted, or its address may soon lead to the other one. */
function follows({ leader }: FollowStatus): AppError {
  return new AppError('unavailable', 'ledger_follows', `This ledger follows ${leader} and accepts no changes.`, {
    hint: `Send them to ${leader}, or make this ledger a leader with \`daybook ledger promote\`.`,
    retryAfterSeconds: RETRY_SECONDS,
  })
}

const InputSchema = Type.Object(
  {
    keep_epoch: Type.Optional(
      Type.Boolean({ description: 'The leader was stopped first and is not used any more. Default: false.' }),
    ),
    force: Type.Optional(Type.Boolean({ description: 'Promote even if the leader still answers. Default: false.' })),
  },
  { additionalProperties: false },
)
const check = schemaCheck(InputSchema)
const INPUT_BYTES = 1_024

/** `POST /api/promotion`. */
export function promote(parts: { following: ServedFollowing; readJsonBody: ReadJsonBody }): Endpoint<Identity> {
  return documented(DOC, async (req, res) => {
    const input = await parts.readJsonBody(req, res, INPUT_BYTES)
    if (!check.Check(input)) throw refusedInput('The promotion', toFieldProblems(check.Errors(input), input))
    const { keep_epoch = false, force = false } = input
    return json(200, await parts.following.promote({ keep_epoch, force }))
  })
}

const DOC: RouteDoc = {
  summary: 'Ends that this ledger follows another one: it accepts changes from now on',
  description: 'Refused while the leader still answers, unless forced; the ledger gets a new epoch, unless it is kept.',
  body: { 'application/json': InputSchema },
  answers: {
    200: {
      description: 'It is a ledger of its own',
      schema: Type.Object({
        leader: Type.String({ description: 'The ledger that it followed.' }),
        epoch: Type.String(),
        head: CapturedAtOrNull,
        head_digest: Type.Union([Type.String(), Type.Null()]),
        consumers: Type.Integer({ minimum: 0, description: 'Named consumers. They continue at their checkpoints.' }),
      }),
    },
  },
}
