/** What an event contains in addition to its kind: the outcome, the people concerned, the changes, and the links. */
import t from 'tap'
import { targetChain } from '../../../src/model/events/event.js'
import { eventOf, normalise, readFixtures } from './support.js'

const REPOSITORY = { id: 21, full_name: 'labs/engine', html_url: 'https://github.com/labs/engine' }

function made(event: string, body: Record<string, unknown>, flavour = 'github') {
  return eventOf({ headers: { [`x-${flavour}-event`]: event }, body: { repository: REPOSITORY, ...body } })
}

t.test('an event has an outcome or a state, in terms that all platforms share', async t => {
  const run = (event: string, action: string, of: Record<string, unknown>): [string, Record<string, unknown>] => [
    event,
    { action, [event]: { id: 1, ...of } },
  ]
  const review = (action: string, state: string): [string, Record<string, unknown>] => [
    'pull_request_review',
    { action, review: { id: 1, state } },
  ]
  const cases: [event: string, body: Record<string, unknown>, outcome: string | undefined][] = [
    [...run('workflow_run', 'completed', { conclusion: 'success' }), 'succeeded'],
    [...run('workflow_run', 'completed', { conclusion: 'failure' }), 'failed'],
    [...run('workflow_run', 'completed', { conclusion: 'startup_failure' }), 'startup_failure'],
    [...run('workflow_run', 'in_progress', { status: 'in_progress', conclusion: null }), 'running'],
    [...run('check_run', 'completed', { conclusion: 'timed_out' }), 'timed_out'],
    [...run('check_run', 'rerequested', { conclusion: 'failure' }), undefined],
    [...run('check_suite', 'completed', { conclusion: 'neutral' }), 'neutral'],
    [...run('check_suite', 'completed', { conclusion: 'action_required' }), 'action_required'],
    [...run('workflow_job', 'queued', { status: 'queued' }), 'queued'],
    [...run('workflow_job', 'completed', { conclusion: 'cancelled' }), 'cancelled'],
    [...run('workflow_job', 'completed', { conclusion: 'skipped' }), 'skipped'],
    ['status', { id: 1, state: 'error' }, 'failed'],
    ['status', { id: 1, state: 'pending' }, 'queued'],
    ['deployment_status', { deployment_status: { id: 1, state: 'in_progress' } }, 'running'],
    ['deployment_status', { deployment_status: { id: 1, state: 'failure' } }, 'failed'],
    ['page_build', { id: 1, build: { status: 'errored' } }, 'failed'],
    [...review('submitted', 'approved'), 'approved'],
    [...review('submitted', 'CHANGES_REQUESTED'), 'changes_requested'],
    [...review('submitted', 'commented'), 'commented'],
    [...review('dismissed', 'dismissed'), 'dismissed'],
    [...review('edited', 'approved'), undefined],
    ['repository_import', { status: 'success' }, 'succeeded'],
    ['issues', { action: 'closed', issue: { id: 1, state_reason: 'not_planned' } }, undefined],
  ]
  for (const [event, body, outcome] of cases) {
    const { action } = made(event, body)
    t.equal(action.outcome, outcome, `${action.kind} ${JSON.stringify(body)}`)
    if (outcome === undefined) t.notOk('outcome' in action, 'it is absent, not empty')
  }
  const recovered = made('action_run_recover', { action: 'recover', run: { id: 1, status: 'success' } }, 'forgejo')
  t.equal(recovered.action.outcome, 'succeeded')
})

t.test('an event names the affected people and objects', async t => {
  const [ada, grace] = [
    { id: 3, login: 'ada' },
    { id: 4, login: 'grace' },
  ]
  const issue = { id: 5, number: 1 }
  const pull_request = { id: 6, number: 2 }
  const team = { id: 7, name: 'Mechanics' }
  const cases: [event: string, body: Record<string, unknown>, metadata: Record<string, unknown>][] = [
    ['issues', { action: 'labeled', issue, label: { id: 61, name: 'oil' } }, { label: { id: '61', display: 'oil' } }],
    ['issues', { action: 'assigned', issue, assignee: ada }, { assignee: { id: '3', display: 'ada' } }],
    ['issues', { action: 'milestoned', issue, milestone: { id: 8, title: 'One' } }, { milestone: { display: 'One' } }],
    ['issues', { action: 'closed', issue: { ...issue, state_reason: 'not_planned' } }, { reason: 'not_planned' }],
    [
      'pull_request',
      { action: 'review_requested', pull_request, requested_reviewer: grace },
      { reviewer: { id: '4', display: 'grace' } },
    ],
    [
      'pull_request',
      { action: 'review_requested', pull_request, requested_team: team },
      { team: { id: '7', display: 'Mechanics' } },
    ],
    ['pull_request', { action: 'dequeued', pull_request, reason: 'CI_FAILURE' }, { reason: 'CI_FAILURE' }],
    ['discussion', { action: 'answered', discussion: issue, answer: { id: 9, user: ada } }, { concerned: { id: '3' } }],
    ['membership', { action: 'removed', member: ada, team }, { concerned: { id: '3' }, team: { id: '7' } }],
    [
      'member',
      { action: 'edited', member: ada, changes: { permission: { from: 'read', to: 'write' } } },
      { role: 'write' },
    ],
  ]
  for (const [event, body, metadata] of cases) t.match(made(event, body).action.metadata, metadata, event)
  const assignees = { action: 'assigned', issue: { ...issue, assignees: [ada] } }
  t.match(made('issues', assignees, 'gitea').action.metadata, { assignee: { id: '3' } })
  const several = { action: 'assigned', issue: { ...issue, assignees: [ada, grace] } }
  t.notOk('assignee' in made('issues', several, 'gitea').action.metadata, 'of several it is not known which')
})

