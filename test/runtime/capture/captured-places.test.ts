import t from 'tap'
import { eventsOf } from '../../../src/model/events/event-query.js'
import { chatServer } from '../../support/chat-server/chat-server.js'
import { MessageBook } from '../../support/chat-server/message-book.js'
import { untilIndexed } from '../../support/events.js'
import { allEvents, type CaptureRig, captureRig, DEPLOYS, deliver, NOON, WATCH } from './capture-rig.js'

const RANDOM = { stream: 'eng', topic: 'random' }

const idsOf = async ({ ledger }: CaptureRig, subscriptionId: string) =>
  eventsOf(await ledger.query({ order: 'asc', limit: 500, since: 0, subscriptionIds: [subscriptionId] })).map(event =>
    Number(event.subject_id),
  )

t.test('a webhook message under the new name of a topic is marked once capture knows the name', async t => {
  const rig = await captureRig(t)
  const { book } = rig.chat
  const ids = book.say(DEPLOYS, 2)
  await rig.once()
  const resolved = book.resolve(DEPLOYS)
  await rig.once()
  const [posted = 0] = book.say(resolved)
  await deliver(rig, posted)
  t.same(await idsOf(rig, 'deploys'), [...ids, posted])
  t.match(await rig.ledger.getSubscription('deploys'), { last_cursor: String(posted) })
  const [elsewhere = 0] = book.say(RANDOM)
  await deliver(rig, elsewhere)
  t.same(await idsOf(rig, 'deploys'), [...ids, posted], 'and nothing else is')
})

t.test(
  'after a restart, a webhook message under a known new name is marked, in any stream and letter case',
  async t => {
    const rig = await captureRig(t)
    const { book } = rig.chat
    book.say(DEPLOYS, 2)
    await rig.once()
    book.move(DEPLOYS, { stream: 'ops', topic: 'Deployments' })
    await rig.once()
    const restarted = { ...rig, ledger: await rig.reopen() }
    const [posted = 0] = book.say({ stream: 'ops', topic: 'deployments' })
    await deliver(restarted, posted)
    t.equal((await idsOf(rig, 'deploys')).at(-1), posted)
    book.renameStream('ops', 'operations')
    const [later = 0] = book.say({ stream: 'operations', topic: 'Deployments' })
    await deliver(restarted, later)
    t.equal((await idsOf(rig, 'deploys')).at(-1), later, 'the id of the stream stays when it is renamed')
  },
)

t.test('a webhook message under the new name of a stream is marked', async t => {
  const rig = await captureRig(t)
  await rig.ledger.saveSubscription({ ...WATCH, id: 'eng', target: 'stream:eng' })
  rig.chat.book.say(RANDOM)
  await rig.once('eng')
  rig.chat.book.renameStream('eng', 'engineering')
  const [posted = 0] = rig.chat.book.say({ stream: 'engineering', topic: 'x' })
  await deliver(rig, posted)
  t.equal((await idsOf(rig, 'eng')).at(-1), posted)
})

t.test('a watch with a new target is not marked on messages of the previous place', async t => {
  const rig = await captureRig(t)
  const { book } = rig.chat
  book.say(DEPLOYS, 2)
  await rig.once()
  const resolved = book.resolve(DEPLOYS)
  await rig.once()
  await rig.ledger.saveSubscription({ id: 'deploys', target: 'stream:eng/topic:random' })
  const [posted = 0] = book.say(resolved)
  await deliver(rig, posted)
  t.notOk((await idsOf(rig, 'deploys')).includes(posted))
})

t.test('equal ids on another server are another place', async t => {
  const rig = await captureRig(t)
  rig.chat.book.say(DEPLOYS, 2)
  await rig.once()
  const resolved = rig.chat.book.resolve(DEPLOYS)
  await rig.once()
  const book = new MessageBook({ firstId: 500 })
  const other = { ...rig, chat: { ...rig.chat, url: 'https://other.example.org', book } }
  const [posted = 0] = book.say(resolved)
  await deliver(other, posted)
  t.notOk((await idsOf(rig, 'deploys')).includes(posted))
  const [named = 0] = book.say(DEPLOYS)
  await deliver(other, named)
  t.ok((await idsOf(rig, 'deploys')).includes(named), 'the name that it is set to counts anywhere')
  t.match(await rig.ledger.getSubscription('deploys'), { last_cursor: '2' }, 'but ids of one server only are compared')
})

t.test('an event that a webhook delivered under an unknown name is marked when capture finds it', async t => {
  const rig = await captureRig(t)
  const { book } = rig.chat
  const ids = book.say(DEPLOYS, 2)
  await rig.once()
  const [posted = 0] = book.say(book.resolve(DEPLOYS))
  await deliver(rig, posted)
  t.same(await idsOf(rig, 'deploys'), ids)
  rig.clock.now += 1_000_000
  t.match(await rig.once(), { messages: 1, created: 0, duplicates: 1 })
  t.same(await idsOf(rig, 'deploys'), [...ids, posted])
  const event = (await allEvents(rig.ledger)).at(-1)
  t.match(event, { subscription_ids: ['deploys'], seen_count: 2, provenance: { route: 'webhook' } })
  t.match(await rig.ledger.getSubscription('deploys'), { last_event_at: event?.captured_at })
})

t.test('a second watch over messages that the ledger holds already is marked on them', async t => {
  const rig = await captureRig(t)
  const ids = rig.chat.book.say(DEPLOYS, 5)
  await rig.once()
  // From then on the search index finds them.
  await untilIndexed(rig.ledger)
  await rig.ledger.saveSubscription({ ...WATCH, id: 'second' })
  t.match(await rig.once('second'), { messages: 5, created: 0, duplicates: 5 })
  t.same(await idsOf(rig, 'second'), ids)
  t.same(await idsOf(rig, 'deploys'), ids)
  await rig.once('second')
  for (const { subscription_ids: marked } of await allEvents(rig.ledger)) t.same(marked, ['deploys', 'second'])
})

