import Type from '#typebox'
import type { Identity } from '../../accounts/identity.js'
import type { ActorIdentity } from '../../model/accounts/account-log.js'
import { AppError, refusedInput } from '../../model/app-error.js'
import { ERASURE_LIMITS, type ErasureRequest, ErasureRequestSchema } from '../../model/events/erasure.js'
import { toFieldProblems } from '../../model/field-problems.js'
import { schemaCheck } from '../../model/schema-check.js'
import type { ToActor } from '../accounts/actor.js'
import { json } from '../answer/reply.js'
import { documented, type Endpoint, type RouteDoc } from '../http/route.js'
import type { ReadJsonBody } from '../request/body.js'
import type { ServedLedger } from './served-ledger.js'

interface EraseParts {
  ledger: Pick<ServedLedger, 'erasures'>
  readJsonBody: ReadJsonBody
  toActor: ToActor
}

const check = schemaCheck(ErasureRequestSchema)

/** Names of callers without a username, for the entry of an erasure. */
const NAMES: Record<ActorIdentity, string> = {
  session: 'a deleted user',
  token: 'a deleted user',
  admin_token: 'the admin token',
  command: 'a command on the server',
  anonymous: 'anonymous',
  settings: 'the settings',
  older_ledger: 'an older ledger',
}

/** `POST /api/erasures`. */
export function eraseEvents({ ledger, readJsonBody, toActor }: EraseParts): Endpoint<Identity> {
  return documented(DOC, async (req, res) => {
    const request = readErasure(await readJsonBody(req, res, ERASURE_LIMITS.requestBytes))
    const { identity, user } = toActor(req)
    return json(200, await ledger.erasures.erase(request, user?.username ?? NAMES[identity]))
  })
}

/** @throws AppError `invalid/invalid_field` */
function readErasure(input: unknown): ErasureRequest {
  if (!check.Check(input)) throw refusedInput('The erasure', toFieldProblems(check.Errors(input), input))
  if ((input.dedupe_key === undefined) === (input.actor === undefined)) {
    const detail = 'An erasure names either an event (/dedupe_key) or an actor (/actor).'
    throw new AppError('invalid', 'invalid_field', detail, { errors: [{ field: '', detail }] })
  }
  return input
}

const DOC: RouteDoc = {
  summary: 'Erases the content of an event, or of some events of an actor, and records it',
  description: 'Key, order, times and digest stay; erased content cannot be restored.',
  body: { 'application/json': ErasureRequestSchema },
  answers: {
    200: {
      description: 'Erased, and recorded by an event of the kind ledger.erased',
      schema: Type.Object({
        erased: Type.Integer({ minimum: 0, description: 'How many events.' }),
        entry: Type.Union([Type.String(), Type.Null()], {
          description: 'Dedupe key of the event that records it; null if nothing was erased.',
        }),
        has_more: Type.Boolean({ description: 'Whether the actor has more events: send the request again.' }),
      }),
    },
  },
}
