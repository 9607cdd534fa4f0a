import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { StoredEvent } from '../../../src/model/events/event.js'
import type { Asked } from '../../support/chat-server/chat-server.js'
import { rateLimited, respondWith } from '../../support/chat-server/fault.js'
import { MessageBook } from '../../support/chat-server/message-book.js'
import { until } from '../../support/until.js'
import { allEvents, DEPLOYS, WATCH } from './capture-rig.js'
import { type LiveRig, liveRig } from './live-rig.js'

const RANDOM = { stream: 'eng', topic: 'random' }
const ALL = { ...WATCH, event_kinds: [] }

const happened = (events: readonly StoredEvent[]) => events.map(({ kind, subject_id }) => [kind, Number(subject_id)])
const isOnce = (events: readonly StoredEvent[]) => events.every(({ seen_count }) => seen_count === 1)
/** Waits for the stored state, which is saved after the first messages are recorded. */
async function trackedBy({ ledger }: LiveRig): Promise<Record<string, unknown>> {
  for (;;) {
    const { capture } = await ledger.getSubscription('deploys')
    if (capture?.tracked) return capture.tracked
    await sleep(5)
  }
}
/** The request that reads messages again. */
const isReread = ({ path, query }: Asked) => path === '/api/v1/messages' && query.get('num_before') === '1000'
const rereads = ({ chat }: LiveRig) => chat.asked.filter(isReread).length

/** Makes changes while no queue is read, and waits until the next queue is read. */
async function whileLost(rig: LiveRig, work: () => unknown): Promise<void> {
  await trackedBy(rig)
  await rig.live.stop()
  rig.chat.queues.forget()
  await work()
  rig.restart()
  await rig.isLive()
}

t.test('a message that moved into the topic and away without a queue has an event for each move', async t => {
  const rig = await liveRig(t, {}, ({ ledger, chat }) => {
    chat.book.say(DEPLOYS)
    chat.book.say(RANDOM, 2)
    return ledger.saveSubscription(ALL)
  })
  const { book } = rig.chat
  const [{ id = 0 } = {}] = book.inTopic(RANDOM)
  book.move(RANDOM, DEPLOYS, [id])
  await rig.recorded(2)
  await whileLost(rig, () => book.move(DEPLOYS, RANDOM, [id]))
  t.same(happened(await rig.recorded(3)).slice(1), [
    ['message.moved', id],
    ['message.moved', id],
  ])
})

t.test('edits, moves and deletions without a queue are recorded once, with the keys of the queue', async t => {
  const rig = await liveRig(t, {}, ({ ledger }) => ledger.saveSubscription(ALL))
  const { book } = rig.chat
  const [first = 0, edited = 0, gone = 0, moved = 0, last = 0] = book.say(DEPLOYS, 5)
  const [comes = 0] = book.say(RANDOM)
  book.edit(first, 'Recorded by the queue.')
  await rig.recorded(6)
  const times: number[] = []
  await whileLost(rig, () => {
    times.push(book.edit(edited, 'Once.'), book.edit(edited, 'Twice.'))
    book.move(DEPLOYS, RANDOM, [moved])
    book.move(RANDOM, DEPLOYS, [comes])
    book.delete(gone)
    book.delete(last)
  })
  const missed = (await allEvents(rig.ledger)).slice(6)
  t.same(happened(missed), [
    // Capture reads a young message that has come into the topic.
    ['message.created', comes],
    ['message.updated', edited],
    ['message.updated', edited],
    ['message.moved', comes],
    ['message.deleted', last],
    ['message.moved', moved],
    ['message.deleted', gone],
  ])
  const keys = missed.map(({ dedupe_key }) => dedupe_key)
  for (const time of times) t.ok(keys.some(key => key.endsWith(`:message:${edited}:updated:${time}`)))
  t.ok(keys.some(key => key.endsWith(`:message:${gone}:deleted`)))
  t.ok(missed.every(({ subscription_ids }) => subscription_ids.includes('deploys')))
  t.ok(missed.every(({ provenance }) => provenance.route === 'capture'))
  t.match(
    rig.log.filter(([, , text]) => /no event queue/.test(text)),
    [['info', { recorded: 6 }]],
  )
  await whileLost(rig, () => undefined)
  const events = await allEvents(rig.ledger)
  t.equal(events.length, 13, 'another loss records none of them again')
  t.ok(isOnce(events))
})

t.test('a change that the queue also reports is one event', async t => {
  let during = () => {}
  const rig = await liveRig(t, { fault: asked => void (isReread(asked) && during()) })
  const { book } = rig.chat
  const [edited = 0, gone = 0] = book.say(DEPLOYS, 3)
  await rig.recorded(3)
  await whileLost(rig, () => {
    during = () => {
      during = () => {}
      book.edit(edited, 'The new queue has it.')
      book.delete(gone)
    }
  })
  await rig.recorded(5)
  book.say(DEPLOYS)
  const events = await rig.recorded(6)
  t.same(
    happened(events)
      .slice(3)
      .map(([kind]) => kind)
      .sort(),
    ['message.created', 'message.deleted', 'message.updated'],
  )
  t.ok(isOnce(events))
})

