import type { Subscription } from '#model/subscriptions/subscription'
import { flag, oneOf, type Params, text } from '../../shared/query-state.js'
import { expiresAt, isFailing, isOver } from './capture-words.js'
import { kindTitle } from './form/kind-titles.js'

export const SHOWN = ['all', 'mine', 'temporary', 'failing', 'off'] as const
export type Shown = (typeof SHOWN)[number]

interface SubscriptionsState {
  show: Shown
  find: string
  new: boolean
  /** Id of the subscription to copy into a new one. */
  like: string
  /** Source of a new subscription. */
  source: string
  target: string
  edit: string
}

export const SUBSCRIPTION_PARAMS: Params<SubscriptionsState> = {
  show: oneOf(...SHOWN),
  find: text,
  new: flag,
  like: text,
  source: text,
  target: text,
  edit: text,
}

export const IS_SHOWN: Record<Shown, (one: Subscription, now: number, ownId: string | undefined) => boolean> = {
  all: () => true,
  mine: (one, _, ownId) => ownId !== undefined && one.owner_user_id === ownId,
  temporary: (one, now) => expiresAt(one) !== undefined && !isOver(one, now),
  failing: isFailing,
  off: (one, now) => !one.enabled || isOver(one, now),
}

/** Whether every word occurs in the visible text of a subscription. */
export function isFound(subscription: Subscription, find: string, owner: string): boolean {
  if (find === '') return true
  const { id, source, target, scope, event_kinds: kinds, metadata } = subscription
  const texts = [id, source, target, scope?.key, metadata.reason, owner, ...kinds, ...kinds.map(kindTitle)]
  const seen = texts.join('\n').toLowerCase()
  const words = find.toLowerCase().split(/\s+/)
  return words.every(word => seen.includes(word))
}

/** Sorts by source, then by target, so that a switched subscription keeps its place. */
export function byPlace(order: (a: string, b: string) => number): (a: Subscription, b: Subscription) => number {
  return (a, b) => order(a.source, b.source) || a.target.localeCompare(b.target) || (a.id < b.id ? -1 : 1)
}
