import t from 'tap'
import { eventOf, message, normalise, SITE } from './support.js'

const PLACE = { stream_id: 4, stream_name: 'eng' }

function update(members: Record<string, unknown>) {
  const body = {
    type: 'update_message',
    user_id: 17,
    edit_timestamp: 1_935_827_500,
    message_id: 1,
    message_ids: [1],
    ...members,
    id: 3,
  }
  return normalise({ body, site: SITE })
}

function kindsOf(members: Record<string, unknown>): string[] {
  return update(members).events.map(({ kind, subject_id }) => `${kind} ${subject_id}`)
}

t.test('a changed text is an edit of one message, and a changed place moves each message', async t => {
  const moved = { orig_subject: 'a', subject: 'b', message_ids: [1, 2, 3] }
  const edited = { content: 'new', orig_content: 'old' }
  t.strictSame(kindsOf(edited), ['message.updated 1'])
  t.strictSame(kindsOf({ ...edited, message_ids: [1, 2] }), ['message.updated 1'])
  t.strictSame(kindsOf(moved), ['message.moved 1', 'message.moved 2', 'message.moved 3'])
  t.strictSame(kindsOf({ ...moved, ...edited }), [
    'message.updated 1',
    'message.moved 1',
    'message.moved 2',
    'message.moved 3',
  ])
  t.strictSame(kindsOf({ orig_subject: '', subject: 'b' }), ['message.moved 1'], 'out of the empty topic')
  t.strictSame(kindsOf({ orig_subject: 'a', subject: '' }), ['message.moved 1'], 'into the empty topic')
  t.strictSame(kindsOf({ new_stream_id: 7 }), ['message.moved 1'])
  t.strictSame(kindsOf({}), ['message.updated 1'], 'regardless of other changes')
  t.strictSame(kindsOf({ message_ids: undefined, orig_subject: 'a', subject: 'b' }), ['message.moved 1'])
  t.strictSame(kindsOf({ message_id: undefined, orig_subject: 'a', subject: 'b', message_ids: [2, 2, '2', 1] }), [
    'message.moved 2',
    'message.moved 1',
  ])
})

t.test('a moved message has its new place, and the event also names the old one', async t => {
  const [event] = update({ ...PLACE, new_stream_id: 7, orig_subject: 'deploys', subject: 'tea' }).events
  t.match(event?.target.parent, { type: 'topic', display: 'tea', parent: { type: 'stream', key: 'stream:7' } })
  t.notOk('display' in (event?.target.parent?.parent ?? {}), 'only the old stream is named')
  t.strictSame(event?.action.metadata.moved_from, { stream_id: '4', stream: 'eng', topic: 'deploys' })
  t.equal(event?.actor.id, '17')
  t.equal(event?.occurred_at, '2031-05-06T09:51:40.000000Z')
  const [elsewhere] = update({ ...PLACE, new_stream_id: 7, orig_subject: 'deploys' }).events
  t.match(
    elsewhere?.target.parent,
    { type: 'topic', display: 'deploys', parent: { key: 'stream:7' } },
    'the topic stays',
  )
})

t.test('a preview of a link is not an edit', async t => {
  const rendered = { content: 'see', rendered_content: '<p>see</p>' }
  for (const members of [
    { ...rendered, rendering_only: true },
    { ...rendered, user_id: null },
    { ...rendered, user_id: undefined, rendering_only: true },
    { ...rendered, user_id: undefined, edit_timestamp: undefined },
  ]) {
    t.strictSame(update(members), { events: [], ignored: 1 }, JSON.stringify(members))
  }
  t.strictSame(kindsOf({ ...rendered, user_id: undefined }), ['message.updated 1'], 'but an edit by an unnamed user is')
  t.strictSame(
    kindsOf({ ...rendered, user_id: null, rendering_only: false }),
    ['message.updated 1'],
    'if it is marked as one',
  )
  t.strictSame(kindsOf({ user_id: null, orig_subject: 'a', subject: 'b' }), ['message.moved 1'], 'nor moves a preview')
})

