import { type NewEvent, targetChain, type Verification } from '../../../model/events/event.js'
import type { EventFilter } from '../../../model/events/event-match.js'
import { outcomeGroupOf } from '../../../model/sentences/event-outcome.js'

export const FACET_NAMES = [
  'source',
  'kind',
  'subject',
  'verified',
  'outcome',
  'actor',
  'subscription',
  'target',
] as const
export type FacetName = (typeof FACET_NAMES)[number]

/** The members of an event that have facets. */
type FacetedEvent = Pick<NewEvent, 'source' | 'kind' | 'subject_id' | 'action' | 'actor' | 'target'>

/**
 * Passes each facet of an event to a callback. A generator of objects would cost twice as much, for every incoming
 * event.
 */
export function eachFacet(
  event: FacetedEvent,
  verified: Verification,
  subscriptionIds: readonly string[],
  take: (name: FacetName, value: string) => void,
): void {
  take('source', event.source)
  take('kind', event.kind)
  take('subject', event.subject_id)
  take('verified', verified)
  const outcome = outcomeGroupOf(event)
  if (outcome) take('outcome', outcome)
  if (event.actor.id) take('actor', event.actor.id)
  if (event.actor.display) take('actor', event.actor.display)
  for (const id of subscriptionIds) take('subscription', id)
  for (const { key } of targetChain(event.target)) if (key) take('target', key)
}

/** An event that matches the filter has at least one of the values. */
export interface WantedFacet {
  name: FacetName
  /** Kinds may be patterns such as `message.*`. */
  values: readonly string[]
}

/** All conditions of a filter on facets; none if any event may match. */
export function wantedFacets(filter: EventFilter): WantedFacet[] {
  const { sources, kinds, subjectId, verified, outcomes, actors, subscriptionIds, target } = filter
  const values: Record<FacetName, readonly string[] | undefined> = {
    source: sources,
    subscription: subscriptionIds,
    subject: subjectId === undefined ? undefined : [subjectId],
    actor: actors,
    target: target === undefined ? undefined : [target],
    verified,
    outcome: outcomes,
    kind: kinds?.includes('*') ? undefined : kinds,
  }
  return FACET_NAMES.flatMap(name => {
    const { [name]: wanted } = values
    return wanted ? [{ name, values: wanted }] : []
  })
}
