import type { EventFilter } from '../../../model/events/event-match.js'
import { foldCase, type SearchTerm } from '../../../model/events/search.js'
import type { Value } from '../connection/connection.js'
import { textArray } from '../connection/text-array.js'
import { facet } from './facets.js'
import { isDecided, likePattern } from './searchable-text.js'

/** Number of terms that are looked up in the index, longest first; the text itself is compared with all terms. */
const INDEXED_TERMS = 4

/** Conditions on `events`, and the values that they name from `$1` on. */
export interface FilterSql {
  /** Each begins with `AND`; empty where every event matches. */
  conditions: string
  values: Value[]
  /** False if events that do not match may pass the conditions: `eventMatches` then decides. */
  isExact: boolean
}

/** A filter as SQL conditions. Every event that matches the filter passes them. */
export function filterSql(filter: EventFilter): FilterSql {
  const { search = [], excluded = {}, occurredFrom, occurredTo } = filter
  const { searches = [] } = excluded
  const values: Value[] = []
  const parameter = (value: Value) => `$${values.push(value)}`
  const conditions: string[] = []
  const anyOf = (facets: readonly string[]) => `facets && ${parameter(textArray(facets))}::text[]`
  const containsAll = (terms: readonly SearchTerm[]) => {
    const longest = terms.map(likePattern).toSorted((left, right) => right.length - left.length)
    const contains = (column: string) => {
      const indexed = longest.slice(0, INDEXED_TERMS).map(pattern => `${column} LIKE ${parameter(pattern)}`)
      const others = longest.slice(INDEXED_TERMS)
      const all = others.length > 0 ? [`${column} LIKE ALL (${parameter(textArray(others))}::text[])`] : []
      return [...indexed, ...all].join(' AND ')
    }
    return `(${contains('said')} OR (long_said IS NOT NULL AND ${contains('long_said')}))`
  }
  for (const facets of facetLists(filter)) conditions.push(anyOf(facets))
  if (occurredFrom !== undefined) conditions.push(`occurred_us >= ${parameter(occurredFrom)}`)
  if (occurredTo !== undefined) conditions.push(`occurred_us <= ${parameter(occurredTo)}`)
  const without = excludedFacets(excluded)
  if (excluded.kinds?.includes('*')) conditions.push('false')
  if (without.length > 0) conditions.push(`NOT (${anyOf(without)})`)
  if (search.length > 0) conditions.push(containsAll(search))
  for (const terms of searches) if (terms.every(isDecided)) conditions.push(`${containsAll(terms)} IS NOT TRUE`)
  return {
    conditions: conditions.map(condition => ` AND ${condition}`).join(''),
    values,
    isExact: [search, ...searches].flat().every(isDecided),
  }
}

/** Lists of facets; an event matches if it has at least one facet of each list. */
function facetLists(filter: EventFilter): string[][] {
  const lists: string[][] = []
  const oneOf = (values: readonly string[] | undefined, toFacets: (value: string) => string[]) => {
    if (values !== undefined) lists.push(values.flatMap(toFacets))
  }
  oneOf(filter.sources, value => [facet('source', value)])
  oneOf(filter.subscriptionIds, value => [facet('subscription', value)])
  if (filter.subjectId !== undefined) lists.push([facet('subject', filter.subjectId)])
  oneOf(filter.actors, actorFacets)
  if (filter.target !== undefined) lists.push([facet('target', filter.target)])
  oneOf(filter.verified, value => [facet('verified', value)])
  oneOf(filter.outcomes, value => [facet('outcome', value)])
  if (!filter.kinds?.includes('*')) oneOf(filter.kinds, value => [facet('kind', value)])
  return lists
}

function excludedFacets({ sources, kinds, actors, targets, outcomes }: NonNullable<EventFilter['excluded']>): string[] {
  return [
    ...(sources ?? []).map(value => facet('source', value)),
    ...(kinds ?? []).map(value => facet('kind', value)),
    ...(actors ?? []).flatMap(actorFacets),
    ...(targets ?? []).map(value => facet('target', value)),
    ...(outcomes ?? []).map(value => facet('outcome', value)),
  ]
}

/** The id, or the display in any case. */
function actorFacets(actor: string): string[] {
  return [facet('actor', actor), facet('display', foldCase(actor))]
}

/**
 * Renumbers the parameters of conditions to follow those of the statement.
 *
 * @param count number of parameters of the statement
 */
export function shifted(conditions: string, count: number): string {
  return conditions.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + count}`)
}
