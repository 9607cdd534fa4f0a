import t from 'tap'
import { AppError } from '../../../src/model/app-error.js'
import type { ChatServerOptions } from '../../support/chat-server/chat-server.js'
import { respondWith } from '../../support/chat-server/fault.js'
import { DEPLOYS, WATCH } from './capture-rig.js'
import { type LiveRig, liveRig } from './live-rig.js'

/** Feature level of servers that cannot follow a message. */
const OLDER = { featureLevel: 250 }
const followedBy = async ({ ledger }: LiveRig, id = 'deploys') => (await ledger.getSubscription(id)).capture?.followed

for (const [name, options] of Object.entries({ 'a server of today': {}, 'an older server': OLDER })) {
  t.test(`capture follows a resolved topic on ${name}, and not a new topic of the old name`, async t => {
    const rig = await liveRig(t, options)
    const { book } = rig.chat
    const ids = book.say(DEPLOYS, 2)
    await rig.recorded(2)
    const resolved = book.resolve(DEPLOYS)
    book.say(DEPLOYS)
    ids.push(...book.say(resolved))
    const events = await rig.recorded(5)
    t.same(
      events.map(({ kind, subject_id }) => [kind, Number(subject_id)]),
      [
        ['message.created', ids[0]],
        ['message.created', ids[1]],
        ['message.moved', ids[0]],
        ['message.moved', ids[1]],
        ['message.created', ids[2]],
      ],
    )
    t.match(await followedBy(rig), { topic: resolved.topic, stream: 'eng' })
    t.match(await rig.once(), { messages: 0 }, 'and capture continues there')
  })

  t.test(`capture follows a topic to another stream on ${name}`, async t => {
    const rig = await liveRig(t, options)
    const { book } = rig.chat
    const ids = book.say(DEPLOYS, 2)
    await rig.recorded(2)
    const there = { stream: 'ops', topic: 'releases' }
    book.move(DEPLOYS, there)
    ids.push(...book.say(there))
    const events = await rig.recorded(3, /created/)
    t.same(
      events.map(({ subject_id }) => Number(subject_id)),
      ids,
    )
    t.ok(events.every(({ subscription_ids }) => subscription_ids.includes('deploys')))
    t.match(await followedBy(rig), { topic: 'releases', stream: 'ops' })
    book.say(there)
    await rig.live.stop()
    t.match(await rig.once(), { outcome: 'captured' })
    t.equal((await rig.recorded(4, /created/)).length, 4)
  })
}

t.test('an edit before a move is recorded, even if both arrive in one answer', async t => {
  const rig = await liveRig(t)
  const { book } = rig.chat
  const [id = 0] = book.say(DEPLOYS)
  await rig.recorded(1)
  book.edit(id, 'Before.')
  const resolved = book.resolve(DEPLOYS)
  book.edit(id, 'After.')
  book.move(resolved, { stream: 'ops', topic: 'deploys' })
  const events = await rig.recorded(5)
  t.same(
    events.map(({ kind }) => kind),
    ['message.created', 'message.updated', 'message.moved', 'message.updated', 'message.moved'],
  )
})

t.test('a reaction before a move out of the topic is recorded, even if the store fails at first', async t => {
  const rig = await liveRig(t, {}, ({ ledger }) => ledger.saveSubscription({ ...WATCH, event_kinds: [] }))
  const { book } = rig.chat
  const [first = 0] = book.say(DEPLOYS, 2)
  await rig.recorded(2)
  const recordLive = rig.ledger.recordLive.bind(rig.ledger)
  let hasFailed = false
  rig.ledger.recordLive = async live => {
    if (hasFailed || !live.events.some(({ event }) => event.kind === 'reaction.added')) return recordLive(live)
    hasFailed = true
    throw new AppError('unavailable', 'store_busy', 'The store is busy.')
  }
  book.react(first, 'add')
  book.move(DEPLOYS, { stream: 'eng', topic: 'random' }, [first])
  await rig.recorded(1, /moved/)
  t.match(await rig.recorded(0, /reaction/), [{ subject_id: String(first), subscription_ids: ['deploys'] }])
  t.ok(hasFailed)
})

t.test('a reaction before a move out of the topic is recorded, even if a later event cannot be placed', async t => {
  let [old, fails] = [0, false]
  const fault: ChatServerOptions['fault'] = ({ path, query }) => {
    if (!fails || path !== '/api/v1/messages' || query.get('anchor') !== String(old)) return undefined
    fails = false
    return respondWith(502, {})
  }
  const rig = await liveRig(t, { fault }, async ({ chat, once, ledger }) => {
    await ledger.saveSubscription({ ...WATCH, event_kinds: [] })
    ;[old = 0] = chat.book.say(DEPLOYS, 2)
    // The first capture takes only the newest message.
    await once('deploys', { backfill: 1 })
  })
  const { book } = rig.chat
  const [id = 0] = book.say(DEPLOYS)
  await rig.recorded(2)
  fails = true
  book.react(id, 'add')
  book.move(DEPLOYS, { stream: 'eng', topic: 'random' }, [id])
  book.react(old, 'add')
  await rig.recorded(1, /moved/)
  t.match(await rig.recorded(0, /reaction/), [{ subject_id: String(id) }, { subject_id: String(old) }])
  t.notOk(fails)
})

