import t, { type Test } from 'tap'
import type { RestAccount } from '../../../src/model/platforms/history.js'
import { codeA } from '../../../src/platforms/code-a/adapter.js'
import { openHistory } from '../../../src/platforms/history/open-history.js'
import { watchedTargetOf } from '../../../src/platforms/history/watched-target.js'
import { type ForumBook, startForum } from '../../support/history-servers/forum-server.js'
import {
  type GitHubBook,
  type GitHubOptions,
  type Item,
  startGitHub,
} from '../../support/history-servers/github-server.js'
import { type GitLabBook, startGitLab } from '../../support/history-servers/gitlab-server.js'
import { closing, type RestServer } from '../../support/history-servers/rest-server.js'
import { sampleForum } from '../../support/history-servers/sample-forum.js'
import { sampleProject, starrer } from '../../support/history-servers/sample-project.js'
import {
  comment,
  issue,
  pull,
  REPOSITORY,
  sampleRepository,
  timeAt,
} from '../../support/history-servers/sample-repository.js'
import { allEvents } from './capture-rig.js'
import { pollRig, WATCH } from './poll-rig.js'

const TOKEN = 'ghp_s3cr3t'
/** Minute 120, or a few seconds earlier, because time has passed since the answer. */
const AT_120 = /^2024-03-01T0(?:1:59:5|2:00:00)/

interface Polled {
  name: string
  watch: Record<string, unknown>
  start(t: Test): Promise<{ server: RestServer; account: RestAccount; grow: () => void }>
  /** Number of events in the first poll, and in later ones. */
  first: number
  /** Kinds of the events that `grow` adds. */
  added: string[]
}

const github = (flavour: 'github' | 'gitea', first: number, added: string[]): Polled => ({
  name: flavour,
  watch: WATCH,
  first,
  added,
  start: async t => {
    const book = sampleRepository()
    const server = closing(t, await startGitHub(book, { token: TOKEN, flavour }))
    const account: RestAccount = { source: 'code_a', baseUrl: server.url, token: TOKEN }
    return { server, account, grow: () => growRepository(book) }
  },
})

const PLATFORMS: Polled[] = [
  github('github', 13, [
    'comment.created 50120',
    'comment.created 50121',
    'issue.closed 1001',
    'issue.created 1120',
    'pull_request.created 90121',
    'release.published 510',
    'review.submitted 310',
    'review_comment.created 50122',
    'star.created 4711/9',
  ]),
  github('gitea', 9, [
    'comment.created 50120',
    'issue.closed 1001',
    'issue.created 1120',
    'pull_request.created 90121',
    'release.published 510',
  ]),
  {
    name: 'gitlab',
    watch: { ...WATCH, source: 'code_b', target: 'project:lovelace/mills/engine' },
    first: 10,
    added: ['comment.created 120', 'issue.created 920', 'pull_request.merged 905', 'star.created 7010/90'],
    start: async t => {
      const book = sampleProject()
      const server = closing(t, await startGitLab(book, { token: TOKEN, most: 2 }))
      const account: RestAccount = { source: 'code_b', baseUrl: server.url, token: TOKEN }
      return { server, account, grow: () => growProject(book) }
    },
  },
  ...['category:support', 'category:8', '', 'topic:2'].map((target): Polled => {
    const isWhole = target === ''
    const added = target === 'topic:2' ? ['reply.created 900'] : ['reply.created 900', 'topic.created 6']
    return {
      name: `discourse ${target}`,
      watch: { ...WATCH, source: 'forum', target },
      first: target === 'topic:2' ? 15 : isWhole ? 75 : 60,
      added,
      start: async t => {
        const book = sampleForum()
        const server = closing(t, await startForum(book, { apiKey: TOKEN, size: 2 }))
        const account: RestAccount = { source: 'forum', baseUrl: server.url, token: TOKEN }
        return { server, account, grow: () => growForum(book) }
      },
    }
  }),
]