t.test('a restart with the same queue reads no messages again', async t => {
  const rig = await liveRig(t)
  rig.chat.book.say(DEPLOYS)
  await rig.recorded(1)
  await rig.live.stop()
  rig.restart()
  await rig.isLive()
  t.equal(rereads(rig), 0)
  await whileLost(rig, () => undefined)
  t.equal(rereads(rig), 1)
})

t.test('changes from before the watch are not recorded', async t => {
  const clock = { seconds: 1_800_000_000 - 86_400 }
  const book = new MessageBook({ now: () => clock.seconds++ })
  const rig = await liveRig(t, { book }, () => {
    const [id = 0, gone = 0] = book.say(DEPLOYS, 3)
    book.edit(id, 'Long ago.')
    book.delete(gone)
    clock.seconds += 86_400 + 60
  })
  const [id = 0] = book.say(DEPLOYS)
  await rig.recorded(3)
  await whileLost(rig, () => void book.edit(id, 'Now.'))
  t.same(happened(await rig.recorded(4)).at(-1), ['message.updated', id])
  t.equal((await allEvents(rig.ledger)).length, 4)
})

t.test('a message that moved out of the access of the account is recorded as deleted, as in the queue', async t => {
  const rig = await liveRig(t)
  const { book } = rig.chat
  const [id = 0] = book.say(DEPLOYS, 2)
  await rig.recorded(2)
  await whileLost(rig, () => void book.hide(id))
  t.same(happened(await rig.recorded(3)).at(-1), ['message.deleted', id])
})

t.test('a topic that was renamed without a queue is followed, and its edits before and after are recorded', async t => {
  const rig = await liveRig(t)
  const { book } = rig.chat
  const [one = 0, two = 0] = book.say(DEPLOYS, 2)
  await rig.recorded(2)
  await whileLost(rig, () => {
    book.edit(two, 'Before.')
    const resolved = book.resolve(DEPLOYS)
    book.edit(two, 'After.')
    const [other = 0] = book.say(DEPLOYS)
    book.edit(other, 'Another topic of the old name.')
    book.move(resolved, { stream: 'ops', topic: 'deploys' })
  })
  const missed = (await allEvents(rig.ledger)).slice(2)
  t.same(happened(missed), [
    ['message.updated', two],
    ['message.moved', one],
    ['message.moved', two],
    ['message.updated', two],
    ['message.moved', one],
    ['message.moved', two],
  ])
})

t.test('the messages of a whole stream are read again', async t => {
  const rig = await liveRig(t, {}, ({ ledger, chat }) => {
    chat.book.say(RANDOM, 2)
    return ledger.saveSubscription({ ...ALL, target: 'stream:eng' })
  })
  const { book } = rig.chat
  const [one = 0, two = 0] = book.inTopic(RANDOM).map(({ id }) => id)
  const [three = 0] = book.say(DEPLOYS)
  await rig.recorded(3)
  await whileLost(rig, () => {
    book.edit(one, 'Changed.')
    book.move(RANDOM, { stream: 'ops', topic: 'random' }, [two])
    book.delete(three)
  })
  t.same(happened((await allEvents(rig.ledger)).slice(3)), [
    ['message.updated', one],
    ['message.deleted', three],
    ['message.moved', two],
  ])
})

t.test('recent messages are read again over several pages', async t => {
  const clock = { seconds: 1_800_000_000 }
  const book = new MessageBook({ now: () => clock.seconds })
  const rig = await liveRig(t, { book, pageMessages: 3 })
  rig.clock.now = clock.seconds * 1_000_000
  const ids = book.say(DEPLOYS, 3)
  await rig.recorded(3)
  clock.seconds += 8 * 86_400
  ids.push(...book.say(DEPLOYS, 8))
  await rig.recorded(11)
  rig.clock.now = clock.seconds * 1_000_000
  await whileLost(rig, () => {
    for (const id of ids) book.edit(id, 'Changed.')
    for (const id of [ids[0], ids[7]]) book.delete(id ?? 0)
  })
  const missed = happened((await allEvents(rig.ledger)).slice(11))
  // The third page begins among the old messages, and ends the reading.
  t.same(
    missed.map(([, id]) => id).sort((left, right) => Number(left) - Number(right)),
    ids.slice(1),
    'the oldest message is not reached',
  )
  t.same(
    missed.filter(([kind]) => kind === 'message.deleted'),
    [['message.deleted', ids[7]]],
  )
})

t.test('an empty answer for a stream is not recorded as deletions', async t => {
  let isBlind = false
  const nothing = respondWith(200, { result: 'success', messages: [], found_newest: true, found_oldest: true })
  const rig = await liveRig(t, { fault: ({ path }) => (isBlind && path === '/api/v1/messages' ? nothing : undefined) })
  rig.chat.book.say(DEPLOYS, 3)
  await rig.recorded(3)
  await whileLost(rig, () => {
    isBlind = true
  })
  t.equal((await allEvents(rig.ledger)).length, 3)
  isBlind = false
  const [gone = 0] = rig.chat.book.inTopic(DEPLOYS).map(({ id }) => id)
  await whileLost(rig, () => {
    for (const { id } of rig.chat.book.inTopic(DEPLOYS)) rig.chat.book.delete(id)
    rig.chat.book.say(RANDOM)
  })
  t.same(
    happened(await rig.recorded(6))
      .slice(3)
      .at(-1),
    ['message.deleted', gone],
    'a topic without messages is one',
  )
})

