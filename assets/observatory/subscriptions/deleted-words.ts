import { useEffect, useState } from 'preact/hooks'
import type { Subscription } from '#model/subscriptions/subscription'
import { html } from '../../shared/html.js'
import { api } from '../../shared/server/api.js'
import { counted } from '../../shared/words/text.js'
import { Words } from '../../shared/words/text-view.js'
import { nameOf } from './target-view.js'

/** `Deleted topic:3980. Its 212 events stay.` The number appears once known. */
export function DeletedWords({ subscription }: { subscription: Subscription }) {
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
