import { computed, signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { counted } from '#model/counted'
import type { Subscription } from '#model/subscriptions/subscription'
import { showToast } from '../../shared/controls/toast.js'
import { deleteLater, deleting } from '../../shared/deletions.js'
import { html } from '../../shared/html.js'
import { api, deleteAt, reasonOf, segment } from '../../shared/server/api.js'
import { isAdmin, isOpen, session } from '../../shared/server/session.js'
import { Words } from '../../shared/words/text-view.js'
import { overview } from '../overview.js'
import { people } from '../people/people-list.js'
import type { Draft } from './form/draft.js'
import { nameOf } from './target-view.js'

/** Pending switches, shown before the server has confirmed them. By id. */
const switching = signal<ReadonlyMap<string, boolean>>(new Map())

/** All visible subscriptions in their displayed state; undefined until loaded. */
export const subscriptions = computed<readonly Subscription[] | undefined>(() =>
  overview.value.value?.subscriptions
    .filter(({ id }) => !deleting.value.has(id))
    .map(subscription => {
      const enabled = switching.value.get(subscription.id)
      return enabled === undefined ? subscription : { ...subscription, enabled }
    }),
)

/** @returns why the user may not change it; undefined if they may */
export function whyReadOnly({ owner_user_id }: Pick<Subscription, 'owner_user_id'>): string | undefined {
  const isMine = isOpen() || isAdmin() || owner_user_id === session.value?.user?.id
  return isMine ? undefined : 'Only the owner or an admin may change this.'
}

/** Switches immediately, and reverts on failure. */
export async function switchSubscription(subscription: Subscription, enabled: boolean): Promise<void> {
  const { id } = subscription
  switching.value = new Map([...switching.value, [id, enabled]])
  try {
    await saveSubscription({ id, enabled })
  } catch (problem) {
    showToast({
      words: html`<code>${nameOf(subscription)}</code> is still ${enabled ? 'off' : 'on'}. ${reasonOf(problem)}`,
    })
  } finally {
    switching.value = new Map([...switching.value].filter(([other]) => other !== id))
  }
}

/**
 * @returns the stored subscription
 * @throws ApiProblem
 */
export async function saveSubscription(draft: Draft): Promise<Subscription> {
  const { subscription } = await api<{ subscription: Subscription }>('/api/subscriptions', { body: draft })
  const current = overview.value.peek()
  if (current) {
    const { id } = subscription
    const known = current.subscriptions
    const isKnown = known.some(other => other.id === id)
    const list = isKnown ? known.map(other => (other.id === id ? subscription : other)) : [...known, subscription]
    overview.set({ ...current, subscriptions: list })
  }
  void overview.load()
  return subscription
}

/** Hides a subscription, with ten seconds to undo. Deleting and creating it again would lose its cursor. */
export function deleteSubscription(subscription: Subscription): void {
  const { id } = subscription
  const remove = async () => {
    await deleteAt(`/api/subscriptions/${segment(id)}`, { keepalive: true })
    const current = overview.value.peek()
    if (current) overview.set({ ...current, subscriptions: current.subscriptions.filter(other => other.id !== id) })
    void overview.load()
  }
  const failure = html`<code>${nameOf(subscription)}</code> was not deleted.`
  deleteLater({ key: id, id, words: html`<${DeletedWords} subscription=${subscription} />`, remove, failure })
}

/** `Deleted topic:3980. Its 212 events stay.` The number appears once known. */
function DeletedWords({ subscription }: { subscription: Subscription }) {
  const [events, setEvents] = useState('events')
  useEffect(() => {
    const gone = new AbortController()
    const call = { query: { subscription_id: subscription.id, buckets: 1 }, signal: gone.signal }
    api<{ count: number; complete: boolean }>('/api/histogram', call).then(
      ({ count, complete }) => complete && setEvents(counted(count, 'event')),
      // The sentence is also true without the number.
      () => undefined,
    )
    return () => gone.abort()
  }, [subscription.id])
  return html`Deleted <code><${Words} text=${nameOf(subscription)} limit=${120} /></code>. Its ${events} stay${events === '1 event' && 's'}.`
}

export async function loadOwners(): Promise<void> {
  if (isAdmin()) await people.load()
}

export function ownerName({ owner_user_id: id }: Pick<Subscription, 'owner_user_id'>): string {
  if (id === null) return ''
  const { user } = session.value ?? {}
  const owner = user?.id === id ? user : people.value.value?.find(person => person.id === id)
  return owner?.username ?? ''
}
