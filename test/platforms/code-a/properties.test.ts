import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { MAPPINGS } from '../../../src/platforms/code-a/event-mappings.js'
import { normaliseCodeA } from '../../../src/platforms/code-a/normalise.js'
import { anyCharacter } from '../../support/any-character.js'
import { type Fixture, hostileFailures } from '../adapter-fixtures.js'
import { eventOf, readFixtures, validator } from './support.js'

const eventName = fc.oneof(
  fc.constantFrom(...MAPPINGS.keys(), 'ping', 'label', 'organization', 'pull_request_approved', 'pull_request_comment'),
  fc.string({ unit: anyCharacter, maxLength: 200 }),
)
const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: anyCharacter, maxLength: 700 }),
  fc.constantFrom('\ud800', 'a\0b', 'x'.repeat(5_000), '[REDACTED]', 'opened', 'closed', '2031-05-04T09:00:00Z'),
)
const scalar = fc.oneof(text, fc.double(), fc.integer(), fc.boolean(), fc.constant(null))
const member = fc.constantFrom(
  'id',
  'node_id',
  'number',
  'title',
  'name',
  'login',
  'full_name',
  'html_url',
  'user',
  'state',
  'merged',
  'body',
  'created_at',
  'updated_at',
  'closed_at',
  'merged_at',
  'submitted_at',
  'sha',
  'ref',
  'conclusion',
  'run_attempt',
  'message',
  'pushed_at',
  'owner',
  'type',
  'author_association',
  'pull_request',
)
const part = fc.constantFrom(
  'action',
  'issue',
  'comment',
  'pull_request',
  'review',
  'repository',
  'sender',
  'organization',
  'installation',
  'discussion',
  'release',
  'label',
  'ref',
  'ref_type',
  'before',
  'after',
  'commits',
  'head_commit',
  'pusher',
  'changes',
  'check_run',
  'workflow_run',
  'workflow_job',
  'deployment',
  'deployment_status',
  'sha',
  'id',
  'state',
  'pages',
  'forkee',
  'package',
  'secret',
  'starred_at',
  'is_pull',
  'deleted',
  '__proto__',
  'constructor',
)
const thing = fc.oneof(fc.dictionary(member, fc.oneof(scalar, fc.dictionary(member, scalar))), scalar, fc.array(scalar))
const body = fc.oneof(
  { weight: 4, arbitrary: fc.dictionary(part, thing) },
  { weight: 1, arbitrary: fc.dictionary(fc.string(), fc.jsonValue()) },
)
const delivery = fc.record({ event: eventName, body, deliveryId: fc.option(text, { nil: undefined }) })

function received({ event, body, deliveryId }: { event: string; body: object; deliveryId: string | undefined }) {
  return normaliseCodeA({
    headers: { 'x-github-event': event, 'x-github-delivery': deliveryId },
    body: Buffer.from(JSON.stringify(body)),
  })
}

t.test('every JSON object with any event name gives one valid event, or is ignored as a ping', async () => {
  fc.assert(
    fc.property(delivery, sent => {
      const { events, ignored } = received(sent)
      if (sent.event.trim() === 'ping') return events.length === 0 && ignored === 1
      return ignored === 0 && events.length === 1 && events.every(event => validator.problems(event).length === 0)
    }),
    { numRuns: 500 },
  )
})

t.test('the same delivery always gives the same event', async () => {
  fc.assert(
    fc.property(delivery, sent => {
      return isDeepStrictEqual(received(sent), received(sent))
    }),
    { numRuns: 300 },
  )
})

const tracked = fc.constantFrom(
  { event: 'issues', object: 'issue' },
  { event: 'issue_comment', object: 'comment' },
  { event: 'pull_request', object: 'pull_request' },
  { event: 'pull_request_review_comment', object: 'comment' },
  { event: 'discussion', object: 'discussion' },
  { event: 'discussion_comment', object: 'comment' },
  { event: 'release', object: 'release' },
  { event: 'milestone', object: 'milestone' },
)

t.test('the creation, two changes and the deletion of an object are four events', async () => {
  fc.assert(
    fc.property(
      tracked,
      fc.nat(),
      fc.nat(1e9),
      fc.integer({ min: 1, max: 1e6 }),
      ({ event, object }, id, start, step) => {
        const at = (seconds: number) => new Date(seconds * 1000).toISOString()
        const keys = [
          { action: 'created', at: start },
          { action: 'edited', at: start },
          { action: 'edited', at: start + step },
          { action: 'deleted', at: start + step },
        ].map(({ action, at: seconds }) => {
          const body = { action, [object]: { id, created_at: at(start), updated_at: at(seconds) } }
          return received({ event, body, deliveryId: undefined }).events[0]?.dedupe_key
        })
        return keys.every(Boolean) && new Set(keys).size === keys.length
      },
    ),
    { numRuns: 200 },
  )
})

t.test('a missing or malformed member does not lose an event', async t => {
  t.strictSame(hostileFailures({ readFixtures, eventOf }, validator), [])
})

t.test('two changes without a time are two events', async t => {
  const timeless = (fixture: Fixture, delivery: string) => {
    const body = JSON.parse(JSON.stringify(fixture.body), (name, value) => (name.endsWith('_at') ? null : value))
    return eventOf({ headers: { ...fixture.headers, 'x-github-delivery': delivery }, body }).dedupe_key
  }
  const changes = readFixtures().filter(({ name }) => /edited|labeled|closed|dismissed|resolved/u.test(name))
  t.ok(changes.length > 8, `${changes.length} changes`)
  for (const fixture of changes) {
    t.not(timeless(fixture, 'one'), timeless(fixture, 'two'), fixture.name)
  }
})
