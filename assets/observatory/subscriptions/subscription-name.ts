import type { Subscription } from '../../shared/wire.js'

/** Its name in sentences. */
export function nameOf({ target, scope, source }: Pick<Subscription, 'target' | 'scope' | 'source'>): string {
  return target || scope?.key || `everything in ${source}`
}
