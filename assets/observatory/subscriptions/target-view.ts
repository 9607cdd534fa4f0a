import type { Subscription } from '#model/subscriptions/subscription'
import { html } from '../../shared/html.js'
import { Words } from '../../shared/words/text-view.js'
import { sourceLabel } from '../overview.js'
import { targetStretches } from './form/target-reading.js'

export function TargetView({ subscription }: { subscription: Pick<Subscription, 'source' | 'target' | 'scope'> }) {
  const { source, target, scope } = subscription
  if (target === '' && !scope?.key) return html`<span class="target-whole">Everything in ${sourceLabel(source)}</span>`
  const stretches = targetStretches(source, target || String(scope.key))
  return html`<span class="target anywhere code">${stretches.map(
    ({ text, isKeyword }) =>
      html`<span class=${isKeyword ? 'quiet-text' : undefined}><${Words} text=${text} limit=${256} /></span>`,
  )}</span>`
}

export function nameOf({ target, scope, source }: Pick<Subscription, 'target' | 'scope' | 'source'>): string {
  return target || scope?.key || `everything in ${source}`
}
