import type { GitLabBook } from './gitlab-server.js'
import { timeAt } from './sample-repository.js'

const SITE = 'https://gitlab.example.org'
const ADA = { id: 7, username: 'ada', name: 'Ada' }

/** Issues, work items and merge requests, with notes on them. */
export function sampleProject(): GitLabBook {
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
    starrers: [40, 41, 42].map(minute => starrer(minute, minute)),
    notes: {
      'issues/1': [note(20), note(21, { system: true }), note(22, { type: 'DiscussionNote' })],
      'merge_requests/4': [note(25, { type: 'DiffNote', position: { new_path: 'a.ts', new_line: 3 } })],
    },
  }
}

/** @param minute in which the star was given */
export function starrer(id: number, minute: number) {
  return { starred_since: timeAt(minute).replace('Z', '.250Z'), user: { id, username: `u${id}`, name: `U ${id}` } }
}
