import t from 'tap'
import { rateLimited, respondWith } from '../../support/chat-server/fault.js'
import { until } from '../../support/until.js'
import { allEvents, DEPLOYS } from './capture-rig.js'
import { type LiveRig, liveRig } from './live-rig.js'

const idsOf = async ({ ledger }: LiveRig) => (await allEvents(ledger)).map(event => Number(event.subject_id))
const logOf = ({ log }: LiveRig) => log.map(([level, { code }, text]) => [level, code, text])

t.test('after the chat server lost the queue, capture reads the missed messages, and a new queue is read', async t => {
  const rig = await liveRig(t)
  const { book, queues } = rig.chat
  const ids = book.say(DEPLOYS)
  await rig.recorded(1)
  queues.forget()
  ids.push(...book.say(DEPLOYS, 3))
  await rig.isLive()
  ids.push(...book.say(DEPLOYS))
  const events = await rig.recorded(5)
  t.same(await idsOf(rig), ids)
  t.ok(events.every(({ seen_count }) => seen_count === 1))
  t.match(logOf(rig), [
    ['info', undefined, 'chat events are live'],
    ['warn', 'chat_queue_lost', /lost/],
    ['info', undefined, 'chat events are live again'],
  ])
  t.match(rig.live.totals(), { registered: 2, lost: 1 })
})

t.test('after a queue expired, capture reads the missed messages', async t => {
  const clock = { now: Date.now() }
  const rig = await liveRig(t, { now: () => clock.now })
  const ids = rig.chat.book.say(DEPLOYS)
  await rig.recorded(1)
  await rig.live.stop()
  await until(() => rig.chat.queues.waiting === 0)
  ids.push(...rig.chat.book.say(DEPLOYS))
  clock.now += 3_601_000
  rig.restart()
  await rig.isLive()
  ids.push(...rig.chat.book.say(DEPLOYS))
  await rig.recorded(3)
  t.same(await idsOf(rig), ids)
  t.equal(rig.chat.queues.registered.length, 2)
})

t.test('the queue survives a restart, and edits and deletions during it are recorded once', async t => {
  const rig = await liveRig(t)
  const { book } = rig.chat
  const [id = 0] = book.say(DEPLOYS)
  await rig.recorded(1)
  await rig.live.stop()
  book.edit(id, 'Again.')
  const [gone = 0] = book.say(DEPLOYS)
  book.delete(gone)
  rig.restart()
  const events = await rig.recorded(4)
  t.same(
    events.map(({ kind, seen_count }) => [kind, seen_count]),
    [
      ['message.created', 1],
      ['message.updated', 1],
      ['message.created', 1],
      ['message.deleted', 1],
    ],
    'a message that was deleted before capture saw it is in the queue',
  )
  t.equal(rig.chat.queues.registered.length, 1)
})

t.test('events that were recorded but not acknowledged are not counted again', async t => {
  const rig = await liveRig(t)
  const { book } = rig.chat
  const [id = 0] = book.say(DEPLOYS)
  await rig.recorded(1)
  const mark = await rig.ledger.findQueueMark()
  book.react(id, 'add')
  book.say(DEPLOYS)
  await rig.recorded(3)
  await rig.live.stop()
  // As after a crash between the two transactions; the stand-in has not forgotten the events yet.
  if (mark) await rig.ledger.saveQueueMark(mark)
  rig.chat.queues.restoreAfter(mark?.last_event_id ?? 0)
  rig.restart()
  await rig.isLive()
  const [last = 0] = book.say(DEPLOYS)
  const events = await rig.recorded(4)
  t.ok(events.every(({ seen_count }) => seen_count === 1))
  t.equal(Number(events.at(-1)?.subject_id), last)
})

t.test('after an outage of the chat server, the messages posted during it are recorded once', async t => {
  let isDown = false
  const rig = await liveRig(t, {
    fault: () => (isDown ? respondWith(502, {}) : undefined),
  })
  const ids = rig.chat.book.say(DEPLOYS)
  await rig.recorded(1)
  isDown = true
  rig.chat.queues.heartbeat()
  await until(() => rig.live.status().state === 'lost')
  t.match(rig.live.status(), { code: 'chat_unavailable' })
  ids.push(...rig.chat.book.say(DEPLOYS))
  isDown = false
  await rig.isLive()
  await rig.recorded(2)
  t.same(await idsOf(rig), ids)
  t.match(logOf(rig), [['info'], ['warn', 'chat_unavailable'], ['info', undefined, 'chat events are live again']])
  t.equal(rig.chat.queues.registered.length, 1, 'the queue is the same')
})

t.test('a chat server that limits requests receives the next one after its wait', async t => {
  let refusals = 1
  const rig = await liveRig(t, {
    fault: ({ path, query }) => {
      const isPoll = path === '/api/v1/events' && query.get('dont_block') === 'false'
      return isPoll && refusals-- > 0 ? rateLimited(0.7) : undefined
    },
  })
  t.match(logOf(rig).at(0), ['info', undefined, 'chat events are live'])
  t.match(logOf(rig).at(1), ['warn', 'chat_rate_limited'])
  rig.chat.book.say(DEPLOYS)
  await rig.recorded(1)
})

t.test('a connection without a heartbeat is closed, and the same queue is read again', async t => {
  const rig = await liveRig(t, {}, ({ chat }) => {
    chat.queues.waitSeconds = 1
  })
  // It is given up again each time it is silent for so long.
  await until(() => rig.log.length >= 3)
  t.match(logOf(rig).slice(0, 3), [
    ['info'],
    ['warn', 'chat_timeout'],
    ['info', undefined, 'chat events are live again'],
  ])
  rig.chat.book.say(DEPLOYS)
  await rig.recorded(1)
  t.equal(rig.chat.queues.registered.length, 1)
})

t.test('heartbeats add no event and advance the position in the queue', async t => {
  const rig = await liveRig(t)
  rig.chat.queues.heartbeat()
  await until(() => rig.chat.asked.some(({ query }) => query.get('last_event_id') === '0'))
  t.match(await rig.ledger.findQueueMark(), { last_event_id: 0 })
  t.same(await allEvents(rig.ledger), [])
})