for (const { name, watch, start, first, added } of PLATFORMS) {
  t.test(`successive polls of ${name} record each new event once`, async t => {
    const rig = await pollRig(t, [watch])
    const { account, grow } = await start(t)
    rig.at(100)
    t.match(await rig.poll(account), { outcome: 'captured', created: first, duplicates: 0, polled: { complete: true } })
    t.match(await rig.poll(account), { messages: 0, created: 0 })
    grow()
    rig.at(130)
    await rig.restart()
    t.match(await rig.poll(account), { messages: added.length, created: added.length })
    rig.at(150)
    t.match(await rig.poll(account), { messages: 0, last_cursor: micros(150) })
    const events = await allEvents(rig.ledger)
    const news = events.slice(first).map(({ kind, subject_id }) => `${kind} ${subject_id}`)
    t.same(news.sort(), [...added].sort())
    t.ok(events.every(({ seen_count, subscription_ids }) => seen_count === 1 && subscription_ids.join() === 'engine'))
    t.same(new Set(events.map(({ provenance }) => JSON.stringify(provenance))).size, 1)
    t.match(events[0]?.provenance, { route: 'capture', verified: 'login' })
    const { last_cursor, capture } = await rig.ledger.getSubscription('engine')
    t.match(
      { last_cursor, ...capture },
      { last_cursor: micros(150), read_to: micros(150), failures: 0, unfinished: null },
    )
  })
}

t.test('each list declares the kinds of its events, and is not read if no watch selects them', async t => {
  for (const { name, watch, start } of PLATFORMS) {
    const { account, grow } = await start(t)
    grow()
    const target = watchedTargetOf({ source: '', target: '', scope: {}, filters: {}, ...watch })
    if (!target) throw new Error('It has no target.')
    for (const isPoll of [true, false]) {
      const calls = { sleep: async () => {}, now: Date.now }
      const { history, close } = await openHistory(target, { account, since: micros(0), isPoll, calls })
      for (const stream of history.streams) {
        for (let position: string | undefined, isLast = false; !isLast; isLast = position === undefined) {
          const { events, next } = await stream.read(position)
          const others = events.filter(({ kind }) => !stream.kinds.includes(kind))
          t.same(
            others.map(({ kind }) => kind),
            [],
            `${name}: ${stream.name}`,
          )
          position = next
        }
      }
      close()
    }
  }
  const rig = await pollRig(t, [{ ...WATCH, event_kinds: ['release.*'] }])
  const server = await gitHub(t, sampleRepository())
  rig.at(100)
  t.match(await rig.poll(accountAt(server)), { created: 1 })
  t.same(pathsOf(server), ['/version', '', '/releases'])
})

t.test('a poll fails if no list has a kind of the watch', async t => {
  const rig = await pollRig(t, [{ ...WATCH, event_kinds: ['pipeline.*', 'job.failed'] }])
  const server = await gitHub(t, sampleRepository())
  rig.at(100)
  t.match(await rig.poll(accountAt(server)), {
    outcome: 'failed',
    error: {
      code: 'watch_not_captured',
      message:
        /only kinds that a poll does not find: pipeline\.\*, job\.failed\. A poll of this place finds .*issue\.created, /,
    },
  })
  t.match((await rig.ledger.getSubscription('engine')).capture, { failures: 1, last_error: /does not find/ })
})

t.test('an event is the same by webhook and by poll, in either order', async t => {
  const rig = await pollRig(t)
  const book = sampleRepository()
  const account = accountAt(await gitHub(t, book))
  const deliver = async (item: Item) => {
    const body = { action: 'opened', issue: item, repository: REPOSITORY, sender: item.user }
    const headers = { 'x-github-event': 'issues', 'x-github-delivery': 'd-1' }
    const { events } = codeA.normalise({ headers, body: Buffer.from(JSON.stringify(body)) }, {})
    const provenance = { route: 'webhook', verified: 'signature', delivery_id: 'd-1' } as const
    await rig.ledger.record(events.map(event => ({ event, provenance })))
  }
  rig.at(100)
  const [one, two] = book.issues as [Item, Item]
  await deliver(one)
  t.match(await rig.poll(account), { created: 12, duplicates: 0 })
  await deliver(two)
  t.match(await rig.poll(account), { messages: 0 })
  const created = (await allEvents(rig.ledger)).filter(({ kind }) => kind === 'issue.created')
  t.match(created, [
    { subject_id: '1001', seen_count: 1, provenance: { route: 'webhook' }, subscription_ids: ['engine'] },
    { subject_id: '1002', seen_count: 2, provenance: { route: 'capture' } },
  ])
})

