import Type from '#typebox'
import type { EventDelivery } from '../../ledger/event-recorder.js'
import { readEvent } from '../../ledger/read-event.js'
import { AppError, refusedInput } from '../../model/app-error.js'
import { toFieldProblems } from '../../model/field-problems.js'
import { Count, named } from '../../model/ledger-answers.js'
import { HISTORY_LIMITS } from '../../model/platforms/history.js'
import { schemaCheck } from '../../model/schema-check.js'
import { json } from '../answer/reply.js'
import { documented, type Endpoint, type RouteDoc } from '../http/route.js'
import type { ServedLedger } from '../ledger/served-ledger.js'
import type { ReadJsonBody } from '../request/body.js'

const HistorySchema = Type.Object({
  verified: Type.Enum(['login', 'none'], { description: 'Whether the platform was asked with a token.' }),
  events: Type.Array(Type.Unknown(), { maxItems: HISTORY_LIMITS.batchEvents }),
})
const check = schemaCheck(HistorySchema)

/**
 * `POST /api/history`: records events that a command on this machine has read from a platform, except known ones. All
 * or nothing.
 */
export function recordHistory({
  ledger,
  readJsonBody,
}: {
  ledger: Pick<ServedLedger, 'recordMissing'>
  readJsonBody: ReadJsonBody
}): Endpoint {
  return documented(DOC, async (req, res) => {
    const input = await readJsonBody(req, res, HISTORY_LIMITS.bodyBytes)
    if (!check.Check(input)) throw refusedInput('The history', toFieldProblems(check.Errors(input), input))
    const { verified, events } = input
    const deliveries = events.map((sent, index): EventDelivery => {
      return { event: readAt(sent, index), provenance: { route: 'import', verified } }
    })
    return json(200, await ledger.recordMissing(deliveries))
  })
}

function readAt(sent: unknown, index: number): EventDelivery['event'] {
  try {
    return readEvent(sent)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError('invalid', error.code, `Event ${index}: ${error.message}`, { errors: error.errors })
  }
}

const DOC: RouteDoc = {
  summary:
    'Records what a platform has listed; for commands on this machine, over the socket of the process that owns it',
  description: 'Events that are known already are not recorded again, and count no repeat.',
  body: {
    'application/json': Type.Object({
      verified: HistorySchema.properties.verified,
      events: Type.Array(named('EventInput')),
    }),
  },
  answers: {
    200: {
      description: 'How many were new, and how many known',
      schema: Type.Object({ created: Count, known: Count }),
    },
  },
}
