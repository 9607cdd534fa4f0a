import t from 'tap'
import {
  issueDeliveries,
  mergeRequestDeliveries,
  noteDeliveries,
  type Project,
} from '../../../src/platforms/code-b/history/past-deliveries.js'
import { normaliseCodeBBody } from '../../../src/platforms/code-b/normalise.js'
import { eventsOfPast, type PastDelivery } from '../../../src/platforms/history/item-events.js'
import { memberOf, objectAt, type Payload, textAt } from '../../../src/platforms/mapping/payload.js'
import { jsonOf } from '../adapter-fixtures.js'
import { eventOf, readFixtures } from '../code-b/support.js'

const SINCE = '0001-01-01T00:00:00.000000Z'

/** The object of a webhook in the form of the REST API, with other member names and times. */
function listed(object: Payload | undefined): Payload {
  const { url, author_id, note, action: _, last_commit: __, type, ...members } = { ...object }
  const times = Object.entries(members).filter(([name, value]) => name.endsWith('_at') && typeof value === 'string')
  return {
    ...members,
    ...Object.fromEntries(times.map(([name, value]) => [name, iso(String(value))])),
    web_url: typeof url === 'string' ? url.replace(/#.*/u, '') : url,
    author: { id: author_id },
    ...(note === undefined ? { issue_type: String(type ?? 'Issue').toLowerCase() } : { body: note, type }),
  }
}

function iso(time: string): string {
  return time.replace(/^(\S+) (\S+) UTC$/u, '$1T$2.000Z')
}

type Route = (project: Project, body: Payload) => PastDelivery[]

const attributes = (body: Payload) => listed(objectAt(body, 'object_attributes'))

const ofNote: Route = (project, body) => {
  const merge = objectAt(body, 'merge_request')
  const about = merge ?? objectAt(body, 'issue') ?? {}
  return noteDeliveries(project, merge ? 'merge_request' : 'issue', listed(about), attributes(body))
}

const ROUTES: Readonly<Record<string, Route>> = {
  'issue.created': (project, body) => issueDeliveries(project, attributes(body)),
  'work_item.created': (project, body) => issueDeliveries(project, attributes(body)),
  'pull_request.created': (project, body) => mergeRequestDeliveries(project, attributes(body)),
  'pull_request.merged': (project, body) => {
    const { updated_at, ...merge } = attributes(body)
    return mergeRequestDeliveries(project, { ...merge, updated_at, merged_at: updated_at })
  },
  'comment.created': ofNote,
  'review_comment.created': ofNote,
}

t.test('an event has the same key, time, actor and target by webhook and by history', async t => {
  const seen = new Set<string>()
  for (const fixture of readFixtures()) {
    if (typeof fixture.body === 'string') continue
    const event = eventOf(fixture)
    const route = ROUTES[event.kind]
    const body = jsonOf(fixture)
    // Comments on commits, snippets and designs are not listed with a project.
    const isElsewhere =
      event.kind.endsWith('comment.created') && !objectAt(body, 'issue') && !objectAt(body, 'merge_request')
    if (!route || isElsewhere) continue
    const payload = objectAt(body, 'project') ?? {}
    const instance = fixture.headers['x-gitlab-instance'] ?? 'https://gitlab.example.org'
    const past = route({ payload, instance, since: SINCE }, body)
    const events = past.flatMap(each => eventsOfPast(each, normaliseCodeBBody))
    const same = events.find(({ dedupe_key }) => dedupe_key === event.dedupe_key)
    t.ok(same, `${fixture.name}: ${event.dedupe_key} is none of ${events.map(({ dedupe_key }) => dedupe_key)}`)
    t.equal(same?.occurred_at, event.occurred_at, fixture.name)
    t.equal(same?.target.key, event.target.key, fixture.name)
    t.same(keysOf(same?.target), keysOf(event.target), `${fixture.name}: the chain of targets`)
    seen.add(event.kind)
  }
  t.same([...seen].sort(), Object.keys(ROUTES).sort(), 'every route has a fixture')
})

t.test('a system note of the platform is not an event', async t => {
  const project = { payload: {}, instance: 'https://gitlab.example.org', since: SINCE }
  const note = { id: 1, system: true, body: 'closed', created_at: '2024-03-01T00:00:00.000Z' }
  t.same(noteDeliveries(project, 'issue', {}, note), [])
  t.equal(
    textAt(
      memberOf(
        noteDeliveries(project, 'issue', {}, { ...note, system: false })[0]?.body,
        'object_attributes',
      ) as Payload,
      'note',
    ),
    'closed',
  )
})

function keysOf(node: { key?: string; parent?: object } | undefined): (string | undefined)[] {
  return node ? [node.key, ...keysOf(node.parent)] : []
}
