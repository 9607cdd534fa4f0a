import t from 'tap'
import { until } from '../../support/until.js'
import { allEvents, DEPLOYS, deliver, WATCH } from './capture-rig.js'
import { type LiveRig, liveRig } from './live-rig.js'

const ALL = { ...WATCH, event_kinds: [] }
const RANDOM = { stream: 'eng', topic: 'random' }

const idsOf = async ({ ledger }: LiveRig) =>
  (await allEvents(ledger)).filter(({ kind }) => kind === 'message.created').map(event => Number(event.subject_id))

t.test('a message is recorded when it is posted, and a later capture does not count it again', async t => {
  const rig = await liveRig(t)
  const [id = 0] = rig.chat.book.say(DEPLOYS)
  rig.chat.book.say(RANDOM)
  const [event] = await rig.recorded(1)
  t.match(event, { kind: 'message.created', subject_id: String(id), subscription_ids: ['deploys'], seen_count: 1 })
  t.match(event?.provenance, { route: 'capture', verified: 'login' })
  t.match(await rig.once(), { messages: 0, last_cursor: String(id) })
  t.equal((await allEvents(rig.ledger)).length, 1, 'other topics are not recorded')
})

t.test('a message is one event by webhook, queue and capture', async t => {
  const rig = await liveRig(t)
  const [id = 0] = rig.chat.book.say(DEPLOYS)
  await rig.recorded(1)
  await deliver(rig, id)
  await rig.once()
  t.match(await allEvents(rig.ledger), [{ subject_id: String(id), seen_count: 2, provenance: { route: 'capture' } }])
})

t.test('edits, deletions and reactions are recorded, even of messages from before the queue', async t => {
  let old = 0
  const rig = await liveRig(t, {}, async ({ chat, ledger }) => {
    await ledger.saveSubscription(ALL)
    ;[old = 0] = chat.book.say(DEPLOYS)
    chat.book.say(RANDOM)
  })
  const { book } = rig.chat
  const [id = 0] = book.say(DEPLOYS)
  const edited = book.edit(id, 'Done, really.')
  book.edit(old, 'It was before.')
  book.react(old, 'add')
  book.react(old, 'remove')
  const [elsewhere = 0] = book.say(RANDOM)
  book.react(elsewhere, 'add')
  book.edit(elsewhere, 'Not watched.')
  book.delete(elsewhere)
  book.delete(id)
  const events = await rig.recorded(7)
  t.same(
    events.map(({ kind, subject_id }) => [kind, Number(subject_id)]),
    [
      ['message.created', old],
      ['message.created', id],
      ['message.updated', id],
      ['message.updated', old],
      ['reaction.added', old],
      ['reaction.removed', old],
      ['message.deleted', id],
    ],
  )
  t.match(events[2], { conversation: { text: 'Done, really.' }, subscription_ids: ['deploys'], actor: { id: '9' } })
  t.match(events[2]?.dedupe_key, new RegExp(`:message:${id}:updated:${edited}$`))
})

t.test('an event of a kind that the watch does not select is recorded without its mark', async t => {
  const rig = await liveRig(t)
  const [id = 0] = rig.chat.book.say(DEPLOYS)
  rig.chat.book.react(id, 'add')
  const events = await rig.recorded(2)
  t.match(events, [{ subscription_ids: ['deploys'] }, { kind: 'reaction.added', subscription_ids: { length: 0 } }])
})

t.test('a message that becomes visible late, with a lower id, is recorded', async t => {
  const rig = await liveRig(t)
  const { book } = rig.chat
  const late = Array.from({ length: 7 }, () => book.reserve(DEPLOYS))
  const [id = 0] = book.say(DEPLOYS)
  await rig.recorded(1)
  for (const message of late) book.show(message)
  await rig.recorded(8)
  t.same(await idsOf(rig), [id, ...late.map(message => message.id)])
  t.match(await rig.once(), { messages: 0 })
  t.ok((await allEvents(rig.ledger)).every(({ seen_count }) => seen_count === 1))
})

t.test('a reaction to a message that the ledger does not have is placed by asking the chat server', async t => {
  let old = 0
  const rig = await liveRig(t, {}, async ({ chat, once }) => {
    ;[old = 0] = chat.book.say(DEPLOYS)
    chat.book.say(RANDOM)
    chat.book.say(DEPLOYS)
    // The first capture takes only the newest message.
    await once('deploys', { backfill: 1 })
  })
  rig.chat.book.react(old, 'add')
  const [reaction] = await rig.recorded(1, /reaction/)
  t.match(reaction, { subject_id: String(old) })
})

t.test('a message that was edited before its capture is recorded with its edit', async t => {
  const rig = await liveRig(t)
  rig.chat.book.say(DEPLOYS)
  await rig.recorded(1)
  await rig.live.stop()
  const [id = 0] = rig.chat.book.say(DEPLOYS, 1, 'First.')
  rig.chat.book.edit(id, 'Second.')
  rig.restart()
  const [created, updated] = (await rig.recorded(3)).slice(1)
  t.match(created, { kind: 'message.created', conversation: { text: 'Second.' }, seen_count: 1 })
  t.match(updated, { kind: 'message.updated', conversation: { text: 'Second.' }, payload: { orig_content: 'First.' } })
})

t.test('direct messages, and messages of unwatched streams, are not recorded', async t => {
  const rig = await liveRig(t)
  const { book } = rig.chat
  const direct = { type: 'private', id: 900, sender_id: 9, display_recipient: [{ id: 9 }, { id: 10 }], content: 'psst' }
  book.onEvent({ event: { type: 'message', message: direct, flags: [] } })
  book.onEvent({ event: { type: 'delete_message', message_id: 900, message_type: 'private' } })
  book.say({ stream: 'ops', topic: 'deploys' })
  book.say(DEPLOYS)
  t.equal((await rig.recorded(1)).length, 1)
})

t.test('a new watch is captured before its queue events are recorded', async t => {
  const rig = await liveRig(t)
  const before = rig.chat.book.say(RANDOM, 3)
  await rig.ledger.saveSubscription({ ...WATCH, id: 'random', target: 'stream:eng/topic:random' })
  const after = rig.chat.book.say(RANDOM)
  await rig.recorded(4)
  t.same(await idsOf(rig), [...before, ...after])
})

t.test('messages that were posted while a watch was disabled are captured when it is enabled again', async t => {
  const rig = await liveRig(t)
  const ids = rig.chat.book.say(DEPLOYS)
  await rig.recorded(1)
  await rig.ledger.saveSubscription({ id: 'deploys', enabled: false })
  ids.push(...rig.chat.book.say(DEPLOYS, 2))
  await until(() => rig.chat.queues.read)
  await rig.ledger.saveSubscription({ id: 'deploys', enabled: true })
  ids.push(...rig.chat.book.say(DEPLOYS))
  await rig.recorded(4)
  t.same(await idsOf(rig), ids)
})
