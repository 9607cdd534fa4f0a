import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { MAPPINGS } from '../../../src/platforms/chat/event-mappings.js'
import { toMessageEvent } from '../../../src/platforms/chat/messages/message.js'
import { anyCharacter } from '../../support/any-character.js'
import { eventValidator, hostileInTurn, pathsOf, replaced } from '../adapter-fixtures.js'
import { normalise, readFixtures, SITE } from './support.js'

const validator = eventValidator('chat')

const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: anyCharacter, maxLength: 700 }),
  fc.constantFrom(
    '\ud800',
    'a\0b',
    'x'.repeat(5_000),
    '[REDACTED]',
    'stream',
    'private',
    'add',
    'user7@chat.example.org',
  ),
)
const scalar = fc.oneof(text, fc.double(), fc.integer(), fc.boolean(), fc.constant(null))
const member = fc.constantFrom(
  'id',
  'type',
  'op',
  'operation',
  'message_id',
  'message_ids',
  'stream_id',
  'new_stream_id',
  'stream_name',
  'subject',
  'orig_subject',
  'topic',
  'display_recipient',
  'sender_id',
  'sender_email',
  'sender_full_name',
  'sender_is_bot',
  'sender_realm_str',
  'user_id',
  'user',
  'email',
  'full_name',
  'timestamp',
  'edit_timestamp',
  'content',
  'emoji_code',
  'emoji_name',
  'reaction_type',
  'rendering_only',
  'property',
  'value',
  'name',
  'trigger',
  'token',
  'api_key',
  'base_url',
  'team_id',
  'team_domain',
  'channel_id',
  'trigger_word',
  '__proto__',
  'constructor',
)
const part = fc.oneof(
  fc.dictionary(member, fc.oneof(scalar, fc.array(scalar, { maxLength: 4 }), fc.dictionary(member, scalar))),
  fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 }),
)
const type = fc.oneof(fc.constantFrom(...MAPPINGS.keys(), 'submessage', 'user_group', 'channel'), text)
const event = fc.oneof(
  part,
  fc.tuple(part, type).map(([members, native]) => ({ ...members, type: native })),
  fc.tuple(part, part).map(([members, message]) => ({ ...members, message })),
  fc.tuple(part, part).map(([members, message]) => ({ ...members, type: 'message', message })),
)
const list = fc.array(fc.oneof(event, scalar), { maxLength: 5 })
const body = fc.oneof(
  { weight: 4, arbitrary: event },
  { weight: 1, arbitrary: list.map(events => ({ result: 'success', events })) },
  { weight: 1, arbitrary: list.map(messages => ({ result: 'success', messages })) },
)
const site = fc.option(fc.oneof(fc.constant(SITE), text), { nil: undefined })

t.test('every JSON object gives valid events or is ignored', async () => {
  fc.assert(
    fc.property(body, site, (sent, at) => {
      const { events, ignored } = normalise({ body: sent, site: at })
      const problems = events.flatMap(made => validator.problems(made))
      return problems.length === 0 && events.length + ignored > 0
    }),
    { numRuns: 500 },
  )
})

t.test('the same delivery always gives the same events', async () => {
  fc.assert(
    fc.property(body, sent => {
      return isDeepStrictEqual(normalise({ body: sent }), normalise({ body: sent }))
    }),
    { numRuns: 500 },
  )
})

t.test('capture and webhook give the same event for every message', async () => {
  fc.assert(
    fc.property(part, fc.nat(), site, (members, id, at) => {
      const message = JSON.parse(JSON.stringify({ ...members, id }))
      const captured = toMessageEvent(message, { site: at })
      const [hooked] = normalise({ body: { token: 't', trigger: 'mention', message }, site: at }).events
      return (
        captured !== undefined &&
        validator.problems(captured).length === 0 &&
        hooked?.dedupe_key === captured.dedupe_key &&
        JSON.stringify(hooked.target) === JSON.stringify(captured.target)
      )
    }),
    { numRuns: 500 },
  )
})

t.test('the creation, two changes and the deletion of a message are four events', async () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(2e9), fc.integer({ min: 1, max: 1e6 }), (id, start, step) => {
      const edit = { type: 'update_message', message_id: id, user_id: 1, content: 'x' }
      const bodies = [
        { type: 'message', message: { id, timestamp: start } },
        { ...edit, edit_timestamp: start },
        { ...edit, edit_timestamp: start + step },
        { type: 'delete_message', message_id: id },
      ]
      const keys = bodies.map(sent => normalise({ body: sent }).events[0]?.dedupe_key)
      return keys.every(Boolean) && new Set(keys).size === keys.length
    }),
    { numRuns: 200 },
  )
})

t.test('a missing or malformed member does not lose a delivery', async t => {
  const hostileValues = hostileInTurn()
  for (const fixture of readFixtures()) {
    if (typeof fixture.body === 'string') continue
    const failures: string[] = []
    for (const path of pathsOf(fixture.body)) {
      for (const value of hostileValues(path)) {
        const { events, ignored } = normalise({ ...fixture, body: replaced(fixture.body, path, value) })
        const problems = events.length + ignored > 0 ? events.flatMap(made => validator.problems(made)) : ['lost']
        if (problems.length > 0) failures.push(`${path.join('.')} = ${JSON.stringify(value)}: ${problems.join(', ')}`)
      }
    }
    t.strictSame(failures, [], fixture.name)
  }
})
