import { type HistoryTarget, isRestSource } from '../../model/platforms/history.js'
import type { Subscription } from '../../model/subscriptions/subscription.js'
import { placeOfFilters, placeOfScope, placeOfText } from '../../model/subscriptions/target-grammar.js'
import { toTargetText } from '../../model/subscriptions/target-place.js'

/**
 * The place that a subscription watches on a code host or a forum. Without a target, it is a whole forum.
 *
 * @returns undefined if the subscription names no place that has lists
 */
export function watchedTargetOf({
  source,
  target,
  scope,
  filters,
}: Pick<Subscription, 'source' | 'target' | 'scope' | 'filters'>): HistoryTarget | undefined {
  if (!isRestSource(source)) return undefined
  const place = placeOfFilters(source, filters) ?? placeOfText(source, target) ?? placeOfScope(source, scope)
  if (place) return { source, place, text: toTargetText(place) }
  const namesNothing = target === '' && Object.keys(scope).length === 0 && Object.keys(filters).length === 0
  return source === 'forum' && namesNothing ? { source, text: 'forum' } : undefined
}
