import t from 'tap'
import type { HistoryAccount } from '../../../src/model/platforms/history.js'
import { type GitLabBook, startGitLab } from '../../support/history-servers/gitlab-server.js'
import { closing, type RestFault } from '../../support/history-servers/rest-server.js'
import { timeAt } from '../../support/history-servers/sample-repository.js'
import { historyRig } from './history-rig.js'

const TOKEN = 'glpat-s3cr3t'
const SITE = 'https://gitlab.example.org'
const ADA = { id: 7, username: 'ada', name: 'Ada' }

function book(): GitLabBook {
  const page = (kind: string, number: number) => `${SITE}/lovelace/mills/engine/-/${kind}/${number}`
  const item = (kind: string, number: number) => {
    const times = { created_at: timeAt(number), updated_at: timeAt(number + 50) }
    return {
      id: 800 + number,
      iid: number,
      title: `T${number}`,
      author: ADA,
      state: 'opened',
      web_url: page(kind, number),
      ...times,
    }
  }
  const note = (id: number, more = {}) => ({
    id,
    body: 'Yes',
    author: ADA,
    system: false,
    type: null,
    created_at: timeAt(id),
    updated_at: timeAt(id),
    ...more,
  })
  return {
    project: {
      id: 7010,
      name: 'Engine',
      path_with_namespace: 'lovelace/mills/engine',
      web_url: `${SITE}/lovelace/mills/engine`,
    },
    issues: [
      { ...item('issues', 1), issue_type: 'issue', user_notes_count: 3 },
      { ...item('work_items', 2), issue_type: 'task', user_notes_count: 0 },
      { ...item('issues', 3), issue_type: 'issue', user_notes_count: 0, created_at: null },
    ],
    mergeRequests: [
      {
        ...item('merge_requests', 4),
        id: 904,
        state: 'merged',
        merged_at: timeAt(30),
        merge_user: ADA,
        target_project_id: 7010,
      },
    ],
    notes: {
      'issues/1': [note(20), note(21, { system: true }), note(22, { type: 'DiscussionNote' })],
      'merge_requests/4': [note(25, { type: 'DiffNote', position: { new_path: 'a.ts', new_line: 3 } })],
    },
  }
}

const account = (url: string): HistoryAccount => ({ source: 'code_b', baseUrl: url, token: TOKEN })

t.test('issues, merge requests and comments of a project of GitLab are recorded once', async t => {
  const rig = await historyRig(t)
  const faults = new Map<number, RestFault>([
    [1, 'half'],
    [2, { status: 429, headers: { 'retry-after': '3', 'ratelimit-remaining': '0' } }],
    [4, { status: 502 }],
  ])
  const server = closing(
    t,
    await startGitLab(book(), { token: TOKEN, most: 1, fault: ({ index }) => faults.get(index) }),
  )
  const report = await rig.read('project:lovelace/mills/engine', account(server.url))
  t.match(report, {
    created: 7,
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
    'work_item:802:created',
  ])
  const merged = (await rig.events()).find(({ kind }) => kind === 'pull_request.merged')
  t.match(merged, { occurred_at: timeAt(30).replace('Z', '.000000Z'), actor: { display: 'ada' } })
  t.match(await rig.read('project:lovelace/mills/engine', account(server.url)), { created: 0, known: 7 })
  t.same((await rig.read('project:lovelace/mills/engine/merge_request:4', account(server.url))).kinds, {
    'pull_request.created': 1,
    'pull_request.merged': 1,
    'review_comment.created': 1,
  })
})