t.test('a deletion gives one event per message, from a list or from one id', async t => {
  const keys = (body: Record<string, unknown>) =>
    normalise({ body: { type: 'delete_message', ...body }, site: SITE }).events.map(event => event.dedupe_key)
  const keyOf = (id: number) => `chat:chat.example.org:message:${id}:deleted`
  t.strictSame(keys({ message_id: 1 }), [keyOf(1)])
  t.strictSame(keys({ message_ids: [1, 2] }), [keyOf(1), keyOf(2)])
  t.strictSame(keys({ message_id: 2, message_ids: [1, 2] }), [keyOf(2), keyOf(1)])
  const event = eventOf({ body: { type: 'delete_message', message_id: 1, stream_id: 4, topic: '', timestamp: 5 } })
  t.equal(event.occurred_at, null)
  t.match(event.target.parent, { type: 'topic', display: '', parent: { key: 'stream:4' } })
})

t.test('the changes of a message have different kinds', async t => {
  const edit = (seconds: number) => ({
    type: 'update_message',
    message_id: 1,
    user_id: 17,
    edit_timestamp: seconds,
    content: 'x',
  })
  const move = (seconds: number) => ({
    type: 'update_message',
    message_id: 1,
    user_id: 17,
    edit_timestamp: seconds,
    orig_subject: 'a',
    subject: 'b',
  })
  const react = (members: object) => ({
    type: 'reaction',
    op: 'add',
    message_id: 1,
    user_id: 17,
    emoji_code: '1f514',
    reaction_type: 'unicode_emoji',
    ...members,
  })
  const bodies: Record<string, unknown>[] = [
    message({ id: 1 }),
    message({ id: 2 }),
    edit(1),
    edit(2),
    move(1),
    move(2),
    { type: 'delete_message', message_id: 1 },
    { type: 'delete_message', message_id: 2 },
    react({}),
    react({ op: 'remove' }),
    react({ user_id: 19 }),
    react({ emoji_code: '1f389' }),
    react({ reaction_type: 'realm_emoji' }),
    react({ message_id: 2 }),
    react({ id: 5 }),
    react({ id: 9 }),
    { type: 'stream', op: 'update', stream_id: 4, property: 'name', value: 'a' },
    { type: 'stream', op: 'update', stream_id: 4, property: 'name', value: 'b' },
    { type: 'stream', op: 'delete', stream_ids: [4] },
  ]
  const keys = bodies.map(body => eventOf({ body }).dedupe_key)
  t.equal(new Set(keys).size, bodies.length, keys.join('\n'))
})

t.test('an event without an identifier is identified by its content, alone or among others', async t => {
  const body = { type: 'stream', op: 'update', stream_id: 4, property: 'name', value: 'a', id: 8 }
  const alone = eventOf({ body })
  t.equal(normalise({ body: { events: [body, { ...body, id: 9 }] } }).events[0]?.dedupe_key, alone.dedupe_key)
  t.equal(eventOf({ body: JSON.stringify(body, null, 2) }).dedupe_key, alone.dedupe_key, 'however it is laid out')
  const nameless = [message({ id: null, content: 'a' }), message({ id: null, content: 'b' })]
  const keys = normalise({ body: { messages: nameless } }).events.map(event => event.dedupe_key)
  t.equal(new Set(keys).size, 2)
})

t.test('the work for a large move is linear in its messages', async t => {
  const moved = (count: number) =>
    update({ orig_subject: 'a', subject: 'b', message_ids: Array.from({ length: count }, (_, id) => id + 1) }).events
  t.strictSame(
    moved(200)[7]?.payload.message_ids,
    Array.from({ length: 200 }, (_, id) => id + 1),
  )
  const large = moved(5_000)
  t.equal(large.length, 5_000)
  t.strictSame(large[7]?.payload.message_ids, [8])
  t.equal(large[7]?.action.metadata.message_count, 5_000)
  const [only, ...others] = moved(5_001)
  t.strictSame(others, [], 'beyond that, one event reports them all')
  t.has(only?.payload.message_ids, { length: 5_001 })
  t.equal(only?.subject_id, '1')
})
