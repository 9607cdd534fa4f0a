import type { GitHubBook, Item } from './github-server.js'

const ADA = { id: 7, login: 'ada', type: 'User', html_url: 'https://git.example.org/ada' }
const GRACE = { id: 8, login: 'grace', type: 'User', html_url: 'https://git.example.org/grace' }

export const REPOSITORY = {
  id: 4711,
  name: 'engine',
  full_name: 'ada/engine',
  private: false,
  owner: ADA,
  html_url: 'https://git.example.org/ada/engine',
  issues_url: 'https://git.example.org/api/v3/repos/ada/engine/issues{/number}',
  permissions: { admin: false, pull: true },
}

/** The second of a time that increases with the number. */
export function timeAt(number: number): string {
  return new Date(Date.UTC(2024, 2, 1) + number * 60_000).toISOString().replace('.000Z', 'Z')
}

const page = (number: number, kind = 'issues') => `https://git.example.org/ada/engine/${kind}/${number}`

export function issue(number: number, more: Item = {}): Item {
  const at = timeAt(number)
  const times = { created_at: at, updated_at: at, closed_at: null }
  return {
    id: 1_000 + number,
    number,
    title: `Issue ${number}`,
    state: 'open',
    user: ADA,
    html_url: page(number),
    ...times,
    ...more,
  }
}

export function comment(number: number, of: number, more: Item = {}): Item {
  const at = timeAt(number)
  const html_url = `${page(of)}#issuecomment-${number}`
  return {
    id: 50_000 + number,
    body: `Comment ${number}`,
    user: GRACE,
    html_url,
    created_at: at,
    updated_at: at,
    ...more,
  }
}

export function pull(number: number, more: Item = {}): Item {
  const at = timeAt(number)
  const times = { created_at: at, updated_at: at, closed_at: null, merged_at: null }
  return {
    id: 90_000 + number,
    number,
    title: `Pull ${number}`,
    state: 'open',
    user: ADA,
    html_url: page(number, 'pull'),
    ...times,
    ...more,
  }
}

/** A small repository with something in every list. */
export function sampleRepository(): GitHubBook {
  const closed = { state: 'closed', closed_at: timeAt(60), updated_at: timeAt(60), closed_by: GRACE }
  const merged = { state: 'closed', closed_at: timeAt(70), merged_at: timeAt(70), updated_at: timeAt(71) }
  return {
    repository: REPOSITORY,
    issues: [
      issue(1),
      issue(2, closed),
      issue(3, { id: 1_003, pull_request: { html_url: page(3, 'pull') }, html_url: page(3, 'pull') }),
    ],
    pulls: [pull(3, merged)],
    comments: [comment(10, 1), comment(11, 2), comment(12, 3, { html_url: `${page(3, 'pull')}#issuecomment-12` })],
    reviews: {
      3: [
        {
          id: 301,
          state: 'APPROVED',
          body: 'Fine',
          user: GRACE,
          submitted_at: timeAt(65),
          html_url: `${page(3, 'pull')}#pullrequestreview-301`,
        },
        { id: 302, state: 'PENDING', user: GRACE },
      ],
    },
    reviewComments: [
      comment(20, 3, { html_url: `${page(3, 'pull')}#discussion_r20`, path: 'engine.ts', pull_request_review_id: 301 }),
    ],
    commitComments: [
      comment(30, 1, { html_url: 'https://git.example.org/ada/engine/commit/abc#r30', commit_id: 'abc' }),
    ],
    releases: [
      {
        id: 501,
        tag_name: 'v1',
        name: 'One',
        draft: false,
        author: ADA,
        published_at: timeAt(80),
        created_at: timeAt(79),
      },
      { id: 502, tag_name: 'v2', draft: true, author: ADA, published_at: null, created_at: timeAt(81) },
    ],
    stars: [{ starred_at: timeAt(90), user: GRACE }],
  }
}
