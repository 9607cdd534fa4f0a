import type { Ledger } from '../ledger/ledger.js'

/** What the HTTP side asks of a ledger. */
export type ServedLedger = Pick<
  Ledger,
  | 'record'
  | 'getEvent'
  | 'query'
  | 'waitFor'
  | 'follow'
  | 'saveSubscription'
  | 'getSubscription'
  | 'listSubscriptions'
  | 'deleteSubscription'
  | 'stats'
  | 'health'
>
