import type { Ledger } from '../../ledger/ledger.js'
import type { ServedConsumers } from '../consumers/consumer-routes.js'
import type { ServedSources } from '../events/source-routes.js'

/** The parts of a ledger that HTTP handlers use. */
export type ServedLedger = Pick<
  Ledger,
  | 'record'
  | 'recordMissing'
  | 'getEvent'
  | 'query'
  | 'story'
  | 'histogram'
  | 'facets'
  | 'waitFor'
  | 'follow'
  | 'saveSubscription'
  | 'previewSubscription'
  | 'getSubscription'
  | 'listSubscriptions'
  | 'pageSubscriptions'
  | 'deleteSubscription'
  | 'erasures'
  | 'stats'
  | 'health'
> & { consumers: ServedConsumers; sources: ServedSources }
