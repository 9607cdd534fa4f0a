import type { Subscription } from '../../shared/wire.js'

/** What it is called in sentences. */
export function nameOf({ target, scope, source }: Pick<Subscription, 'target' | 'scope' | 'source'>): string {
  return target || scope?.key || `everything in ${source}`
}
