import { isObject } from '../model/json-object.js'
import type { Answer } from './answer.js'

/**
 * The query of `GET /api/events`, spelled as on the wire. Not validated here; the ledger does it.
 *
 * Source: Event Ledger Service, "Query parameters of GET /api/events".
 */
export interface EventParameters {
  /** Any of several values matches. */
  source?: string | readonly string[] | undefined
  kind?: string | readonly string[] | undefined
  subscription_id?: string | readonly string[] | undefined
  since?: string | undefined
  days?: string | undefined
  from?: string | undefined
  to?: string | undefined
  before?: string | undefined
  q?: string | undefined
  limit?: string | undefined
  order?: string | undefined
  subject_id?: string | undefined
  actor?: string | readonly string[] | undefined
  target?: string | undefined
  verified?: string | undefined
  outcome?: readonly string[] | undefined
  occurred_from?: string | undefined
  occurred_to?: string | undefined
  /** None of these matches, here and below. */
  exclude_source?: readonly string[] | undefined
  exclude_kind?: readonly string[] | undefined
  exclude_actor?: readonly string[] | undefined
  exclude_target?: readonly string[] | undefined
  exclude_outcome?: readonly string[] | undefined
  exclude_q?: readonly string[] | undefined
  /** Seconds to hold the response until something matches. Needs `since`. */
  wait?: string | undefined
}

/** The query of `GET /api/export`. */
export interface ExportParameters extends Omit<EventParameters, 'order' | 'limit' | 'wait'> {
  format: string
}

/** A page of events as returned. */
export interface EventPage {
  items: unknown[]
  /** The checkpoint after it; null only in an empty ledger asked without `since`. */
  nextSince: string | null
  hasMore: boolean
  /** Changes if the ledger is restored or replaced. */
  epoch: string | null
}

/** @throws AppError `unavailable/not_a_ledger` */
export function readEventPage(answer: Answer): EventPage {
  const page = answer.json()
  if (!isObject(page) || !Array.isArray(page.items)) throw answer.mismatch('a page of events')
  return {
    items: page.items,
    nextSince: typeof page.next_since === 'string' ? page.next_since : null,
    hasMore: page.has_more === true,
    epoch: typeof page.epoch === 'string' ? page.epoch : null,
  }
}