t.test('a rate limit ends the poll, and the next poll continues where it stopped', async t => {
  const other = { ...WATCH, id: 'other', target: 'repo:ada/other' }
  const rig = await pollRig(t, [WATCH, other])
  let isLimited = true
  const server = await gitHub(t, sampleRepository(), {
    fault: ({ path }) =>
      isLimited && path.endsWith('/issues/comments') ? { status: 429, headers: { 'retry-after': '1200' } } : undefined,
  })
  rig.at(100)
  const [limited, ...rest] = await rig.due(accountAt(server))
  t.match(limited, {
    outcome: 'failed',
    created: 6,
    error: { code: 'platform_rate_limited' },
  })
  t.match(limited?.error?.message, /6 new events are recorded\. It accepts no request before 2024-03-01T0[12]:/)
  t.same(rest, [], 'the other repository has the same account')
  for (const id of ['engine', 'other']) {
    t.match((await rig.ledger.getSubscription(id)).capture, { wait_until: AT_120, next_due_at: AT_120 })
  }
  t.same(await rig.due(accountAt(server)), [], 'it asks no more before then')
  isLimited = false
  rig.at(121)
  await rig.restart()
  const before = server.asked.length
  t.match(await rig.poll(accountAt(server)), { created: 7, polled: { complete: true } })
  t.notOk(pathsOf(server, before).includes('/issues'), 'the issues are not read again')
  const { capture } = await rig.ledger.getSubscription('engine')
  t.match(capture, { read_to: micros(100), unfinished: null, wait_until: null }, 'up to the beginning of the first')
  t.match(await rig.poll(accountAt(server)), { messages: 0, last_cursor: micros(121) })
})

t.test('a failing list does not prevent the others from being read, and its position stays', async t => {
  const rig = await pollRig(t)
  const book = sampleRepository()
  const server = await gitHub(t, book, {
    fault: ({ path }) => (path.endsWith('/issues/comments') ? { status: 422 } : undefined),
  })
  rig.at(100)
  t.match(await rig.poll(accountAt(server)), {
    outcome: 'failed',
    created: 10,
    error: { code: 'platform_request_refused' },
  })
  growRepository(book)
  rig.at(130)
  t.match(await rig.poll(accountAt(server)), { outcome: 'failed', created: 8 })
  const { capture } = await rig.ledger.getSubscription('engine')
  t.match(capture, { read_to: '2024-02-29T23:50:00.000000Z', failures: 2, unfinished: null })
})

t.test('a missing list is reported, and the poll is complete without it', async t => {
  const rig = await pollRig(t)
  const server = await gitHub(t, sampleRepository(), {
    fault: ({ path }) => (path.endsWith('/stargazers') ? { status: 404 } : undefined),
  })
  rig.at(100)
  t.match(await rig.poll(accountAt(server)), {
    outcome: 'captured',
    created: 12,
    last_cursor: micros(100),
    polled: { complete: true, unavailable: [{ stream: 'stars' }] },
  })
})

t.test('a forum whose clock differs from ours is polled by its own', async t => {
  for (const minutesAhead of [-30, 30]) {
    const rig = await pollRig(t, [{ ...WATCH, source: 'forum', target: '' }])
    const book = sampleForum()
    const server = closing(t, await startForum(book, { apiKey: TOKEN, minutesAhead }))
    const account: RestAccount = { source: 'forum', baseUrl: server.url, token: TOKEN }
    rig.at(100)
    await rig.poll(account)
    book.topics = [{ ...book.topics[0], id: 6, created_at: timeAt(101 + minutesAhead) }, ...book.topics]
    rig.at(105)
    t.match(await rig.poll(account), { created: 1 }, `${minutesAhead} minutes ahead`)
    t.match(await rig.poll(account), { created: 0 })
  }
})

t.test('a poll that may read none of its lists has failed, and the next one reads what happened since', async t => {
  const rig = await pollRig(t)
  let isRefused = true
  const server = await gitHub(t, sampleRepository(), {
    fault: ({ path }) =>
      isRefused && !path.endsWith('/engine') && !path.endsWith('/version') ? { status: 403 } : undefined,
  })
  rig.at(100)
  const refused = { outcome: 'failed', error: { code: 'platform_not_permitted' }, polled: { complete: false } }
  t.match(await rig.poll(accountAt(server)), refused)
  isRefused = false
  t.match(await rig.poll(accountAt(server)), { created: 13, polled: { complete: true } })
})