t.test('messages that the plan of the server hides are not recorded as deleted', async t => {
  let isLimited = false
  const rig = await liveRig(t, {
    fault: asked => {
      if (!isLimited || !isReread(asked)) return undefined
      const messages = rig.chat.book.inTopic(DEPLOYS).slice(-1)
      const answers = messages.map(message => rig.chat.book.toAnswer(message, { html: false, emptyTopic: true }))
      return respondWith(200, { result: 'success', messages: answers, found_oldest: true, history_limited: true })
    },
  })
  rig.chat.book.say(DEPLOYS, 3)
  await rig.recorded(3)
  await whileLost(rig, () => {
    isLimited = true
  })
  t.equal((await allEvents(rig.ledger)).length, 3)
  t.equal(rig.chat.asked.filter(({ path }) => /messages\/\d/.test(path)).length, 0, 'nor asked for')
})

t.test('a watch that was disabled records the missed changes', async t => {
  const rig = await liveRig(t)
  const { book } = rig.chat
  const [id = 0, gone = 0] = book.say(DEPLOYS, 3)
  await rig.recorded(3)
  rig.clock.now += 60_000_000
  await rig.ledger.saveSubscription({ id: 'deploys', enabled: false })
  book.edit(id, 'Unseen.')
  book.delete(gone)
  await until(() => rig.chat.queues.read)
  rig.clock.now += 60_000_000
  await rig.ledger.saveSubscription({ id: 'deploys', enabled: true })
  book.say(DEPLOYS)
  const events = await rig.recorded(6)
  t.same(happened(events).slice(3), [
    ['message.created', gone + 2],
    ['message.updated', id],
    ['message.deleted', gone],
  ])
})

t.test('an interrupted reading is repeated, and no change is recorded twice', async t => {
  let failures = 0
  const lookups = ({ path }: Asked) => /messages\/\d/.test(path)
  const rig = await liveRig(t, {
    fault: asked => {
      if (failures === 0 || !(lookups(asked) || isReread(asked))) return undefined
      return failures-- % 2 === 0 ? rateLimited(0.2) : respondWith(502, {})
    },
  })
  const { book } = rig.chat
  const ids = book.say(DEPLOYS, 8)
  await rig.recorded(8)
  await whileLost(rig, () => {
    failures = 4
    book.edit(ids[7] ?? 0, 'Changed.')
    for (const id of ids.slice(1, 5)) book.delete(id)
  })
  await rig.recorded(13)
  t.equal(failures, 0)
  t.ok(isOnce(await allEvents(rig.ledger)))
})

t.test('a chat server that refuses to show messages again does not block the queue', async t => {
  let isRefused = false
  const refusal = respondWith(403, { result: 'error', code: 'UNAUTHORIZED_PRINCIPAL' })
  const rig = await liveRig(t, { fault: asked => (isRefused && isReread(asked) ? refusal : undefined) })
  rig.chat.book.say(DEPLOYS)
  await rig.recorded(1)
  const before = await trackedBy(rig)
  await whileLost(rig, () => {
    isRefused = true
  })
  const [id = 0] = rig.chat.book.say(DEPLOYS)
  rig.chat.book.edit(id, 'Live.')
  t.equal((await rig.recorded(3)).length, 3)
  t.same(await trackedBy(rig), before, 'it is tried again later')
  t.match(rig.log.at(-1), ['warn', { subscription_id: 'deploys', code: 'chat_not_permitted' }])
})

t.test('after a process died during the reading, the next one continues it', async t => {
  const rig = await liveRig(t)
  const { book } = rig.chat
  const ids = book.say(DEPLOYS, 4)
  await rig.recorded(4)
  const before = await trackedBy(rig)
  await rig.live.stop()
  rig.chat.queues.forget()
  book.edit(ids[0] ?? 0, 'Changed.')
  book.delete(ids[1] ?? 0)
  const { recordLive } = rig.ledger
  let calls = 0
  rig.ledger.recordLive = async happened => {
    if (happened.notes.some(({ captured }) => captured.tracked)) throw new Error('killed')
    calls++
    return recordLive.call(rig.ledger, happened)
  }
  rig.restart()
  await until(() => rig.log.some(([level]) => level === 'error'))
  await rig.live.stop()
  t.same(await trackedBy(rig), before)
  t.ok(calls > 0)
  rig.ledger.recordLive = recordLive
  rig.restart()
  await rig.isLive()
  const events = await rig.recorded(6)
  t.equal(events.length, 6)
  t.ok(isOnce(events))
  t.not((await trackedBy(rig)).queue, before.queue)
})