t.test('an event lists its changes, with the old and the new value', async t => {
  const changed = (event: string, body: Record<string, unknown>) => made(event, body).action.metadata.changes
  t.strictSame(
    changed('issues', {
      action: 'edited',
      issue: { id: 5, title: 'New', body: 'now', ref: 'x'.repeat(300) },
      changes: { title: { from: 'Old' }, body: { from: 'before' }, ref: { from: 'y'.repeat(300) } },
    }),
    { title: { from: 'Old', to: 'New' }, body: {}, ref: {} },
    'texts and long values stay in the payload',
  )
  t.strictSame(
    changed('pull_request', {
      action: 'edited',
      pull_request: { id: 6, base: { ref: 'next', sha: 'bb' } },
      changes: { base: { ref: { from: 'main' }, sha: { from: 'aa' } } },
    }),
    { base_ref: { from: 'main', to: 'next' }, base_sha: { from: 'aa', to: 'bb' } },
  )
  t.strictSame(
    changed('repository', {
      action: 'renamed',
      changes: { repository: { name: { from: 'motor' } } },
      repository: { ...REPOSITORY, name: 'engine' },
    }),
    { name: { from: 'motor', to: 'engine' } },
  )
  t.strictSame(
    changed('issues', {
      action: 'label_updated',
      issue: { id: 5 },
      changes: { added_labels: [{ id: 1, name: 'oil' }] },
    }),
    { labels: { to: 'oil' } },
  )
  t.equal(changed('issues', { action: 'transferred', issue: { id: 5 }, changes: { new_issue: { id: 9 } } }), undefined)
})

t.test('every event with a page on the platform has a link', async t => {
  for (const fixture of readFixtures()) {
    const [event] = normalise(fixture).events
    t.match(event?.conversation.url, /^https:\/\//u, fixture.name)
    for (const { type, key, url } of targetChain(event?.target)) {
      if (['repository', 'owner', 'commit', 'issue', 'pull_request'].includes(type ?? ''))
        t.ok(url, `${fixture.name} ${key}`)
    }
  }
})

t.test('a link without an address is derived from the layout of its server', async t => {
  const html_url = 'https://git.example.org/code/labs/engine'
  const repository = { id: 21, full_name: 'labs/engine', html_url, owner: { login: 'labs' } }
  const urlOf = (flavour: string, event: string, body: Record<string, unknown>) =>
    made(event, { repository, ...body }, flavour).target.url?.slice(html_url.length)
  const branch = { ref: 'fix/50% oil', ref_type: 'branch' }
  t.equal(urlOf('github', 'create', branch), '/tree/fix/50%25%20oil')
  t.equal(urlOf('gitea', 'create', branch), '/src/branch/fix/50%25%20oil')
  t.equal(urlOf('gitea', 'create', { ref: 'v1', ref_type: 'tag' }), '/src/tag/v1')
  t.equal(urlOf('gogs', 'create', branch), '/src/fix/50%25%20oil')
  t.equal(urlOf('github', 'delete', branch), undefined, 'what was deleted has no page')
  t.equal(urlOf('gogs', 'issues', { action: 'opened', issue: { id: 5, number: 4 } }), '/issues/4')
  t.equal(urlOf('gitea', 'pull_request', { action: 'opened', pull_request: { id: 6, number: 5 } }), '/pulls/5')
  t.equal(urlOf('github', 'pull_request', { action: 'opened', pull_request: { id: 6, number: 5 } }), '/pull/5')
  const commented = made('commit_comment', { repository, action: 'created', comment: { id: 1, commit_id: 'ab12' } })
  t.equal(commented.conversation.url, `${html_url}/commit/ab12`)
  const chain = [...targetChain(commented.target)]
  t.equal(chain.at(-1)?.url, 'https://git.example.org/code/labs', 'also the page of an owner')
})

t.test('the repository that is marked as a fork is the fork, in either member', async t => {
  const original = { id: 1, full_name: 'labs/engine', fork: false }
  const fork = { id: 2, full_name: 'grace/engine', fork: true }
  const second = { id: 3, full_name: 'ada/engine', fork: true }
  const forked = (flavour: string, forkee: object, repository: object) => {
    const { subject_id, target } = made('fork', { forkee, repository }, flavour)
    return [subject_id, target.display, target.parent?.display]
  }
  t.strictSame(forked('github', fork, original), ['2', 'grace/engine', 'labs/engine'])
  t.strictSame(forked('gitea', original, fork), ['2', 'grace/engine', 'labs/engine'])
  t.strictSame(forked('forgejo', original, second), ['3', 'ada/engine', 'labs/engine'])
  t.strictSame(forked('gitea', fork, second), ['3', 'ada/engine', 'grace/engine'], 'a fork of a fork')
  t.strictSame(forked('github', second, fork), ['3', 'ada/engine', 'grace/engine'], 'a fork of a fork')
})

t.test('a pull request that the platform sends as an issue is a pull request', async t => {
  const pull = {
    id: 880,
    number: 34,
    title: 'Spring',
    pull_request: { html_url: 'https://github.com/labs/engine/pull/34' },
  }
  const event = made('issues', { action: 'demilestoned', issue: pull, milestone: { id: 1, title: 'One' } })
  t.match(event, {
    kind: 'pull_request.demilestoned',
    subject_type: 'pull_request',
    target: { type: 'pull_request', key: 'pull_request:21/34', metadata: { number: 34 } },
  })
})
