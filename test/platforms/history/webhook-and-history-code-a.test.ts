import t from 'tap'
import {
  commentDeliveries,
  issueDeliveries,
  pullRequestDeliveries,
  type Repository,
  releaseDeliveries,
  reviewDeliveries,
  starDeliveries,
} from '../../../src/platforms/code-a/history/past-deliveries.js'
import { normaliseCodeABody } from '../../../src/platforms/code-a/normalise.js'
import { eventsOfPast, type PastDelivery } from '../../../src/platforms/history/item-events.js'
import { known, memberOf, objectAt, type Payload } from '../../../src/platforms/mapping/payload.js'
import { jsonOf } from '../adapter-fixtures.js'
import { eventOf, readFixture, readFixtures } from '../code-a/support.js'

const SINCE = '0001-01-01T00:00:00.000000Z'

type Route = (repository: Repository, body: Payload) => PastDelivery[]

const at = (body: Payload, name: string): Payload => objectAt(body, name) ?? {}

/** Lists of the REST API have no `merged`, and comments without their object. */
const ofPull: Route = (repository, body) => {
  const { merged: _, ...listed } = at(body, 'pull_request')
  return pullRequestDeliveries(repository, listed)
}

const ofComment: Route = (repository, body) =>
  commentDeliveries(repository, 'issue_comment', at(body, 'comment'), known({ issue: objectAt(body, 'issue') }))

/** Lists that have the id and the time of an event, by its kind; other kinds arrive by one route only. */
const ROUTES: Readonly<Record<string, Route>> = {
  'issue.created': (repository, body) => issueDeliveries(repository, at(body, 'issue')),
  'issue.closed': (repository, body) => issueDeliveries(repository, at(body, 'issue')),
  'pull_request.created': ofPull,
  'pull_request.closed': ofPull,
  'pull_request.merged': ofPull,
  'review.submitted': (repository, body) => reviewDeliveries(repository, at(body, 'pull_request'), at(body, 'review')),
  'comment.created': (repository, body) =>
    objectAt(body, 'issue')
      ? ofComment(repository, body)
      : objectAt(body, 'discussion')
        ? []
        : commentDeliveries(repository, 'commit_comment', at(body, 'comment')),
  'review_comment.created': (repository, body) =>
    commentDeliveries(repository, 'pull_request_review_comment', at(body, 'comment'), {
      pull_request: objectAt(body, 'pull_request'),
    }),
  'release.published': (repository, body) => releaseDeliveries(repository, at(body, 'release')),
  'star.created': (repository, body) =>
    starDeliveries(repository, { starred_at: memberOf(body, 'starred_at'), user: memberOf(body, 'sender') }),
}

t.test('an event has the same key, time, actor and target by webhook and by history', async t => {
  const seen = new Set<string>()
  for (const fixture of readFixtures()) {
    if (typeof fixture.body === 'string') continue
    const event = eventOf(fixture)
    const route = ROUTES[event.kind]
    // Gogs lists no time of closing.
    if ('x-gogs-event' in fixture.headers && event.kind === 'issue.closed' && !('x-gitea-event' in fixture.headers))
      continue
    const isGitea = Object.keys(fixture.headers).some(name => /gitea|forgejo|gogs/u.test(name))
    if (!route || (isGitea && event.kind.startsWith('review'))) continue
    const body = jsonOf(fixture)
    const repository = at(body, 'repository')
    const past = route({ payload: repository, flavour: isGitea ? 'gitea' : 'github', since: SINCE }, body)
    if (past.length === 0 && objectAt(body, 'discussion')) continue
    const events = past.flatMap(each => eventsOfPast(each, normaliseCodeABody))
    const same = events.find(({ dedupe_key }) => dedupe_key === event.dedupe_key)
    t.ok(same, `${fixture.name}: ${event.dedupe_key} is none of ${events.map(({ dedupe_key }) => dedupe_key)}`)
    t.equal(same?.occurred_at, event.occurred_at, fixture.name)
    t.equal(same?.subject_id, event.subject_id, fixture.name)
    t.equal(same?.target.key, event.target.key, fixture.name)
    seen.add(event.kind)
  }
  t.same([...seen].sort(), Object.keys(ROUTES).sort(), 'every route has a fixture')
})

t.test('a closed issue in a list gives an opened and a closed event', async t => {
  const body = jsonOf(readFixture('issue-closed'))
  const repository = { payload: at(body, 'repository'), flavour: 'github', since: SINCE } as const
  t.same(
    issueDeliveries(repository, at(body, 'issue')).map(past => memberOf(past.body, 'action')),
    ['opened', 'closed'],
  )
})
