import type { BoardIdentity } from '../../gate/identity.js'
import type { CardActor } from '../../model/board/card-history.js'

/** The sender of a request, as the history of a card names it. */
export function cardActor(identity: BoardIdentity): CardActor {
  switch (identity.kind) {
    case 'session':
      return identity.ledgerUser === undefined
        ? { kind: 'password', name: null }
        : { kind: 'user', name: identity.ledgerUser }
    // A board without a login has no other identities.
    case 'local':
    case 'anonymous':
      return { kind: 'open', name: null }
    default:
      return { kind: identity.kind, name: null }
  }
}
