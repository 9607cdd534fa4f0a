import type { Actor } from '../../accounts/account-log.js'
import { type Identity, userOf } from '../../accounts/identity.js'
import type { ActorIdentity } from '../../model/accounts/account-log.js'
import type { CallerAddress } from '../http/request-address.js'
import type { HttpRequest } from '../http/route.js'

/** The actor of a request, for the account log. */
export type ToActor = (req: HttpRequest<Identity>) => Actor

const IDENTITIES: Record<Identity['kind'], ActorIdentity> = {
  session: 'session',
  token: 'token',
  reader: 'token',
  writer: 'token',
  bootstrap_admin: 'admin_token',
  open: 'anonymous',
  anonymous: 'anonymous',
}

export function createToActor(callerAddress: CallerAddress): ToActor {
  return req => {
    const { identity, requestId, local } = req
    const user = userOf(identity)
    return {
      identity: local ? 'command' : IDENTITIES[identity.kind],
      ...(user ? { user: { id: user.id, username: user.username } } : {}),
      ...(local ? {} : { address: callerAddress(req) }),
      requestId,
    }
  }
}
