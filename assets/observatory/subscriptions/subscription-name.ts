import type { Subscription } from '#model/subscriptions/subscription'

/** Its name in sentences. */
export function nameOf({ target, scope, source }: Pick<Subscription, 'target' | 'scope' | 'source'>): string {
  return target || scope?.key || `everything in ${source}`
}
