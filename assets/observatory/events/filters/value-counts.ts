import type { Facet } from '#model/events/event-facets'
import { api } from '../../../shared/server/api.js'
import { createResource } from '../../../shared/server/resource.js'
import type { EventFacets } from '../../../shared/server/wire.js'
import { count } from '../../../shared/words/text.js'
import { apiQuery } from './filters.js'

let asked: Facet = 'kind'

const counted = createResource<{ of: Facet; found: EventFacets } | undefined>(async signal => {
  const of = asked
  // Without the menu's own filter, so that another value can be chosen.
  const { [of]: _, [`exclude_${of}`]: __, ...query } = apiQuery()
  return { of, found: await api<EventFacets>('/api/facets', { query, signal }) }
})

/** Counts the values of a filter among the events that match all other filters: when its menu opens. */
export function countValues(of: Facet): void {
  asked = of
  counted.set(undefined)
  void counted.load()
}

/** The counts, most frequent first; undefined until they are known. */
export function valueCounts(of: Facet): EventFacets['facets'][Facet] | undefined {
  const { value } = counted.value
  return value?.of === of ? value.found.facets[of] : undefined
}

/** What the counts in the open menu are. */
export function countsNote(): string {
  const { value } = counted.value
  if (!value) return counted.problem.value === undefined ? 'Counting…' : 'The counts could not be loaded.'
  const { complete, count: amount } = value.found
  return complete ? 'Counts of events that match the other filters.' : `Counts of the newest ${count(amount)} events.`
}
