import type { SubscriptionInput } from '../model/subscriptions/subscription.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import { DAY, HOUR } from './durations.js'

/** A subscription of the demo, and its later changes. */
export interface Watch {
  subscription: SubscriptionInput & { id: string }
  createdAt: Micros
  /** When it is disabled. */
  offAt?: Micros
  /** Present for a polled subscription, with the error if polling fails. */
  polled?: { error: string | undefined }
}

const POLLED = ['api_cursor', 'poll']
const NOT_PERMITTED =
  'The chat server https://chat.brindlequay.example has no such stream or topic, or does not show it to this account. ' +
  'Check the target of the subscription, and subscribe the account to the stream.'

/**
 * The subscriptions of the demo: enabled and disabled ones, temporary ones before and after their end, and polled ones,
 * one of which fails.
 *
 * @param begins the start of the demo's history
 * @param ends the end of the demo's history: the present
 */
export function demoWatches({ begins, ends }: { begins: Micros; ends: Micros }): Watch[] {
  return [
    {
      subscription: { id: 'demo-merged-everywhere', source: 'code_a', event_kinds: ['pull_request.merged'] },
      createdAt: begins,
    },
    {
      subscription: {
        id: 'demo-payments-failures',
        source: 'code_b',
        target: 'project:brindlequay/platform/payments',
        event_kinds: ['pipeline.failed', 'job.failed'],
      },
      createdAt: begins,
    },
    {
      subscription: {
        id: 'demo-ticket-issues',
        source: 'code_a',
        target: 'repo:brindlequay/ticket-app',
        event_kinds: ['issue.*', 'comment.created'],
      },
      createdAt: begins + 2 * DAY,
    },
    {
      subscription: {
        id: 'demo-forum-timetables',
        source: 'forum',
        target: 'category:timetables',
        event_kinds: ['post.created', 'reply.created'],
      },
      createdAt: begins,
    },
    {
      subscription: { id: 'demo-forum-likes', source: 'forum', event_kinds: ['post.liked'] },
      createdAt: begins,
      offAt: begins + 8 * DAY,
    },
    {
      subscription: {
        id: 'demo-incidents',
        source: 'chat',
        target: 'stream:operations/topic:incidents',
        event_kinds: ['message.created'],
        capture_modes: POLLED,
        metadata: { interval_seconds: 60, reason: 'No incident may go unnoticed.' },
      },
      createdAt: begins + HOUR,
      polled: { error: undefined },
    },
    temporary('demo-release-4.2', {
      target: 'stream:engineering/topic:release 4.2',
      createdAt: ends - 4 * DAY,
      hotUntil: ends + 2 * HOUR,
      expiresAt: ends + 9 * HOUR,
      reason: 'Follow the release until it is out.',
    }),
    temporary('demo-translations', {
      target: 'stream:engineering/topic:翻訳 and translations',
      createdAt: ends - 3 * DAY,
      hotUntil: ends - 2 * DAY,
      expiresAt: ends + 4 * DAY,
      reason: 'Waiting for the last strings; no hurry.',
    }),
    temporary('demo-storm-refunds', {
      target: 'stream:support/topic:refunds',
      createdAt: ends - 12 * DAY,
      hotUntil: ends - 11 * DAY,
      expiresAt: ends - 6 * DAY,
      reason: 'Refunds after the storm.',
    }),
    {
      subscription: {
        id: 'demo-lost-property',
        source: 'chat',
        target: 'stream:support/topic:found things',
        event_kinds: ['message.created'],
        capture_modes: POLLED,
        metadata: { interval_seconds: 300, reason: 'The topic was called so once.' },
      },
      createdAt: ends - 2 * DAY,
      polled: { error: NOT_PERMITTED },
    },
  ]
}

interface Temporary {
  target: string
  createdAt: Micros
  hotUntil: Micros
  expiresAt: Micros
  reason: string
}

/** Source: Event Ledger Service, "Subscription", temporary chat-platform topic watches. */
function temporary(id: string, { target, createdAt, hotUntil, expiresAt, reason }: Temporary): Watch {
  const metadata = {
    temporary: true,
    assignment_id: `assignment-${id.replace('demo-', '')}`,
    interval_seconds: 30,
    expires_at: toTimestamp(expiresAt),
    hot_until: toTimestamp(hotUntil),
    reason,
    content_policy: 'messages of this topic only',
    policy_boundary: 'until it expires',
  }
  return {
    subscription: { id, source: 'chat', target, event_kinds: ['message.created'], capture_modes: POLLED, metadata },
    createdAt,
    polled: { error: undefined },
  }
}
