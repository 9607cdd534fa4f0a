import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { MAPPINGS } from '../../../src/platforms/code-b/event-mappings.js'
import { anyCharacter } from '../../support/any-character.js'
import { hostileFailures } from '../adapter-fixtures.js'
import { eventOf, readFixtures, validator } from './support.js'

const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: anyCharacter, maxLength: 700 }),
  fc.constantFrom('\ud800', 'a\0b', 'x'.repeat(5_000), '[REDACTED]', 'open', 'a/b/c', '2031-05-04 09:00:00 UTC'),
  fc.constantFrom('https://h.example/groups/a/-/epics/1', 'https://h.example/a/b/-/issues/1', 'https://[REDACTED]/'),
)
const scalar = fc.oneof(text, fc.double(), fc.integer(), fc.boolean(), fc.constant(null))
const member = fc.constantFrom(
  ...['id', 'iid', 'title', 'name', 'username', 'email', 'url', 'web_url', 'homepage', 'path_with_namespace'],
  ...['action', 'status', 'state', 'type', 'note', 'noteable_type', 'noteable_id', 'commit_id', 'position', 'current'],
  ...['author_id', 'project_id', 'target_project_id', 'group_id', 'full_path', 'target', 'last_commit', 'oldrev'],
  ...['created_at', 'updated_at', 'closed_at', 'finished_at', 'slug', 'version_id', 'active', 'sha', 'expires_at'],
  ...['confidential', 'internal', 'labels', '__proto__', 'constructor'],
)
const part = fc.constantFrom(
  ...['object_attributes', 'project', 'user', 'repository', 'group', 'changes', 'issue', 'merge_request', 'note'],
  ...['commit', 'snippet', 'work_item', 'approver', 'approval', 'before', 'after', 'ref', 'commits', 'user_id'],
  ...['project_id', 'project_path_with_namespace', 'path_with_namespace', 'group_id', 'group_path', 'full_path'],
  ...['event_type', 'action', 'status', 'build_status', 'build_id', 'pipeline_id', 'deployment_id', 'environment'],
  ...['id', 'tag', 'created_at', 'updated_at', 'parent_full_path', 'group_access', 'total_commits_count', 'refs'],
  ...['__proto__', 'constructor'],
)
const thing = fc.oneof(
  fc.dictionary(member, fc.oneof(scalar, fc.dictionary(member, scalar), fc.array(fc.dictionary(member, scalar)))),
  scalar,
  fc.array(fc.oneof(scalar, fc.dictionary(member, scalar))),
)
const name = fc.oneof(fc.constantFrom(...MAPPINGS.keys(), 'alert', 'project', 'wiki'), text)
const body = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record({ kind: name, parts: fc.dictionary(part, thing) })
      .map(({ kind, parts }): unknown => ({ ...parts, object_kind: kind })),
  },
  { weight: 1, arbitrary: fc.dictionary(part, thing) },
  { weight: 1, arbitrary: fc.jsonValue() },
)
const header = fc.oneof(
  fc.constantFrom('Push Hook', 'Note Hook', 'Job Hook', 'Confidential Issue Hook', 'System Hook', 'Member Hook'),
  text,
)
const sent = fc.record({ header, instance: text, id: text, body }).map(({ header, instance, id, body: json }) => ({
  headers: { 'x-gitlab-event': header, 'x-gitlab-instance': instance, 'idempotency-key': id },
  body: JSON.stringify(json),
}))

t.test('every JSON value with any event name gives one valid event', async () => {
  fc.assert(
    fc.property(sent, delivery => validator.problems(eventOf(delivery)).length === 0),
    { numRuns: 500 },
  )
})

t.test('the same delivery always gives the same event', async () => {
  fc.assert(
    fc.property(sent, delivery => {
      return isDeepStrictEqual(eventOf(delivery), eventOf(delivery))
    }),
    { numRuns: 300 },
  )
})

const LIVED = ['issue', 'work_item', 'merge_request', 'note', 'milestone', 'epic_board'] as const

t.test('the creation, two changes and the deletion of an object are four events', async () => {
  const life = fc.record({
    object_kind: fc.constantFrom(...LIVED),
    id: fc.nat(),
    start: fc.nat(1e9),
    step: fc.integer({ min: 1, max: 1e6 }),
  })
  fc.assert(
    fc.property(life, ({ object_kind, id, start, step }) => {
      const at = (seconds: number) => new Date(seconds * 1_000).toISOString().replace('T', ' ').replace('.000Z', ' UTC')
      const keys = [
        { action: 'create', seconds: start },
        { action: 'update', seconds: start },
        { action: 'update', seconds: start + step },
        { action: 'delete', seconds: start + step },
      ].map(({ action, seconds }) => {
        const object_attributes = { id, action, created_at: at(start), updated_at: at(seconds) }
        return eventOf({ headers: {}, body: { object_kind, object_attributes } }).dedupe_key
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
  const changes = readFixtures().filter(({ name }) => /edited|changed|closed|reopened|approv|renamed/u.test(name))
  t.ok(changes.length > 8)
  for (const { name, headers, body } of changes) {
    if (name === 'release-edited' || name === 'deployment-approved') continue
    const timeless = JSON.parse(JSON.stringify(body), (member, value) => (member.endsWith('_at') ? null : value))
    const [one, other] = ['one', 'other'].map(id =>
      eventOf({ headers: { ...headers, 'idempotency-key': id }, body: timeless }),
    )
    t.not(one?.dedupe_key, other?.dedupe_key, name)
  }
})