t.test(
  'capture of another chat server starts from the beginning, regardless of message ids, and reports that',
  async t => {
    const rig = await captureRig(t, { book: new MessageBook({ firstId: 5_000 }) })
    rig.chat.book.say(DEPLOYS, 3)
    const first = await rig.once()
    t.match(first, { created: 3, last_cursor: '5002' })
    t.notOk('previous_host' in first)
    const other = await chatServer(t)
    const chat = { site: other.url, email: other.email, api_key: other.apiKey }
    const { host } = new URL(other.url)
    other.book.say(DEPLOYS, 4)
    t.match(await rig.once('deploys', { chat }), {
      messages: 4,
      created: 4,
      last_cursor: '4',
      previous_host: new URL(rig.chat.url).host,
    })
    t.match(await rig.ledger.getSubscription('deploys'), {
      last_cursor: '4',
      capture: { host, read_to: '4', followed: { message_id: 1 } },
    })
    other.book.say(DEPLOYS, 1)
    const next = await rig.once('deploys', { chat })
    t.match(next, { messages: 1, last_cursor: '5' })
    t.notOk('previous_host' in next, 'once')
  },
)

t.test('capture of another chat server starts from the beginning even before its first message', async t => {
  const rig = await captureRig(t)
  rig.chat.book.say(DEPLOYS, 3)
  await rig.once()
  const other = await chatServer(t)
  other.book.say({ stream: 'eng', topic: 'other' })
  const chat = { site: other.url, email: other.email, api_key: other.apiKey }
  t.match(await rig.once('deploys', { chat }), { outcome: 'captured', messages: 0, last_cursor: null })
  const { capture } = await rig.ledger.getSubscription('deploys')
  t.match(capture, { read_to: '0', followed: null })
  other.book.say(DEPLOYS, 2)
  t.match(await rig.once('deploys', { chat }), { messages: 2, created: 2, last_cursor: '3' })
})

t.test('an unreachable other server does not change the state of a watch', async t => {
  const rig = await captureRig(t)
  rig.chat.book.say(DEPLOYS, 3)
  await rig.once()
  const before = await rig.ledger.getSubscription('deploys')
  const chat = { site: 'http://127.0.0.1:1', email: 'bot@example.org', api_key: 'k' }
  t.match(await rig.once('deploys', { chat }), { outcome: 'failed' })
  const { last_cursor, capture } = await rig.ledger.getSubscription('deploys')
  t.equal(last_cursor, before.last_cursor)
  t.match(capture, { host: new URL(rig.chat.url).host, read_to: '3' })
})

t.test('the position of an older release counts for the configured server', async t => {
  const rig = await captureRig(t)
  const ids = rig.chat.book.say(DEPLOYS, 10)
  await rig.ledger.noteCapture('deploys', { read_to: String(ids[6]) })
  const capture = await rig.once('deploys', { backfill: 1 })
  t.match(capture, { messages: 3 })
  t.notOk('previous_host' in capture)
})

t.test(
  'a watch shows when its last capture began, even if the capture was interrupted, and is then due immediately',
  async t => {
    const stop = new AbortController()
    let pages = 0
    const rig = await captureRig(t, {
      fault: ({ path }) =>
        path.endsWith('/messages') && pages++ === 2 ? { kind: 'slow', until: new Promise(() => undefined) } : undefined,
      pageMessages: 100,
    })
    rig.chat.book.say(DEPLOYS, 250)
    await rig.ledger.noteCapture('deploys', { read_to: '0' })
    const request = rig.request({ subscription_id: 'deploys' })
    const onProgress = ({ messages }: { messages: number }) => {
      rig.clock.now += 1_000_000
      if (messages === 200) stop.abort(new Error('killed'))
    }
    await t.rejects(rig.captures.run(request, { signal: stop.signal, onProgress }), { message: 'killed' })
    const { capture } = await rig.ledger.getSubscription('deploys')
    t.match(capture, { read_to: '200', last_attempt_at: '2027-01-15T08:00:00.000000Z', last_success_at: null })
    t.equal(rig.clock.now, NOON + 2_000_000)
    t.equal(capture?.next_due_at, '2027-01-15T08:00:02.000000Z')
  },
)

t.test('unknown members of `capture` are null', async t => {
  const rig = await captureRig(t)
  const nothing = {
    host: null,
    read_to: null,
    followed: null,
    last_attempt_at: null,
    last_success_at: null,
    last_error: null,
    failures: 0,
    wait_until: null,
    reread: null,
  }
  const due = '2027-01-15T08:00:00.000000Z'
  t.same((await rig.ledger.getSubscription('deploys')).capture, { ...nothing, next_due_at: due })
  const saved = await rig.ledger.saveSubscription({ ...WATCH, id: 'all', target: '' })
  t.same(saved.subscription.capture, { ...nothing, next_due_at: null }, 'it cannot be captured')
  rig.chat.book.say(DEPLOYS)
  await rig.ledger.saveSubscription({ ...WATCH, id: 'by-hand', capture_modes: ['webhook'] })
  await rig.once('by-hand')
  const byHand = (await rig.ledger.listSubscriptions()).find(({ id }) => id === 'by-hand')
  t.same(Object.keys(byHand?.capture ?? {}).sort(), [...Object.keys(nothing), 'next_due_at'].sort())
  t.match(byHand?.capture, { read_to: '1', next_due_at: null })
})
