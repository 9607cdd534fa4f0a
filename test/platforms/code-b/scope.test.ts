import t from 'tap'
import { type TargetNode, targetChain } from '../../../src/model/events/event.js'
import { parseTarget, scopeKeysOf } from '../../../src/model/subscriptions/scope-key.js'
import { jsonOf } from '../adapter-fixtures.js'
import { eventOf, readFixture, readFixtures } from './support.js'

function isCovered(target: TargetNode, by: string): boolean {
  return scopeKeysOf(target).includes(parseTarget('code_b', by).scopeKey)
}

function typesOf(target: TargetNode): (string | undefined)[] {
  return [...targetChain(target)].map(({ type }) => type)
}

t.test('a subscription to a repository covers all its events', async t => {
  const inProject = readFixtures().filter(({ body }) => JSON.stringify(body).includes('lovelace/mills/engine'))
  t.ok(inProject.length > 45)
  for (const fixture of inProject) {
    const { target } = eventOf(fixture)
    for (const by of ['repo:lovelace/mills/engine', 'project:Lovelace/Mills/Engine']) {
      t.ok(isCovered(target, by), `${fixture.name} by ${by}`)
    }
    t.notOk(isCovered(target, 'repo:mills/engine'), fixture.name)
    t.notOk(isCovered(target, 'repo:ghopper/engine'), `${fixture.name}: a merge request belongs where it leads to`)
  }
})

t.test('a subscription to an issue covers the issue and its discussion', async t => {
  const names = [
    'issue-opened',
    'issue-labels-changed',
    'issue-closed',
    'comment-on-an-issue',
    'reaction-added-to-a-comment',
  ]
  for (const name of names) {
    const { target } = eventOf(readFixture(name))
    t.ok(isCovered(target, 'repo:lovelace/mills/engine/issue:12'), name)
    t.notOk(isCovered(target, 'repo:lovelace/mills/engine/issue:1'), name)
    t.notOk(isCovered(target, 'repo:lovelace/mills/engine/pull_request:12'), name)
  }
})

t.test('a subscription to a merge request covers it, its discussion and its pipelines', async t => {
  const names = [
    'merge-request-opened-from-a-fork',
    'merge-request-merged',
    'comment-on-a-merge-request',
    'comment-on-a-line-of-a-merge-request',
    'reaction-removed-from-a-merge-request',
    'pipeline-failed-for-a-merge-request',
  ]
  for (const name of names) {
    const { target } = eventOf(readFixture(name))
    for (const by of ['repo:lovelace/mills/engine/pull_request:34', 'project:lovelace/mills/engine/merge_request:34']) {
      t.ok(isCovered(target, by), `${name} by ${by}`)
    }
    t.notOk(isCovered(target, 'repo:lovelace/mills/engine/issue:34'), name)
  }
})

t.test('a pipeline in a fork does not belong to a merge request with the same number', async t => {
  const { headers, ...fixture } = readFixture('pipeline-failed-for-a-merge-request')
  const body = jsonOf({ headers, ...fixture })
  const mergeRequest = { ...(body.merge_request as Record<string, unknown>), target_project_id: 7044 }
  const { target } = eventOf({ headers, body: { ...body, merge_request: mergeRequest } })
  t.notOk(isCovered(target, 'repo:lovelace/mills/engine/pull_request:34'))
  t.strictSame(typesOf(target), ['pipeline', 'commit', 'repository', 'owner', 'owner'])
})

