import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { MAPPINGS } from '../../../src/platforms/forum/event-mappings.js'
import { anyCharacter } from '../../support/any-character.js'
import { hostileFailures } from '../adapter-fixtures.js'
import { eventOf, normalise, readFixtures, validator } from './support.js'

const EVENTS = [
  'post_created',
  'post_edited',
  'post_destroyed',
  'post_recovered',
  'topic_created',
  'topic_closed_status_updated',
  'post_liked',
  'accepted_solution',
  'user_logged_in',
  'user_added_to_group',
  'user_badge_revoked',
  'category_updated',
  'notification_created',
  'reviewable_score_updated',
  'chat_message_trashed',
  'assigned',
  'topic_upvote',
]

const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: anyCharacter, maxLength: 700 }),
  fc.constantFrom('\ud800', 'a\0b', 'x'.repeat(5_000), '[REDACTED]', 'Category', '2031-05-04T09:00:00Z', '/t/a/1/2'),
)
const scalar = fc.oneof(text, fc.double(), fc.integer(), fc.boolean(), fc.constant(null))
const member = fc.constantFrom(
  ...[
    'id',
    'user_id',
    'username',
    'name',
    'display_username',
    'title',
    'slug',
    'topic_id',
    'topic_slug',
    'topic_title',
  ],
  ...['post_id', 'post_number', 'post_type', 'post_url', 'category_id', 'category_slug', 'parent_category_id', 'raw'],
  ...['cooked', 'version', 'created_at', 'updated_at', 'deleted_at', 'granted_at', 'closed', 'admin', 'trust_level'],
  ...[
    'status',
    'score',
    'deleted_by',
    'created_by',
    'created_by_id',
    'granted_by',
    'post',
    'user',
    'badge',
    'badge_id',
  ],
  ...['group_id', 'data', 'details', 'topic', 'payload', 'message', 'channel', 'chatable', 'chatable_type', 'voter_id'],
  ...['assigned_by_id', 'assigned_to_username', 'target_url', 'topic_url', '__proto__', 'constructor'],
)
const object = fc.dictionary(member, fc.oneof(scalar, fc.dictionary(member, scalar), fc.array(scalar)))
const type = fc.oneof(fc.constantFrom(...MAPPINGS.keys()), text)
const sent = fc
  .record({ type, event: fc.oneof(fc.constantFrom(...EVENTS), text), instance: text, id: text, thing: object })
  .chain(({ type, event, instance, id, thing }) =>
    fc.record({
      headers: fc.constant({
        'x-discourse-event-type': type,
        'x-discourse-event': event,
        'x-discourse-event-id': id,
        'x-discourse-instance': instance,
      }),
      body: fc.oneof(
        { weight: 4, arbitrary: fc.constant({ [type]: thing }) },
        { weight: 1, arbitrary: fc.dictionary(fc.string(), fc.jsonValue()) },
      ),
    }),
  )

t.test('every JSON object with any event name gives one valid event', async () => {
  fc.assert(
    fc.property(
      sent.filter(({ headers }) => headers['x-discourse-event-type'] !== 'ping'),
      delivery => validator.problems(eventOf(delivery)).length === 0,
    ),
    { numRuns: 500 },
  )
})

t.test('the same delivery always gives the same event', async () => {
  fc.assert(
    fc.property(sent, delivery => {
      return isDeepStrictEqual(normalise(delivery), normalise(delivery))
    }),
    { numRuns: 300 },
  )
})

const lived = fc.constantFrom(
  { type: 'post', words: ['post_created', 'post_edited', 'post_destroyed'] },
  { type: 'topic', words: ['topic_created', 'topic_edited', 'topic_destroyed'] },
  { type: 'user', words: ['user_created', 'user_updated', 'user_destroyed'] },
  { type: 'group', words: ['group_created', 'group_updated', 'group_destroyed'] },
  { type: 'category', words: ['category_created', 'category_updated', 'category_destroyed'] },
  { type: 'tag', words: ['tag_created', 'tag_updated', 'tag_destroyed'] },
)

t.test('the creation, two changes and the deletion of an object are four events', async () => {
  fc.assert(
    fc.property(lived, fc.nat(), fc.nat(1e9), fc.integer({ min: 1, max: 1e6 }), ({ type, words }, id, start, step) => {
      const at = (seconds: number) => new Date(seconds * 1000).toISOString()
      const [begun, changed, ended] = words
      const keys = [
        { event: begun, time: start, version: 1 },
        { event: changed, time: start, version: 2 },
        { event: changed, time: start + step, version: 2 },
        { event: ended, time: start + step, version: 2 },
      ].map(({ event = '', time, version }) => {
        const body = { [type]: { id, version, created_at: at(start), updated_at: at(time) } }
        return eventOf({ headers: { 'x-discourse-event-type': type, 'x-discourse-event': event }, body }).dedupe_key
      })
      return new Set(keys).size === keys.length
    }),
    { numRuns: 200 },
  )
})

t.test('a missing or malformed member does not lose an event', async t => {
  t.strictSame(hostileFailures({ readFixtures, eventOf }, validator), [])
})

t.test('two changes without a time are two events', async t => {
  const changes = readFixtures().filter(({ name }) => /edited|destroyed|recovered|updated|closed/u.test(name))
  t.ok(changes.length > 8, `${changes.length} changes`)
  for (const { name, headers, body } of changes) {
    const timeless = (reads: number) => {
      const parsed = JSON.parse(JSON.stringify(body), (key, value) => (key.endsWith('_at') ? null : value))
      return eventOf({ headers, body: { ...parsed, reads } }).dedupe_key
    }
    if (!/^(?:user|category)-destroyed|score/u.test(name)) t.not(timeless(1), timeless(2), name)
  }
})
