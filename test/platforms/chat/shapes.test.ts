import t from 'tap'
import { eventOf, message, normalise } from './support.js'

t.test('heartbeats and events of the view of the receiver are not recorded', async t => {
  const bodies = [
    { type: 'heartbeat', id: 0 },
    { type: 'typing', op: 'start', sender: { user_id: 17 }, recipients: [], id: 1 },
    { type: 'typing_edit_message', op: 'start', sender_id: 17, message_id: 8812, id: 2 },
    { type: 'presence', user_id: 17, email: 'ada@lovelace.example', presence: {}, id: 3 },
    { type: 'update_message_flags', op: 'add', flag: 'read', messages: [1, 2], id: 4 },
    { type: 'user_settings', op: 'update', property: 'twenty_four_hour_time', value: true, id: 5 },
    { messages: [] },
    { events: [], queue_id: 'q' },
  ]
  for (const body of bodies) t.strictSame(normalise({ body }), { events: [], ignored: 1 }, JSON.stringify(body))
})

t.test('one answer may contain events of all kinds', async t => {
  const events = [
    { type: 'heartbeat', id: 0 },
    { type: 'message', message: message(), flags: [], id: 1 },
    {
      type: 'update_message',
      message_id: 1,
      message_ids: [1, 2],
      orig_subject: 'a',
      subject: 'b',
      user_id: 17,
      edit_timestamp: 5,
    },
    { type: 'stream', op: 'delete', stream_ids: [4], id: 3 },
    null,
    'text',
    { type: 'delete_message', message_ids: [1, 2], id: 4 },
    message({ id: 9 }),
  ]
  const made = normalise({ body: { result: 'success', events } })
  t.strictSame(
    made.events.map(({ kind, subject_id }) => `${kind} ${subject_id}`),
    [
      'message.created 8812',
      'message.moved 1',
      'message.moved 2',
      'stream.deleted 4',
      'message.deleted 1',
      'message.deleted 2',
      'message.created 9',
    ],
  )
  t.equal(made.ignored, 3)
})

t.test('each event has its own payload, not that of the whole answer', async t => {
  const { events } = normalise({
    body: { token: 't', result: 'success', messages: [message({ id: 1 }), message({ id: 2 })] },
  })
  for (const [index, { payload }] of events.entries()) {
    t.strictSame(payload, { ...message({ id: index + 1 }), sender_is_bot: null, base_url: null })
  }
})

t.test('an event of a queue is not read as a message, nor a message as another event', async t => {
  const cases: [body: Record<string, unknown>, kind: string][] = [
    [{ type: 'stream', op: 'create', streams: [], id: 1 }, 'stream.created'],
    [{ type: 'stream', op: 'update', stream_id: 4, name: 'eng', sender_id: 1, content: '', id: 1 }, 'stream.updated'],
    [{ type: 'channel', op: 'create', streams: [], id: 1 }, 'stream.created'],
    [
      { type: 'submessage', sender_id: 17, content: '{}', message_id: 8812, submessage_id: 4, id: 1 },
      'submessage.received',
    ],
    [message(), 'message.created'],
    [message({ type: undefined }), 'message.created'],
    [message({ type: 'channel' }), 'message.created'],
    [message({ id: undefined }), 'message.created'],
    [{ type: 'message', message: null, id: 7 }, 'message.received'],
    [{ type: 'message', message: {}, id: 7 }, 'message.received'],
    [{ trigger: 'mention', token: 't', message: null }, 'event.received'],
    [{ messages: [1, 2] }, 'event.received'],
    [{ id: 42, result: 'success', msg: '' }, 'event.received'],
    [{}, 'event.received'],
  ]
  for (const [body, kind] of cases) t.equal(eventOf({ body }).kind, kind, JSON.stringify(body))
})

t.test('the number of an event in its queue is never used as the id of a message', async t => {
  const event = eventOf({ body: { type: 'message', message: null, id: 7 } })
  t.not(event.subject_id, '7')
  t.notMatch(event.dedupe_key, ':message:7:')
})

t.test('the metadata keeps the terms of the platform', async t => {
  const cases: [body: Record<string, unknown>, metadata: Record<string, unknown>][] = [
    [{ type: 'message', message: message() }, { native_event: 'message' }],
    [
      { trigger: 'mention', message: message() },
      { native_event: 'message', native_action: 'mention' },
    ],
    [
      { type: 'channel', op: 'create' },
      { native_event: 'channel', native_action: 'create' },
    ],
    [
      { type: 'Odd Type!', operation: 'Turn ON' },
      { native_event: 'Odd Type!', native_action: 'Turn ON' },
    ],
  ]
  for (const [body, metadata] of cases) t.strictSame(eventOf({ body }).action.metadata, metadata)
})

