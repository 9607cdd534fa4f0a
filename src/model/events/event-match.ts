import { AppError } from '../app-error.js'
import { type Outcome, outcomeGroupOf } from '../sentences/event-outcome.js'
import { type Micros, readTimestamp } from '../timestamp.js'
import { type StoredEvent, targetChain } from './event.js'
import type { EventQuery, ExcludedValues } from './event-query.js'
import { foldCase, searchableStrings } from './search.js'

/** The filters of a query without its range, order and limits. */
export type EventFilter = Pick<
  EventQuery,
  | 'sources'
  | 'kinds'
  | 'subscriptionIds'
  | 'subjectId'
  | 'occurredFrom'
  | 'occurredTo'
  | 'actors'
  | 'target'
  | 'verified'
  | 'outcomes'
  | 'search'
  | 'excluded'
>

/**
 * Whether an event passes the filters of a query. This is the only definition of what a filter means: indexes merely
 * narrow the candidates, and the live feed calls this before anything is read.
 *
 * @param texts of the event; for several filters, the same
 */
export function eventMatches(event: StoredEvent, filter: EventFilter, texts = textsOf(event)): boolean {
  if (filter.sources !== undefined && !filter.sources.includes(event.source)) return false
  if (filter.kinds !== undefined && !filter.kinds.some(pattern => kindMatches(event.kind, pattern))) return false
  const { subscriptionIds, actors, outcomes, excluded } = filter
  if (subscriptionIds !== undefined && !subscriptionIds.some(id => event.subscription_ids.includes(id))) return false
  if (filter.subjectId !== undefined && event.subject_id !== filter.subjectId) return false
  if (filter.verified !== undefined && !filter.verified.includes(event.provenance.verified)) return false
  if (actors !== undefined && !actors.some(actor => actorMatches(event, actor))) return false
  if (filter.target !== undefined && !targetMatches(event, filter.target)) return false
  if (outcomes !== undefined && !outcomes.includes(outcomeGroupOf(event) as Outcome)) return false
  if (!occurredWithin(event, filter)) return false
  if (excluded !== undefined && isExcluded(event, excluded, texts)) return false
  return filter.search === undefined || searchMatches(texts(), filter.search)
}

/** A filter that every event passes which passes this one. */
export function withoutTexts({ search: _, excluded, ...others }: EventFilter): EventFilter {
  if (!excluded) return others
  const { searches: __, ...values } = excluded
  return { ...others, excluded: values }
}

/** The searchable texts of an event, case-folded on first use. */
export function textsOf(event: StoredEvent): () => readonly string[] {
  let known: readonly string[] | undefined
  return () => {
    known ??= [...searchableStrings(event)]
    return known
  }
}

/** `message.*` covers `message.created` and every other kind that begins with `message.`; `*` covers all. */
export function kindMatches(kind: string, pattern: string): boolean {
  if (pattern === '*') return true
  return pattern.endsWith('.*') ? kind.startsWith(pattern.slice(0, -1)) : kind === pattern
}

/** Whether `*` in a pattern is alone, or last after a dot, and no `!` begins it. */
export function isKindPattern(pattern: string): boolean {
  return !pattern.startsWith('!') && (pattern === '*' || !/\*(?!$)|[^.]\*$/.test(pattern))
}

function isExcluded(event: StoredEvent, excluded: ExcludedValues, texts: () => readonly string[]): boolean {
  const { sources, kinds, actors, targets, outcomes, searches } = excluded
  if (sources?.includes(event.source)) return true
  if (kinds?.some(pattern => kindMatches(event.kind, pattern))) return true
  if (actors?.some(actor => actorMatches(event, actor))) return true
  if (targets?.some(key => targetMatches(event, key))) return true
  if (outcomes?.includes(outcomeGroupOf(event) as Outcome)) return true
  return searches?.some(terms => searchMatches(texts(), terms)) ?? false
}

function occurredWithin({ occurred_at }: StoredEvent, { occurredFrom, occurredTo }: EventFilter): boolean {
  if (occurredFrom === undefined && occurredTo === undefined) return true
  const at = occurred_at === null ? undefined : microsOf(occurred_at)
  return at !== undefined && at >= (occurredFrom ?? at) && at <= (occurredTo ?? at)
}

/** Older ledgers may contain texts here that are not instants. */
function microsOf(text: string): Micros | undefined {
  try {
    return readTimestamp('occurred_at', text).micros
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

function actorMatches(event: StoredEvent, actor: string): boolean {
  return event.actor.id === actor || foldCase(event.actor.display) === foldCase(actor)
}

function targetMatches(event: StoredEvent, key: string): boolean {
  for (const node of targetChain(event.target)) if (node.key === key) return true
  return false
}

function searchMatches(texts: readonly string[], terms: readonly string[]): boolean {
  return terms.every(term => texts.some(text => text.includes(term)))
}
