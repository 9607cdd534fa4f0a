import type { Identity } from '../../accounts/identity.js'
import { toVerifiedEvents } from '../../ledger/verified-events.js'
import { VERIFY_LIMITS, VerifiedEventsSchema } from '../../model/ledger-verification.js'
import type { EventStore } from '../../store/event-store.js'
import { json } from '../answer/reply.js'
import { documented, type Endpoint, type RouteDoc } from '../http/route.js'
import { QueryString } from '../request/query-string.js'

export type VerifyEvents = EventStore['verify']

/** `POST /api/verify`: for a command on this machine. Many events take many requests, so that none delays others. */
export function verifyEvents({ verify }: { verify: VerifyEvents }): Endpoint<Identity> {
  return documented(DOC, async req => {
    const params = new QueryString(req.search, ['since', 'limit'])
    const since = params.timestamp('since')?.micros ?? null
    const limit = params.integer('limit', { min: 1, max: VERIFY_LIMITS.events }) ?? VERIFY_LIMITS.events
    params.finish()
    return json(200, toVerifiedEvents(await verify({ since, limit })))
  })
}

const DOC: RouteDoc = {
  summary:
    'Checks events against their digests; for commands on this machine, over the socket of the process that owns it',
  description: 'Reads a part of the ledger; continue after the last event that was checked.',
  answers: { 200: { description: 'What was found', schema: VerifiedEventsSchema } },
}
