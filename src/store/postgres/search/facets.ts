import { hash } from 'node:crypto'
import { type StoredEvent, targetChain } from '../../../model/events/event.js'
import { foldCase } from '../../../model/events/search.js'
import { outcomeGroupOf } from '../../../model/sentences/event-outcome.js'
import { isStorable, storable } from '../connection/text-array.js'

/** Characters. The index contains a longer value as its digest. */
const LONGEST = 200
/** Separates the facets of an event in the parameter of a statement. */
export const FACET_SEPARATOR = '\x01'

type FacetName =
  | 'source'
  | 'kind'
  | 'subject'
  | 'verified'
  | 'outcome'
  | 'actor'
  | 'display'
  | 'subscription'
  | 'target'
  /** The actor as `facets` counts it. */
  | 'named'

/**
 * One value of an event in the index, `name=value`. Two different values never have the same facet, so facets decide a
 * filter. A value that is long, or that PostgreSQL cannot store, is represented by its digest.
 */
export function facet(name: FacetName, value: string): string {
  const isPlain = value.length <= LONGEST && isStorable(value) && !value.includes(FACET_SEPARATOR)
  return isPlain ? `${name}=${value}` : `${name}#${hash('sha256', JSON.stringify(value), 'hex')}`
}

/** Facets of a kind: `a.b.c` is found by its own pattern, by `a.*` and by `a.b.*`. */
function* kindFacets(kind: string): Generator<string> {
  yield facet('kind', kind)
  for (let dot = kind.indexOf('.'); dot !== -1; dot = kind.indexOf('.', dot + 1)) {
    yield facet('kind', `${kind.slice(0, dot)}.*`)
  }
}

type Faceted = Omit<StoredEvent, 'captured_at' | 'seen_count' | 'last_seen_at'>

/** All facets of an event. */
export function facetsOf(event: Faceted): Set<string> {
  const facets = new Set<string>(kindFacets(event.kind))
  facets.add(facet('source', event.source))
  facets.add(facet('subject', event.subject_id))
  facets.add(facet('verified', event.provenance.verified))
  const outcome = outcomeGroupOf(event)
  if (outcome) facets.add(facet('outcome', outcome))
  facets.add(facet('actor', event.actor.id))
  facets.add(facet('display', foldCase(event.actor.display)))
  const named = storable(event.actor.display || event.actor.id).replaceAll(FACET_SEPARATOR, ' ')
  if (named) facets.add(`named=${storable(named.slice(0, LONGEST))}`)
  for (const id of event.subscription_ids) facets.add(facet('subscription', id))
  for (const node of targetChain(event.target)) if (node.key !== undefined) facets.add(facet('target', node.key))
  return facets
}
