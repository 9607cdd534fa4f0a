import t from 'tap'
import { jsonOf } from '../adapter-fixtures.js'
import { eventOf, normalise, readFixture } from './support.js'

t.test('a ping is not recorded', async t => {
  const body = { zen: 'Mind the carry lever.', hook_id: 418200, hook: { id: 418200, active: true } }
  for (const flavour of ['github', 'gitea', 'forgejo', 'gogs']) {
    const headers = { [`x-${flavour}-event`]: 'ping', [`x-${flavour}-delivery`]: 'd-1' }
    t.strictSame(normalise({ headers, body }), { events: [], ignored: 1, deliveryId: 'd-1' }, flavour)
  }
})

t.test('the event is named by the first of GitHub, Forgejo, Gitea, Gogs whose header is not empty', async t => {
  const body = { action: 'created' }
  const headers = { 'x-gogs-event': 'd', 'x-gitea-event': 'c', 'x-forgejo-event': 'b', 'x-github-event': 'a' }
  t.equal(eventOf({ headers, body }).kind, 'a.created')
  t.equal(eventOf({ headers: { ...headers, 'x-github-event': '' }, body }).kind, 'b.created')
  t.equal(eventOf({ headers: { 'x-gogs-event': 'd', 'x-gitea-event': 'c' }, body }).kind, 'c.created')
  t.equal(eventOf({ headers: { 'x-gogs-event': 'd' }, body }).kind, 'd.created')
  t.equal(
    eventOf({ headers: {}, body }).kind,
    'event.created',
    'and the event is stored where the delivery has no kind',
  )
})

t.test('without an event header, the type header names the event', async t => {
  const body = { action: 'created', package: { id: 5, name: 'gears', version: '1.0' } }
  const headers = { 'x-forgejo-event': '', 'x-forgejo-event-type': 'package', 'x-gitea-event': '' }
  const event = eventOf({ headers, body })
  t.equal(event.kind, 'package.created')
  t.equal(event.action.metadata.native_event, 'package')
})

t.test('packages without a repository are distinguished by the instance in their own address', async t => {
  const keyOn = (host: string) => {
    const html_url = `https://${host}/ada/-/packages/generic/gears/1.0`
    const body = { action: 'created', package: { id: 5, name: 'gears', html_url }, sender: { id: 1, login: 'ada' } }
    return eventOf({ headers: { 'x-gitea-event': 'package' }, body }).dedupe_key
  }
  t.match(keyOn('git.example.org'), /^code_a:git\.example\.org:package:5:/)
  t.not(keyOn('git.example.org'), keyOn('git.example.com'))
})

t.test('the time distinguishes unnumbered attempts', async t => {
  const ended = (at: string) => {
    const body = {
      action: 'completed',
      workflow_run: { id: 5, conclusion: 'success', run_attempt: 0, completed_at: at },
    }
    return eventOf({ headers: { 'x-gitea-event': 'workflow_run' }, body })
  }
  t.equal(ended('2031-05-04T09:00:00Z').occurred_at, '2031-05-04T09:00:00.000000Z')
  t.not(ended('2031-05-04T09:00:00Z').dedupe_key, ended('2031-05-04T10:00:00Z').dedupe_key)
})

t.test('a success and a recovery after a failure are different events', async t => {
  const ended = (action: string) => {
    const body = { action, run: { id: 5, status: 'success', stopped: '2031-05-04T09:00:00Z' } }
    return eventOf({ headers: { 'x-forgejo-event': `action_run_${action}` }, body })
  }
  t.equal(ended('success').kind, 'workflow_run.completed')
  t.equal(ended('recover').kind, 'workflow_run.recovered')
  t.equal(ended('failure').action.metadata.native_event, 'action_run_failure')
})

t.test('changes that do not name their person or milestone are distinguished by their result', async t => {
  const updated_at = '2031-05-04T09:00:00Z'
  const key = (action: string, issue: Record<string, unknown>, delivery: string) =>
    eventOf({
      headers: { 'x-gitea-event': 'issues', 'x-gitea-delivery': delivery },
      body: { action, issue: { id: 5, updated_at, ...issue } },
    }).dedupe_key
  const [ada, grace] = [{ id: 3 }, { id: 4 }]
  t.equal(key('assigned', { assignees: [ada] }, 'one'), key('assigned', { assignees: [ada] }, 'two'))
  t.not(key('assigned', { assignees: [ada] }, 'one'), key('assigned', { assignees: [ada, grace] }, 'one'))
  t.equal(key('milestoned', { milestone: { id: 7 } }, 'one'), key('milestoned', { milestone: { id: 7 } }, 'two'))
  t.not(key('unassigned', { assignees: null }, 'one'), key('unassigned', { assignees: null }, 'two'))
})