t.test('old member names are read', async t => {
  const body = {
    type: 'reaction',
    operation: 'remove',
    user: { id: 17, full_name: 'Ada' },
    message_id: 1,
    emoji_code: 'x',
  }
  t.match(eventOf({ body }), { kind: 'reaction.removed', actor: { id: '17', display: 'Ada' } })
  const named = message({ sender_full_name: undefined, sender_short_name: 'ada', subject_links: [] })
  t.equal(eventOf({ body: named }).actor.display, 'ada')
  const topic = eventOf({ body: message({ subject: undefined, topic: 'deploys' }) })
  t.match(topic.target.parent, { type: 'topic', display: 'deploys' })
})

t.test('the subject of an event is the only object that it names, in any member', async t => {
  const cases: [body: Record<string, unknown>, kind: string, id: string][] = [
    [{ type: 'linkifiers', op: 'add', linkifiers: [{ id: 17, pattern: 'x' }] }, 'linkifiers.added', '17'],
    [{ type: 'linkifiers', op: 'update', linkifier: { id: 17, pattern: 'y' } }, 'linkifiers.updated', '17'],
    [{ type: 'linkifiers', op: 'remove', linkifier_id: 17 }, 'linkifiers.removed', '17'],
    [{ type: 'scheduled_calls', op: 'add', scheduled_calls: [{ scheduled_call_id: 5 }] }, 'scheduled_calls.added', '5'],
    [{ type: 'realm_emoji', op: 'add', emoji: { id: '3', name: 'engine' } }, 'realm_emoji.added', '3'],
    [{ type: 'realm_emoji', op: 'update_one', emoji_id: '3', data: {} }, 'realm_emoji.updated', '3'],
    [{ type: 'user_status', user_id: 17, status_text: 'at tea' }, 'user_status.received', '17'],
    [{ type: 'stream', op: 'create', streams: [{ stream_id: 4, name: 'eng' }] }, 'stream.created', '4'],
    [{ type: 'channel_folder', op: 'update', channel_folder_id: 2, data: {} }, 'channel_folder.updated', '2'],
  ]
  for (const [body, kind, id] of cases) {
    const { kind: made, subject_id, target, actor } = eventOf({ body })
    t.strictSame(
      { made, subject_id, key: target.key },
      { made: kind, subject_id: id, key: `${kind.split('.')[0]}:${id}` },
    )
    t.equal(actor.id, '', 'whom it concerns need not have done it')
  }
})

t.test('a list without an operation describes the current state, not a change', async t => {
  const { subject_id, target } = eventOf({ body: { type: 'realm_filters', realm_filters: [{ id: 17, pattern: 'x' }] } })
  t.not(subject_id, '17')
  t.strictSame(Object.keys(target), ['type', 'metadata', 'parent'])
})

t.test('operations are named in the past tense', async t => {
  const cases = { change: 'changed', reorder: 'reordered', update_one: 'updated', peer_add: 'peer_added' }
  for (const [op, verb] of Object.entries(cases)) t.equal(eventOf({ body: { type: 'thing', op } }).action.verb, verb)
})

t.test('personal data of the receiver and error answers are not kept', t => {
  const types = ['drafts', 'scheduled_messages', 'saved_snippets', 'alert_words', 'muted_topics', 'muted_users']
  const more = ['user_topic', 'reminders', 'attachment', 'has_zoom_token', 'push_device', 'device']
  for (const type of [...types, ...more, 'restart', 'web_reload_client']) {
    t.strictSame(normalise({ body: { type, op: 'add', id: 1 } }), { events: [], ignored: 1 }, type)
  }
  const error = { result: 'error', msg: 'Invalid API key', code: 'INVALID_API_KEY' }
  t.strictSame(normalise({ body: error }), { events: [], ignored: 1 })
  t.end()
})

t.test('reactions with the same number in two queues are two events', t => {
  const reaction = { type: 'reaction', op: 'add', user_id: 19, message_id: 8850, emoji_code: '1f514', id: 5 }
  const body = { ...reaction, emoji_name: 'bell', reaction_type: 'unicode_emoji' }
  const key = (sent: Record<string, unknown>) => eventOf({ body: sent }).dedupe_key
  const answer = (queue_id: string) => ({ result: 'success', queue_id, events: [body] })
  t.not(key(answer('a')), key(answer('b')))
  t.equal(key(answer('a')), key(answer('a')))
  t.equal(key(answer('a')), key({ ...body, queue_id: 'a' }), 'alone or in an answer')
  t.match(key(body), /:added:5$/)
  t.end()
})
