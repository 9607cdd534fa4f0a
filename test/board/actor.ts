import type { CardActor } from '../../src/model/board/card-history.js'

/** Who changes cards in tests. */
export const ADA: CardActor = { kind: 'user', name: 'ada' }