t.test('a push without a head commit has the time of its last commit', async t => {
  const commits = [
    { id: 'bb', timestamp: '2031-05-04T09:00:00+02:00' },
    { id: 'aa', timestamp: '2031-05-03T09:00:00+02:00' },
  ]
  const pushed = (after: string) =>
    eventOf({ headers: { 'x-gogs-event': 'push' }, body: { ref: 'refs/heads/main', before: '00', after, commits } })
  t.equal(pushed('bb').occurred_at, '2031-05-04T07:00:00.000000Z')
  t.equal(pushed('cc').occurred_at, null)
})

t.test('more specific names are mapped to those of GitHub, and stay in the metadata', async t => {
  const issue = { id: 501, updated_at: '2031-05-04T09:00:00Z' }
  const pull = { id: 61, number: 5, updated_at: '2031-05-04T09:00:00Z' }
  const cases: [event: string, body: Record<string, unknown>, kind: string][] = [
    ['issue_label', { action: 'label_updated', issue }, 'issue.label_updated'],
    ['issue_assign', { action: 'assigned', issue }, 'issue.assigned'],
    ['issue_milestone', { action: 'milestoned', issue }, 'issue.milestoned'],
    ['pull_request_sync', { action: 'synchronized', pull_request: pull }, 'pull_request.updated'],
    ['pull_request_label', { action: 'label_cleared', pull_request: pull }, 'pull_request.label_cleared'],
    ['pull_request_assign', { action: 'unassigned', pull_request: pull }, 'pull_request.unassigned'],
    ['pull_request_milestone', { action: 'demilestoned', pull_request: pull }, 'pull_request.demilestoned'],
    [
      'pull_request_review_request',
      { action: 'review_requested', pull_request: pull },
      'pull_request.review_requested',
    ],
    ['pull_request_approved', { action: 'reviewed', pull_request: pull, review: { content: '' } }, 'review.submitted'],
    [
      'pull_request_rejected',
      { action: 'reviewed', pull_request: pull, review: { content: 'no' } },
      'review.submitted',
    ],
    ['pull_request_comment', { action: 'reviewed', pull_request: pull, review: { content: 'hm' } }, 'review.submitted'],
    ['pull_request_comment', { action: 'created', issue, comment: { id: 4 }, is_pull: true }, 'comment.created'],
  ]
  for (const [event, body, kind] of cases) {
    const made = eventOf({ headers: { 'x-gitea-event': event }, body })
    t.equal(made.kind, kind, event)
    t.match(made.action.metadata, { native_event: event, native_action: body.action as string }, event)
  }
})

t.test('the name of the event gives the state of a review without one', async t => {
  const states = {
    pull_request_approved: 'approved',
    pull_request_rejected: 'changes_requested',
    pull_request_comment: 'commented',
  }
  for (const [event, state] of Object.entries(states)) {
    const made = eventOf({
      headers: { 'x-forgejo-event': event },
      body: { action: 'reviewed', review: { content: 'x' } },
    })
    t.equal(made.action.metadata.review_state, state, event)
  }
})

t.test('a comment on a pull request belongs to the pull request in every form', async t => {
  const opened = eventOf(readFixture('pull-request-opened'))
  const commented = eventOf(readFixture('issue-comment-on-a-pull-request'))
  const reviewed = eventOf(readFixture('review-submitted'))
  t.equal(commented.target.parent?.key, opened.target.key)
  t.equal(reviewed.target.parent?.key, opened.target.key)
  t.equal(commented.conversation.key, opened.conversation.key)
})

t.test('an issue with an empty pull request member stays an issue', async t => {
  const commented = readFixture('issue-comment-created')
  const { headers } = commented
  const body = jsonOf(commented)
  const issue = { ...(body.issue as Record<string, unknown>), pull_request: '' }
  t.equal(eventOf({ headers, body: { ...body, issue } }).target.parent?.type, 'issue')
})

t.test('comments with equal ids of different types are different', async t => {
  const comment = { id: 77, created_at: '2031-05-04T09:00:00Z', commit_id: 'ab12' }
  const body = { action: 'created', comment, issue: { id: 1 }, discussion: { id: 1 }, pull_request: { id: 1 } }
  const events = ['issue_comment', 'commit_comment', 'discussion_comment', 'pull_request_review_comment']
  const made = events.map(event => eventOf({ headers: { 'x-github-event': event }, body }))
  t.equal(new Set(made.map(event => event.dedupe_key)).size, events.length)
  t.equal(new Set(made.map(event => event.target.key)).size, events.length)
  t.ok(made.every(event => event.subject_id === '77'))
})