t.test('the target chain ends at the outermost group', async t => {
  const groups = ['owner', 'owner']
  const project = ['repository', ...groups]
  const cases: [name: string, types: string[]][] = [
    ['push-of-two-commits', ['branch', ...project]],
    ['tag-created', ['tag', ...project]],
    ['repository-updated', project],
    ['issue-opened', ['issue', ...project]],
    ['epic-updated-in-a-group', ['work_item', ...groups]],
    ['task-opened', ['work_item', ...project]],
    ['merge-request-opened-from-a-fork', ['pull_request', ...project]],
    ['comment-on-an-issue', ['comment', 'issue', ...project]],
    ['comment-on-a-merge-request', ['comment', 'pull_request', ...project]],
    ['comment-on-a-line-of-a-merge-request', ['review_comment', 'pull_request', ...project]],
    ['comment-on-a-commit', ['comment', 'commit', ...project]],
    ['comment-on-a-snippet', ['comment', 'snippet', ...project]],
    ['comment-on-a-design', ['comment', 'design', ...project]],
    ['reaction-added-to-a-comment', ['reaction', 'comment', 'issue', ...project]],
    ['reaction-removed-from-a-merge-request', ['reaction', 'pull_request', ...project]],
    ['wiki-page-created', ['wiki_page', ...project]],
    ['pipeline-succeeded', ['pipeline', 'commit', ...project]],
    ['pipeline-failed-for-a-merge-request', ['pipeline', 'pull_request', 'commit', ...project]],
    ['job-failed', ['job', 'pipeline', 'commit', ...project]],
    ['job-running-on-an-old-instance', ['job', 'pipeline', 'commit', ...project]],
    ['deployment-succeeded', ['deployment', 'environment', ...project]],
    ['release-created', ['release', ...project]],
    ['feature-flag-enabled', ['feature_flag', ...project]],
    ['milestone-closed', ['milestone', ...project]],
    ['milestone-created-in-a-group', ['milestone', 'owner']],
    ['vulnerability-confirmed', ['vulnerability', ...project]],
    ['access-token-of-a-group-expires', ['access_token', ...groups]],
    ['member-added-to-a-group', ['member', 'owner']],
    ['member-updated-in-a-project', ['member', ...project]],
    ['project-created', project],
    ['subgroup-created', groups],
    ['user-created', ['user', 'instance']],
    ['key-created', ['key', 'instance']],
  ]
  for (const [name, types] of cases) t.strictSame(typesOf(eventOf(readFixture(name)).target), types, name)
})

t.test('target types are neutral, and the metadata has those of the platform', async t => {
  const chain = [...targetChain(eventOf(readFixture('comment-on-a-merge-request')).target)]
  t.strictSame(
    chain.map(({ type, metadata }) => [type, metadata?.native_type]),
    [
      ['comment', 'note'],
      ['pull_request', 'merge_request'],
      ['repository', 'project'],
      ['owner', 'namespace'],
      ['owner', 'namespace'],
    ],
  )
})

t.test('the whole discussion of a merge request is one conversation', async t => {
  const names = ['merge-request-merged', 'comment-on-a-merge-request', 'comment-on-a-line-of-a-merge-request']
  for (const name of names) t.equal(eventOf(readFixture(name)).conversation.key, 'pull_request:990034', name)
  t.equal(eventOf(readFixture('comment-on-an-issue')).conversation.key, eventOf(readFixture('issue-opened')).target.key)
})

t.test('confidential events are marked', async t => {
  for (const name of ['issue-opened-in-confidence', 'comment-edited-in-confidence']) {
    const { action, target } = eventOf(readFixture(name))
    t.equal(action.metadata.confidential, true, name)
    t.equal(target.metadata?.confidential, true, name)
  }
  t.notOk('confidential' in eventOf(readFixture('issue-opened')).action.metadata)
  const reaction = readFixture('reaction-added-to-a-comment')
  t.notOk('confidential' in eventOf(reaction).action.metadata)
  const body = jsonOf(reaction)
  const { note } = body as { note: object }
  for (const to of [
    ...[{ note: { ...note, internal: true } }, { note: { ...note, confidential: true } }],
    { work_item: { id: 990012, confidential: true } },
  ]) {
    const { action } = eventOf({ ...reaction, body: { ...body, ...to } })
    t.equal(action.metadata.confidential, true, `a reaction to ${JSON.stringify(to)}`)
  }
})
