import fc from 'fast-check'
import t, { type Test } from 'tap'
import { readEvent } from '../../src/ledger/read-event.js'
import { toTimestamp } from '../../src/model/timestamp.js'
import { keysOf } from '../support/events.js'
import { openStoredLedger } from './stored-ledger.js'

const DAY = 86_400_000_000
const NOW = 1_800_000_000_000_000
const START = NOW - 7 * DAY

/** A ledger whose clock is set by hand. */
async function openLedger(t: Test) {
  const { ledger, time } = await openStoredLedger(t, NOW)
  const deliverAt = (now: number, ...inputs: object[]) => {
    time.now = now
    return ledger.record(
      inputs.map(input => ({
        event: readEvent({ subject_type: 'message', kind: 'message.created', ...input }),
        provenance: { route: 'api', verified: 'none' } as const,
      })),
    )
  }
  return { ledger, time, deliverAt }
}

const said = (id: string, stream: string, topic: string, others: object = {}) => ({
  source: 'chat',
  subject_id: id,
  dedupe_key: id,
  payload: { raw: 'x'.repeat(100) },
  target: {
    type: 'message',
    key: `message:${id}`,
    parent: { type: 'topic', display: topic, parent: { type: 'stream', key: 'stream:4', display: stream } },
  },
  ...others,
})

t.test('a preview has counts by day, the newest matches and the interpreted subscription', async t => {
  const { ledger, time, deliverAt } = await openLedger(t)
  await deliverAt(START - 1, said('too old', 'eng', 'deploys'))
  await deliverAt(START, said('1', 'eng', 'deploys'), said('2', 'eng', 'lunch'))
  await deliverAt(START + 3 * DAY - 1, said('3', 'eng', 'deploys'))
  await deliverAt(
    START + 3 * DAY,
    said('4', 'eng', 'deploys'),
    said('5', 'eng', 'deploys', { kind: 'message.deleted' }),
  )
  await deliverAt(NOW + 5, said('6', 'eng', 'deploys'), said('7', 'eng', 'deploys', { source: 'forum' }))
  time.now = NOW
  const draft = { source: 'chat', target: 'stream:eng/topic:deploys', event_kinds: ['message.created'] }
  const preview = await ledger.previewSubscription(draft)
  t.same(
    preview.by_day,
    [1, 0, 1, 1, 0, 0, 1].map((count, day) => ({ start: toTimestamp(START + day * DAY), count })),
    'days of 24 hours, and the clock may be behind the newest event',
  )
  t.match(preview, { count: 4, seen: true, complete: true, counted_from: toTimestamp(START) })
  t.same(
    preview.examples.map(event => event.dedupe_key),
    ['6', '4', '3'],
  )
  t.match(preview.examples[0], { kind: 'message.created', actor: Object, captured_at: toTimestamp(NOW + 5) })
  t.notOk('payload' in (preview.examples[0] ?? {}))
  t.same(preview.understood, {
    source: 'chat',
    target: 'stream:eng/topic:deploys',
    scope: { type: 'topic', display: 'deploys', parent: { type: 'stream', display: 'eng' } },
    filters: { stream: 'eng', topic: 'deploys' },
    event_kinds: ['message.created'],
    actions: [{ kind: 'message.created', object_type: 'message', verb: 'created' }],
  })
  t.same(await ledger.listSubscriptions(), [], 'nothing is stored')
})

t.test('a preview reports whether its place has events of other kinds', async t => {
  const { ledger, deliverAt } = await openLedger(t)
  await deliverAt(NOW, said('1', 'eng', 'deploys'))
  const draft = (target: string) =>
    ledger.previewSubscription({ source: 'chat', target, event_kinds: ['message.deleted'] })
  t.match(await draft('stream:eng'), { count: 0, seen: true, examples: { length: 0 } })
  t.match(await draft('stream:english'), { count: 0, seen: false })
  t.match(await ledger.previewSubscription({ source: 'code_a' }), { count: 0, seen: false })
})

t.test(
  'a preview ignores whether a draft is enabled or expired, and merges it into the stored subscription',
  async t => {
    const { ledger, deliverAt } = await openLedger(t)
    await deliverAt(NOW, said('1', 'eng', 'deploys'), said('2', 'eng', 'lunch'))
    const over = {
      source: 'chat',
      target: 'stream:eng',
      enabled: false,
      metadata: { expires_at: '2020-01-01T00:00:00Z' },
    }
    t.match(await ledger.previewSubscription(over), { count: 2 })
    await ledger.saveSubscription({ ...over, id: 'watch' })
    t.match(await ledger.previewSubscription({ id: 'watch', target: 'stream:eng/topic:lunch' }, { role: 'open' }), {
      count: 1,
      understood: { source: 'chat', filters: { topic: 'lunch' } },
    })
    t.match(await ledger.getSubscription('watch'), { target: 'stream:eng', enabled: false })
  },
)

t.test('a subscription that cannot be saved cannot be previewed', async t => {
  const { ledger } = await openLedger(t)
  const mia = { role: 'member', userId: 'mia' } as const
  await ledger.saveSubscription({ id: 'others', source: 'chat', owner_user_id: 'otto' }, { role: 'admin' })
  const refused = (input: unknown) => ledger.previewSubscription(input, mia)
  await t.rejects(refused({ source: 'chat', target: 'nonsense' }), { errors: [{ field: '/target' }] })
  await t.rejects(refused({ target: 'stream:eng' }), { errors: [{ field: '/source' }] })
  await t.rejects(refused({ source: 'chat', metadata: { expires_at: 'soon' } }), { code: 'invalid_timestamp' })
  await t.rejects(refused({ id: 'others', source: 'chat' }), { code: 'forbidden' })
  await t.rejects(refused([]), { code: 'invalid_json' })
})

t.test('a preview finds exactly the events that the saved subscription marks', async t => {
  const { ledger, time, deliverAt } = await openLedger(t)
  const name = fc.constantFrom('eng', 'ops', '2024')
  const kind = fc.constantFrom('message.created', 'message.deleted', 'reaction.added')
  const draft = fc.record(
    {
      source: fc.constant('chat'),
      target: fc.oneof(
        name.map(stream => `stream:${stream}`),
        fc.tuple(name, name).map(([stream, topic]) => `stream:${stream}/topic:${topic}`),
      ),
      event_kinds: fc.array(fc.oneof(kind, fc.constant('message.*')), { maxLength: 2 }),
    },
    { requiredKeys: ['source'] },
  )
  let round = 0
  await fc.assert(
    fc.asyncProperty(draft, fc.array(fc.tuple(name, name, kind), { maxLength: 30 }), async (form, happened) => {
      const begin = NOW + 8 * DAY * ++round
      const id = `watch-${round}`
      await ledger.saveSubscription({ ...form, id })
      await deliverAt(
        begin,
        ...happened.map(([stream, topic, kind], at) => said(`${id}/${at}`, stream, topic, { kind })),
      )
      time.now = begin + DAY
      const marked = await ledger.query({ order: 'desc', limit: 500, subscriptionIds: [id], from: begin })
      const { count, examples } = await ledger.previewSubscription(form)
      t.equal(count, marked.count)
      t.same(
        examples.map(event => event.dedupe_key),
        keysOf(marked).slice(0, 3),
      )
    }),
    { numRuns: 40 },
  )
})

t.test('a preview whose caller has left is aborted', async t => {
  const { ledger } = await openLedger(t)
  const gone = new AbortController()
  gone.abort(new Error('gone'))
  await t.rejects(ledger.previewSubscription({ source: 'chat' }, { role: 'open' }, gone.signal), { message: 'gone' })
})
