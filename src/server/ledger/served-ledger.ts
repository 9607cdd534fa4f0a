import type { Ledger } from '../../ledger/ledger.js'

/** What the HTTP side asks of a ledger. */
export type ServedLedger = Pick<
  Ledger,
  | 'record'
  | 'getEvent'
  | 'query'
  | 'histogram'
  | 'waitFor'
  | 'follow'
  | 'saveSubscription'
  | 'previewSubscription'
  | 'getSubscription'
  | 'listSubscriptions'
  | 'pageSubscriptions'
  | 'deleteSubscription'
  | 'stats'
  | 'health'
>