t.test('an edit of a message before it moves into the topic is not recorded', async t => {
  const elsewhere = { stream: 'eng', topic: 'random' }
  const rig = await liveRig(t, {}, ({ ledger, chat }) => {
    chat.book.say(elsewhere, 2)
    return ledger.saveSubscription({ ...WATCH, event_kinds: [] })
  })
  const { book } = rig.chat
  const [message] = book.inTopic(elsewhere)
  const id = message?.id ?? 0
  book.edit(id, 'Elsewhere.')
  book.move(elsewhere, DEPLOYS, [id])
  book.edit(id, 'Here.')
  const events = await rig.recorded(2)
  t.same(
    events.map(({ kind, payload }) => [kind, payload?.content]),
    [
      ['message.moved', undefined],
      ['message.updated', 'Here.'],
    ],
  )
})

t.test('a topic that was renamed during an outage is recorded as moved, even if capture follows it first', async t => {
  const rig = await liveRig(t)
  const { book, queues } = rig.chat
  const ids = book.say(DEPLOYS, 2)
  await rig.recorded(2)
  await rig.live.stop()
  const resolved = book.resolve(DEPLOYS)
  book.edit(ids[1] ?? 0, 'After.')
  book.move(resolved, { stream: 'ops', topic: 'deploys' })
  rig.restart()
  const events = await rig.recorded(7)
  t.same(
    events
      .slice(2)
      .map(({ kind }) => kind)
      .sort(),
    [...Array.from({ length: 4 }, () => 'message.moved'), 'message.updated'],
  )
  t.ok(events.every(({ seen_count }) => seen_count === 1))
  t.equal(queues.registered.length, 1)
})

t.test('a single message that moves away does not move the watch', async t => {
  const rig = await liveRig(t, OLDER)
  const { book } = rig.chat
  const [first = 0, second = 0] = book.say(DEPLOYS, 2)
  await rig.recorded(2)
  const elsewhere = { stream: 'eng', topic: 'random' }
  book.move(DEPLOYS, elsewhere, [first])
  book.say(elsewhere)
  const [id] = book.say(DEPLOYS)
  const events = await rig.recorded(3, /created/)
  t.same(Number(events.at(-1)?.subject_id), id)
  t.match(await rig.recorded(1, /moved/), [
    { subject_id: String(first), payload: Object, target: { parent: { display: 'random' } } },
  ])
  t.match(await followedBy(rig), { message_id: second, topic: 'deploys' })
})

t.test('the renaming of a stream is recorded, and capture follows its new name', async t => {
  const rig = await liveRig(t, {}, ({ ledger, chat }) => {
    chat.book.say(DEPLOYS)
    return ledger.saveSubscription({ ...WATCH, id: 'eng', target: 'stream:eng', event_kinds: [] })
  })
  const { book } = rig.chat
  book.renameStream('eng', 'engineering')
  book.say({ stream: 'engineering', topic: 'x' })
  const events = await rig.recorded(3)
  t.match(events[1], { kind: 'stream.updated', subscription_ids: ['eng'] })
  t.match(events[2], { kind: 'message.created', subscription_ids: ['eng'] })
  t.match(await followedBy(rig, 'eng'), { stream: 'engineering' })
})

t.test(
  'messages that move into a watched topic are recorded as moved, with the mark of a watch that selects that kind',
  async t => {
    const rig = await liveRig(t, {}, ({ ledger, chat }) => {
      chat.book.say(DEPLOYS)
      return ledger.saveSubscription({ ...WATCH, event_kinds: ['message.*'] })
    })
    const { book } = rig.chat
    const [first = 0, second = 0] = book.say({ stream: 'eng', topic: 'random' }, 2)
    book.move({ stream: 'eng', topic: 'random' }, DEPLOYS, [second])
    book.move({ stream: 'eng', topic: 'random' }, { stream: 'eng', topic: 'chatter' }, [first])
    book.edit(second, 'Here now.')
    const events = await rig.recorded(3)
    t.match(
      events.slice(1).map(({ kind, subject_id, subscription_ids }) => [kind, Number(subject_id), ...subscription_ids]),
      [
        ['message.moved', second, 'deploys'],
        ['message.updated', second, 'deploys'],
      ],
    )
  },
)

t.test('a preview of a link that the server adds is not an edit', async t => {
  const rig = await liveRig(t)
  const { book } = rig.chat
  const [id = 0] = book.say(DEPLOYS)
  const preview = { type: 'update_message', user_id: null, rendering_only: true, message_id: id, message_ids: [id] }
  book.onEvent({ event: { ...preview, stream_id: 4, edit_timestamp: 1_900_000_000, content: 'x' } })
  book.react(id, 'add')
  t.same(
    (await rig.recorded(2)).map(({ kind }) => kind),
    ['message.created', 'reaction.added'],
  )
})
