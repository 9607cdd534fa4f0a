import type { Subscription } from '../../src/model/subscriptions/subscription.js'

/** A stored subscription to all of a chat; everything may be overridden. */
export function storedSubscription(changes: Partial<Subscription> = {}): Subscription {
  return {
    id: 'watch',
    source: 'chat',
    target: '',
    scope: {},
    actions: [],
    event_kinds: [],
    capture_modes: [],
    filters: {},
    metadata: {},
    enabled: true,
    last_cursor: null,
    last_event_at: null,
    owner_user_id: null,
    created_at: '2027-01-15T08:00:00.000000Z',
    updated_at: '2027-01-15T08:00:00.000000Z',
    ...changes,
  }
}
