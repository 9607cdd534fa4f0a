/**
 * The query of `GET /api/events`, spelled as on the wire. Not validated here; the ledger does it.
 *
 * Source: Event Ledger Service, "Query parameters of GET /api/events".
 */
export interface EventParameters {
  source?: string | undefined
  /** Any of these matches. */
  kind?: readonly string[] | undefined
  subscription_id?: string | undefined
  since?: string | undefined
  days?: string | undefined
  from?: string | undefined
  to?: string | undefined
  before?: string | undefined
  q?: string | undefined
  limit?: string | undefined
  order?: string | undefined
  subject_id?: string | undefined
  actor?: string | undefined
  target?: string | undefined
  verified?: string | undefined
  /** Seconds to hold the response until something matches. Needs `since`. */
  wait?: string | undefined
}
