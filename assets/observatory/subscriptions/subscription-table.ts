import { useState } from 'preact/hooks'
import type { Subscription } from '#model/subscriptions/subscription'
import { classes, html } from '../../shared/html.js'
import { isOpen } from '../../shared/server/session.js'
import { count } from '../../shared/words/text.js'
import { ownerName } from './owners.js'
import { SubscriptionRow } from './subscription-row.js'

/** A button adds more rows: each consists of about thirty elements. */
const STEP = 200

export interface SubscriptionTableProps {
  subscriptions: readonly Subscription[]
  selectedId: string
  onEdit: (subscription: Subscription) => void
  onTry: (subscription: Subscription) => void
}

export function SubscriptionTable({ subscriptions, selectedId, onEdit, onTry }: SubscriptionTableProps) {
  const [most, setMost] = useState(STEP)
  const left = subscriptions.length - most
  return html`<div class=${classes('table-scroll subscriptions', isOpen() && 'is-ownerless')}>
    <table class="table">
      <thead><tr>
        <th class="subscription-on">On</th><th class="subscription-what">What is watched</th><th class="subscription-capture">Capture</th>
        <th class="subscription-left">Time left</th><th class="subscription-last">Last event</th>
        <th class="subscription-owner">Owner</th>
        <th class="subscription-more"><span class="visually-hidden">More</span></th>
      </tr></thead>
      <tbody>
        ${subscriptions.slice(0, most).map(
          subscription => html`<${SubscriptionRow} key=${subscription.id} subscription=${subscription} owner=${ownerName(subscription)}
            isSelected=${subscription.id === selectedId} onEdit=${() => onEdit(subscription)} onTry=${() => onTry(subscription)} />`,
        )}
      </tbody>
    </table>
    ${
      left > 0 &&
      html`<p class="subscriptions-end"><button type="button" class="button" onClick=${() => setMost(most + STEP)}>
        Show ${count(Math.min(STEP, left))} more of ${count(left)}
      </button></p>`
    }
  </div>`
}

/** Static placeholder rows. */
export function SubscriptionSkeleton() {
  return html`<div class="subscriptions-skeleton" role="status" aria-label="Loading the subscriptions">
    ${Array.from({ length: 6 }, () => html`<div class="skeleton-row"><span class="skeleton"></span><span class="skeleton"></span><span class="skeleton"></span></div>`)}
  </div>`
}
