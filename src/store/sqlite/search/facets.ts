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

/** One value by which filters find an event. */
export interface Facet {
  name: FacetName
  value: string
}

/** The members of an event that have facets. */
export type FacetedEvent = Pick<NewEvent, 'source' | 'kind' | 'subject_id' | 'action' | 'actor' | 'target'>

export function* facetsOf(
  event: FacetedEvent,
  verified: Verification,
  subscriptionIds: readonly string[],
): Generator<Facet> {
  yield { name: 'source', value: event.source }
  yield { name: 'kind', value: event.kind }
  yield { name: 'subject', value: event.subject_id }
  yield { name: 'verified', value: verified }
  const outcome = outcomeGroupOf(event)
  if (outcome) yield { name: 'outcome', value: outcome }
  if (event.actor.id) yield { name: 'actor', value: event.actor.id }
  if (event.actor.display) yield { name: 'actor', value: event.actor.display }
  for (const value of subscriptionIds) yield { name: 'subscription', value }
  for (const { key } of targetChain(event.target)) if (key) yield { name: 'target', value: key }
}

/** An event that matches the filter has at least one of the values. */
export interface WantedFacet {
  name: FacetName
  /** Kinds may be patterns such as `message.*`. */
  values: readonly string[]
}

/** All that a filter asks of facets; nothing if any event may match. */
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
