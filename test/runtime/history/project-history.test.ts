import t from 'tap'
import type { HistoryAccount } from '../../../src/model/platforms/history.js'
import { startGitLab } from '../../support/history-servers/gitlab-server.js'
import { closing, type RestFault } from '../../support/history-servers/rest-server.js'
import { sampleProject } from '../../support/history-servers/sample-project.js'
import { timeAt } from '../../support/history-servers/sample-repository.js'
import { historyRig } from './history-rig.js'

const TOKEN = 'glpat-s3cr3t'
const account = (url: string): HistoryAccount => ({ source: 'code_b', baseUrl: url, token: TOKEN })

t.test('issues, merge requests, comments and stars of a project of GitLab are recorded once', async t => {
  const rig = await historyRig(t)
  const faults = new Map<number, RestFault>([
    [1, 'half'],
    [2, { status: 429, headers: { 'retry-after': '3', 'ratelimit-remaining': '0' } }],
    [4, { status: 502 }],
  ])
  const server = closing(
    t,
    await startGitLab(sampleProject(), { token: TOKEN, most: 1, fault: ({ index }) => faults.get(index) }),
  )
  const report = await rig.read('project:lovelace/mills/engine', account(server.url))
  t.match(report, {
    created: 10,
    known: 0,
    left_out: [{ reason: 'it has no time in created_at', example: 'issues #3' }],
  })
  t.same((await rig.events()).map(({ dedupe_key }) => dedupe_key.replace('code_b:gitlab.example.org:', '')).sort(), [
    'comment:20:created',
    'comment:22:created',
    'issue:801:created',
    'pull_request:904:created',
    'pull_request:904:merged',
    'review_comment:25:created',
    ...[40, 41, 42].map(minute => `star:7010/${minute}:created:${timeAt(minute).replace('Z', '.250000Z')}`),
    'work_item:802:created',
  ])
  const merged = (await rig.events()).find(({ kind }) => kind === 'pull_request.merged')
  t.match(merged, { occurred_at: timeAt(30).replace('Z', '.000000Z'), actor: { display: 'ada' } })
  t.match(await rig.read('project:lovelace/mills/engine', account(server.url)), { created: 0, known: 10 })
  t.same((await rig.read('project:lovelace/mills/engine/merge_request:4', account(server.url))).kinds, {
    'pull_request.created': 1,
    'pull_request.merged': 1,
    'review_comment.created': 1,
  })
})

t.test('an issue that is deleted while its comments are asked for costs no other', async t => {
  const rig = await historyRig(t)
  const fault = ({ path }: { path: string }): RestFault | undefined =>
    path.endsWith('/issues/1/notes') ? { status: 404 } : undefined
  const server = closing(t, await startGitLab(sampleProject(), { token: TOKEN, most: 1, fault }))
  const report = await rig.read('project:lovelace/mills/engine', account(server.url))
  t.match(report, { kinds: { 'issue.created': 1, 'work_item.created': 1, 'review_comment.created': 1 } })
  t.same(report.unavailable, [])
})
