import t from 'tap'
import { eventOf, jsonOf, normalise, readFixture } from './support.js'

t.test('a ping carries nothing to keep', async t => {
  const body = { zen: 'Mind the carry lever.', hook_id: 418200, hook: { id: 418200, active: true } }
  for (const flavour of ['github', 'gitea', 'forgejo', 'gogs']) {
    const headers = { [`x-${flavour}-event`]: 'ping', [`x-${flavour}-delivery`]: 'd-1' }
    t.strictSame(normalise({ headers, body }), { events: [], ignored: 1, deliveryId: 'd-1' }, flavour)
  }
})

t.test('the event is named by the first of GitHub, Forgejo, Gitea, Gogs that says something', async t => {
  const body = { action: 'created' }
  const headers = { 'x-gogs-event': 'd', 'x-gitea-event': 'c', 'x-forgejo-event': 'b', 'x-github-event': 'a' }
  t.equal(eventOf({ headers, body }).kind, 'a.created')
  t.equal(eventOf({ headers: { ...headers, 'x-github-event': '' }, body }).kind, 'b.created')
  t.equal(eventOf({ headers: { 'x-gogs-event': 'd', 'x-gitea-event': 'c' }, body }).kind, 'c.created')
  t.equal(eventOf({ headers: { 'x-gogs-event': 'd' }, body }).kind, 'd.created')
  t.equal(eventOf({ headers: {}, body }).kind, 'event.created', 'and kept where nothing says it')
})

t.test('finer names fold into those of GitHub, and stay in the metadata', async t => {
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

t.test('the state of a review is told by its name where the review does not tell it', async t => {
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

t.test('a comment on a pull request belongs to the pull request, on every road', async t => {
  const opened = eventOf(readFixture('pull-request-opened'))
  const commented = eventOf(readFixture('issue-comment-on-a-pull-request'))
  const reviewed = eventOf(readFixture('review-submitted'))
  t.equal(commented.target.parent?.key, opened.target.key)
  t.equal(reviewed.target.parent?.key, opened.target.key)
  t.equal(commented.conversation.key, opened.conversation.key)
})

t.test('an empty text in the place of a pull request makes none of an issue', async t => {
  const commented = readFixture('issue-comment-created')
  const { headers } = commented
  const body = jsonOf(commented)
  const issue = { ...(body.issue as Record<string, unknown>), pull_request: '' }
  t.equal(eventOf({ headers, body: { ...body, issue } }).target.parent?.type, 'issue')
})

t.test('ids of one number from different counters are different comments', async t => {
  const comment = { id: 77, created_at: '2031-05-04T09:00:00Z', commit_id: 'ab12' }
  const body = { action: 'created', comment, issue: { id: 1 }, discussion: { id: 1 }, pull_request: { id: 1 } }
  const events = ['issue_comment', 'commit_comment', 'discussion_comment', 'pull_request_review_comment']
  const made = events.map(event => eventOf({ headers: { 'x-github-event': event }, body }))
  t.equal(new Set(made.map(event => event.dedupe_key)).size, events.length)
  t.equal(new Set(made.map(event => event.target.key)).size, events.length)
  t.ok(made.every(event => event.subject_id === '77'))
})
