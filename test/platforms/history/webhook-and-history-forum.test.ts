import t from 'tap'
import { postDeliveries, topicDeliveries, withCreator } from '../../../src/platforms/forum/history/past-deliveries.js'
import { normaliseForumBody } from '../../../src/platforms/forum/normalise.js'
import { eventsOfPast } from '../../../src/platforms/history/item-events.js'
import { idAt, objectAt } from '../../../src/platforms/mapping/payload.js'
import { jsonOf } from '../adapter-fixtures.js'
import { eventOf, readFixtures } from '../forum/support.js'

const SINCE = '0001-01-01T00:00:00.000000Z'
const KINDS = ['post.created', 'reply.created', 'topic.created']

t.test('an event has the same key, time, actor and target by webhook and by history', async t => {
  const seen = new Set<string>()
  for (const fixture of readFixtures()) {
    const event = eventOf(fixture)
    const instance = fixture.headers['x-discourse-instance']
    if (!KINDS.includes(event.kind) || typeof fixture.body === 'string' || instance === undefined) continue
    const body = jsonOf(fixture)
    const forum = { instance, since: SINCE }
    const { created_by, ...topic } = objectAt(body, 'topic') ?? {}
    const creator = objectAt({ created_by }, 'created_by') ?? {}
    // A list of topics has the people beside it.
    const listed = withCreator({ ...topic, posters: [{ user_id: idAt(creator, 'id') }] }, [creator])
    const past =
      event.kind === 'topic.created'
        ? topicDeliveries(forum, listed)
        : postDeliveries(forum, objectAt(body, 'post') ?? {})
    const [same] = past.flatMap(each => eventsOfPast(each, normaliseForumBody))
    for (const name of ['dedupe_key', 'occurred_at', 'subject_id', 'actor', 'target', 'conversation'] as const) {
      t.same(same?.[name], event[name], `${fixture.name}: ${name}`)
    }
    seen.add(event.kind)
  }
  t.same([...seen].sort(), KINDS, 'every kind has a fixture')
})