t.test('a key that a forum no longer accepts is no missing list, also in the middle of a poll', async t => {
  for (const refused of ['/latest.json', '/posts.json', '/t/2.json', '/t/2/posts.json']) {
    const isOfTopic = refused.startsWith('/t/')
    const rig = await pollRig(t, [{ ...WATCH, source: 'forum', target: isOfTopic ? 'topic:2' : '' }])
    const book = sampleForum()
    let isRefused = true
    const fault = ({ path }: { path: string }) => (isRefused && path === refused ? { status: 403 } : undefined)
    const server = closing(t, await startForum(book, { apiKey: TOKEN, fault }))
    const account: RestAccount = { source: 'forum', baseUrl: server.url, token: TOKEN }
    rig.at(100)
    t.match(await rig.poll(account), { outcome: 'failed', error: { code: 'platform_not_permitted' } }, refused)
    isRefused = false
    rig.at(130)
    await rig.poll(account)
    t.equal((await allEvents(rig.ledger)).length, isOfTopic ? 15 : 75, refused)
  }
})

t.test('a poll of a large repository takes few requests', async t => {
  const rig = await pollRig(t, [WATCH])
  const count = 450
  const book: GitHubBook = {
    repository: REPOSITORY,
    issues: [issue(1)],
    pulls: Array.from({ length: count }, (_, at) => pull(at - count - 20)),
    releases: Array.from({ length: count }, (_, at) => release(600 - at, -at - 20)),
    stars: Array.from({ length: count }, (_, at) => star(at + 10, at - count - 20)),
    commitComments: Array.from({ length: count }, (_, at) => commitComment(at - count - 20)),
  }
  const server = await gitHub(t, book)
  rig.at(1)
  await rig.poll(accountAt(server))
  book.pulls = [...(book.pulls ?? []), pull(90)]
  book.stars = [...(book.stars ?? []), ...Array.from({ length: 120 }, (_, at) => star(at + 900, 91))]
  rig.at(100)
  const before = server.asked.length
  t.match(await rig.poll(accountAt(server)), { created: 121 })
  t.same(pathsOf(server, before), [
    ...['/version', '', '/issues', '/pulls', '/pulls/90/reviews', '/issues/comments', '/pulls/comments'],
    ...['/comments', '/comments', '/releases', '/stargazers', '/stargazers', '/stargazers'],
  ])
})

t.test('a GitLab list without a page count is left out', async t => {
  const rig = await pollRig(t, [{ ...WATCH, source: 'code_b', target: 'project:lovelace/mills/engine' }])
  const book = sampleProject()
  book.starrers = Array.from({ length: 20_000 }, (_, at) => starrer(at + 1, 10))
  const server = closing(t, await startGitLab(book))
  rig.at(100)
  const { created, polled } = await rig.poll({ source: 'code_b', baseUrl: server.url })
  t.match(polled, { complete: true, left_out: [{ reason: 'it has no time in created_at' }, { example: 'stars' }] })
  t.equal(created, 7)
})

t.test('the first poll goes back to the creation of the subscription, and at most a day', async t => {
  const rig = await pollRig(t)
  const minutes = 60 * 48
  const issues = [-20, -5, minutes - 60 * 25, minutes - 60].map((minute, at) => {
    return issue(at + 1, { created_at: timeAt(minute), updated_at: timeAt(minute) })
  })
  const account = accountAt(await gitHub(t, { repository: REPOSITORY, issues: issues.slice(0, 2) }))
  rig.at(10)
  t.match(await rig.poll(account), { created: 1 }, 'not what was before')
  const late = await pollRig(t)
  late.at(minutes)
  t.match(await late.poll(accountAt(await gitHub(t, { repository: REPOSITORY, issues }))), { created: 1 })
})

t.test(
  'another server is read from the beginning, and its ids do not collide with those of the previous one',
  async t => {
    const rig = await pollRig(t)
    rig.at(100)
    const former = await gitHub(t, sampleRepository())
    await rig.poll(accountAt(former))
    rig.at(200)
    const now = await gitHub(t, sampleRepository())
    t.match(await rig.poll(accountAt(now)), {
      previous_host: new URL(former.url).host,
      created: 0,
      polled: { complete: true },
    })
    const { capture, last_cursor } = await rig.ledger.getSubscription('engine')
    t.match({ ...capture, last_cursor }, { host: new URL(now.url).host, last_cursor: micros(200) })
  },
)

t.test('without a token, the events are not verified', async t => {
  const rig = await pollRig(t)
  const { url } = closing(t, await startGitHub(sampleRepository()))
  rig.at(100)
  await rig.poll({ source: 'code_a', baseUrl: url })
  t.ok((await allEvents(rig.ledger)).every(({ provenance }) => provenance.verified === 'none'))
})

