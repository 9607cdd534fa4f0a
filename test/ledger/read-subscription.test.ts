import t from 'tap'
import { readSubscription } from '../../src/ledger/read-subscription.js'
import type { AppError } from '../../src/model/app-error.js'

const NOW = '2031-05-04T09:00:00.000000Z'
const ADMIN = { role: 'admin' } as const

const read = (input: object) => readSubscription(input, undefined, { id: 'sub_1', now: NOW, caller: ADMIN })

function problemsOf(input: object) {
  try {
    read(input)
    return []
  } catch (error) {
    return (error as AppError).errors
  }
}

t.test('a refusal names every problem of a subscription', async t => {
  const metadata = { expires_at: 'soon', hot_until: '2031-05-04T09:00:00' }
  const problems = problemsOf({
    source: 'chat',
    target: 'no place',
    event_kinds: ['message.*', 'mess*', '!message.created'],
    actions: [{ kind: '*.created' }],
    metadata,
    last_event_at: 'soon',
  })
  const fields = ['/actions/0/kind', '/event_kinds/1', '/event_kinds/2', '/last_event_at']
  t.same(problems.map(({ field }) => field).sort(), [
    ...fields,
    '/metadata/expires_at',
    '/metadata/hot_until',
    '/target',
  ])
  t.match(problemsOf({ source: 'chat', last_cursor: 5, metadata }), [
    { field: '/last_cursor', detail: '/last_cursor must be string or null.' },
    { field: '/metadata/expires_at' },
    { field: '/metadata/hot_until' },
  ])
  t.throws(() => read({ source: 'chat', metadata }), { code: 'invalid_timestamp' })
})

t.test('a kind pattern is a kind, a prefix, or all kinds', async t => {
  const event_kinds = ['*', 'message.*', 'message.created', 'a']
  t.match(read({ source: 'chat', event_kinds }), { event_kinds })
})

t.test('a kind pattern that an older ledger accepted stays until it is changed', async t => {
  const stored = { ...read({ source: 'chat', event_kinds: ['a'] }), event_kinds: ['mess*'] }
  const given = { id: 'sub_1', now: NOW, caller: ADMIN }
  t.match(readSubscription({ ...stored, enabled: false }, stored, given), { enabled: false, event_kinds: ['mess*'] })
  t.throws(() => readSubscription({ event_kinds: ['pat*'] }, stored, given), { errors: [{ field: '/event_kinds/0' }] })
})

t.test('a changed target changes only the filters that are derived from it', async t => {
  const sent = { source: 'code_a', target: 'repo:ada/engine', filters: { branch: 'main' } }
  const stored = read(sent)
  t.same(stored.filters, { repository: 'ada/engine', branch: 'main' })
  const given = { id: 'sub_1', now: NOW, caller: ADMIN }
  t.same(readSubscription({ target: 'repo:ada/loom' }, stored, given).filters, {
    repository: 'ada/loom',
    branch: 'main',
  })
})

t.test('a refusal that omits problems reports that', async t => {
  const problems = problemsOf({ source: 'chat', event_kinds: Array.from({ length: 60 }, () => 5) })
  t.match(problems.at(-1), { field: '', detail: 'There may be more.' })
  t.equal(problemsOf({ source: 'chat', event_kinds: [5] }).length, 1)
})
