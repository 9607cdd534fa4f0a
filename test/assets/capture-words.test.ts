import t from 'tap'
import {
  captureWords,
  expiredWords,
  failureText,
  timeLeft,
} from '../../assets/observatory/subscriptions/capture-words.js'
import { IS_SHOWN } from '../../assets/observatory/subscriptions/list-filters.js'
import { toMs } from '../../assets/shared/words/time.js'
import type { Subscription } from '../../src/model/subscriptions/subscription.js'
import { storedSubscription } from '../support/subscription.js'

const NOW = toMs('2026-11-20T14:31:58Z')
const READ = ['api_cursor', 'poll']

function watch(members: Partial<Subscription> = {}): Subscription {
  return storedSubscription({
    id: 'w',
    target: 'stream:eng',
    created_at: '2026-11-20T12:00:00.000000Z',
    updated_at: '2026-11-20T12:00:00.000000Z',
    ...members,
  })
}

const FINE = {
  last_attempt_at: '2026-11-20T14:31:40.000000Z',
  last_success_at: '2026-11-20T14:31:40.000000Z',
  next_due_at: '2026-11-20T14:32:10.000000Z',
  failures: 0,
}
const FAILING = {
  ...FINE,
  last_success_at: '2026-11-20T14:08:00.000000Z',
  last_error: 'Chat refused the key (401 invalid_api_key).',
  failures: 6,
  next_due_at: '2026-11-20T14:39:00.000000Z',
}

const CASES: [name: string, members: Partial<Subscription>, state: string, words: string][] = [
  ['a webhook', {}, 'delivered', 'Webhook'],
  ['a program of its own', { source: 'backup' }, 'delivered', 'Sent by a program'],
  ['switched off', { enabled: false, capture_modes: READ, capture: FAILING }, 'off', 'Off'],
  ['over', { metadata: { expires_at: '2026-11-18T10:00:00Z' } }, 'over', 'Expired 18 Nov'],
  [
    ...([
      'hot',
      { capture_modes: READ, capture: FINE, metadata: { interval_seconds: 30, hot_until: '2026-11-20T15:10:00Z' } },
    ] as const),
    ...(['hot', 'Every 30 s until 15:10'] as const),
  ],
  [
    ...([
      'cold',
      { capture_modes: READ, capture: FINE, metadata: { interval_seconds: 30, hot_until: '2026-11-20T13:00:00Z' } },
    ] as const),
    ...(['cold', 'Every 5 min since 13:00'] as const),
  ],
  ['always the same', { capture_modes: READ, capture: FINE }, 'steady', 'Every 1 min'],
  ['failing', { capture_modes: READ, capture: FAILING }, 'failing', 'Failing since 14:08'],
  [
    'failing from the first',
    { capture_modes: READ, capture: { ...FAILING, last_success_at: null } },
    'failing',
    'Failing, never captured',
  ],
  [
    'not captured',
    { capture_modes: READ, capture: { next_due_at: '2026-11-20T14:31:58Z' } },
    'late',
    'Every 1 min, not captured yet',
  ],
  [
    ...([
      'no longer captured',
      {
        capture_modes: READ,
        capture: { ...FINE, next_due_at: '2026-11-20T14:20:00Z', last_success_at: '2026-11-20T14:19:00Z' },
      },
    ] as const),
    ...(['late', 'Every 1 min, not captured since 14:19'] as const),
  ],
  [
    'not a place of the chat',
    { source: 'forum', capture_modes: READ, capture: { next_due_at: null } },
    'unreadable',
    'Cannot be polled',
  ],
]

t.test('a few words describe how a subscription receives its events', async t => {
  for (const [name, members, state, words] of CASES) {
    const said = captureWords(watch(members), { now: NOW, isPlatform: members.source !== 'backup', zone: 'UTC' })
    t.same([said.state, said.words.replaceAll('\u202f', ' ')], [state, words], name)
  }
})

t.test('a failing capture shows the reason, the number of failures and the time of the next attempt', async t => {
  const trouble = (capture: Subscription['capture']) =>
    failureText(watch({ capture_modes: READ, ...(capture ? { capture } : {}) }), NOW, 'UTC')
  t.equal(trouble(FAILING), 'Chat refused the key (401 invalid_api_key). Failed 6 times, next attempt at 14:39.')
  t.equal(
    trouble({ ...FAILING, failures: 1, last_error: null, next_due_at: '2026-11-20T14:31:00Z' }),
    'Failed 1 time, next attempt now.',
  )
  t.equal(trouble(FINE), undefined)
  t.equal(failureText(watch({ enabled: false, capture: FAILING }), NOW), undefined)
})

t.test('the remaining time is shown in its largest units, and as a fraction of the whole', async t => {
  const until = (at: string) => timeLeft(watch({ metadata: { expires_at: at } }), NOW)
  t.same(until('2026-11-20T15:18:58Z'), {
    words: '47\u202fmin left',
    part: (47 * 60_000) / (toMs('2026-11-20T15:18:58Z') - toMs('2026-11-20T12:00:00Z')),
  })
  t.equal(until('2026-11-20T16:43:59Z')?.words, '2\u202fh 12\u202fmin left')
  t.equal(until('2026-11-20T15:18:57Z')?.words, '46\u202fmin left', 'without seconds')
  t.equal(until('2026-11-20T14:32:10Z')?.words, 'Less than a minute left')
  t.same([until('2026-11-20T14:31:58Z'), until('nonsense'), timeLeft(watch(), NOW)], [undefined, undefined, undefined])
  t.equal(expiredWords(watch({ metadata: { expires_at: '2026-11-20T14:31:58Z' } }), NOW, 'UTC'), 'Expired 14:31')
})

t.test('each choice of the list selects what its label describes', async t => {
  const shown = (members: Partial<Subscription>) =>
    (['mine', 'temporary', 'failing', 'off'] as const).filter(choice => IS_SHOWN[choice](watch(members), NOW, 'ada'))
  t.same(shown({}), [])
  t.same(shown({ owner_user_id: 'ada' }), ['mine'])
  t.same(shown({ metadata: { expires_at: '2026-11-21T00:00:00Z' }, capture: FAILING }), ['temporary', 'failing'])
  t.same(shown({ metadata: { expires_at: '2026-11-19T00:00:00Z' }, capture: FAILING }), ['off'])
  t.same(shown({ enabled: false, capture: FAILING }), ['off'])
})