t.test('a poll that is impossible reports the reason', async t => {
  const all = { ...WATCH, id: 'all', target: '' }
  const rig = await pollRig(t, [WATCH, all])
  const account = accountAt(await gitHub(t, sampleRepository(), { token: 'another' }))
  t.match(await rig.poll({ ...account, source: 'code_b' }), { error: { code: 'capture_account_missing' } })
  t.match(await rig.poll(account, 'all'), { error: { code: 'watch_not_captured' } })
  const refused = await rig.poll(account)
  t.match(refused.error, { code: 'platform_credentials_refused', message: /^(?!.*ghp_)/u })
  t.match((await rig.ledger.getSubscription('all')).capture, { next_due_at: null })
})

async function gitHub(t: Test, book: GitHubBook, options: GitHubOptions = {}): Promise<RestServer> {
  return closing(t, await startGitHub(book, { token: TOKEN, ...options }))
}

function accountAt({ url }: RestServer): RestAccount {
  return { source: 'code_a', baseUrl: url, token: TOKEN }
}

/** Below the repository. */
function pathsOf({ asked }: RestServer, from = 0): string[] {
  return asked
    .slice(from)
    .map(({ path }) => path.replace(/^\/api\/v\d/u, '').replace(/^\/repos(?:itories)?\/(?:\d+|ada\/engine)/u, ''))
}

function micros(minute: number): string {
  return timeAt(minute).replace('Z', '.000000Z')
}

function release(id: number, minute: number): Item {
  return { id, tag_name: `v${id}`, draft: false, published_at: timeAt(minute), created_at: timeAt(minute) }
}

function star(id: number, minute: number): Item {
  return { starred_at: timeAt(minute), user: { id, login: `u${id}` } }
}

function commitComment(number: number, more: Item = {}): Item {
  const html_url = `https://git.example.org/ada/engine/commit/abc#r${number}`
  return comment(number, 1, { html_url, commit_id: 'abc', ...more })
}

/** Adds items to every list, from minute 120 on. */
function growRepository(book: GitHubBook): void {
  const page = 'https://git.example.org/ada/engine/pull/3'
  const [one, ...others] = book.issues as Item[]
  const [third] = book.pulls as Item[]
  const later = { updated_at: timeAt(125) }
  book.issues = [{ ...one, ...later, state: 'closed', closed_at: timeAt(124) }, ...others, issue(120)]
  book.pulls = [{ ...third, ...later }, pull(121)]
  book.comments = [...(book.comments ?? []), comment(120, 2)]
  book.commitComments = [...(book.commitComments ?? []), commitComment(121)]
  const onCode = { html_url: `${page}#discussion_r122`, pull_request_review_id: 310 }
  book.reviewComments = [...(book.reviewComments ?? []), comment(122, 3, onCode)]
  const review = { id: 310, state: 'COMMENTED', submitted_at: timeAt(123), html_url: `${page}#pullrequestreview-310` }
  book.reviews = { 3: [...(book.reviews?.[3] ?? []), review] }
  book.releases = [release(510, 124), ...(book.releases ?? [])]
  book.stars = [...(book.stars ?? []), star(9, 125)]
}

function growProject(book: GitLabBook): void {
  const [one, ...issues] = book.issues as [Item, ...Item[]]
  const [four] = book.mergeRequests as [Item, ...Item[]]
  const at = { created_at: timeAt(120), updated_at: timeAt(120) }
  book.issues = [
    { ...one, updated_at: timeAt(121) },
    ...issues,
    { ...one, id: 920, iid: 120, user_notes_count: 0, ...at },
  ]
  const merged = { id: 905, iid: 5, updated_at: timeAt(122), merged_at: timeAt(122), user_notes_count: 0 }
  book.mergeRequests = [four, { ...four, ...merged, created_at: timeAt(-500) }]
  book.starrers = [...book.starrers, starrer(90, 123)]
  const note = { id: 120, body: 'New', author: { id: 7, username: 'ada' }, system: false, type: null, ...at }
  book.notes = { ...book.notes, 'issues/1': [...(book.notes['issues/1'] ?? []), note] }
}

function growForum(book: ForumBook): void {
  const [, topic] = book.topics
  const [post] = book.posts.filter(({ topic_id }) => topic_id === 2)
  if (!topic || !post) throw new Error('The forum is empty.')
  book.topics = [{ ...topic, id: 6, title: 'Topic 6', created_at: timeAt(120) }, ...book.topics]
  book.posts = [...book.posts, { ...post, id: 900, post_number: 99, created_at: timeAt(121) }]
}
