import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { HistoryAccount } from '../../../src/model/platforms/history.js'
import { codeA } from '../../../src/platforms/code-a/adapter.js'
import {
  type GitHubBook,
  type GitHubOptions,
  type Item,
  startGitHub,
} from '../../support/history-servers/github-server.js'
import { closing, type RestFault, type RestServer } from '../../support/history-servers/rest-server.js'
import {
  comment,
  issue,
  REPOSITORY,
  sampleRepository,
  timeAt,
} from '../../support/history-servers/sample-repository.js'
import { serveHere } from '../serve/serve-here.js'
import { historyRig, SINCE } from './history-rig.js'

const TOKEN = 'ghp_s3cr3t'
const TARGET = 'repo:ada/engine'

/** GitHub does not always send `Retry-After` with it. */
const SECONDARY_LIMIT = {
  status: 403,
  headers: { 'x-ratelimit-remaining': '4711' },
  body: JSON.stringify({
    message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
  }),
}

async function gitHub(test: Test, book: GitHubBook, options: GitHubOptions = {}): Promise<RestServer> {
  return closing(test, await startGitHub(book, { token: TOKEN, ...options }))
}

function accountAt({ url }: RestServer): HistoryAccount {
  return { source: 'code_a', baseUrl: url, token: TOKEN }
}

t.test('everything in a repository is recorded once, with the time of its occurrence', async t => {
  const rig = await historyRig(t)
  const account = accountAt(await gitHub(t, sampleRepository()))
  const report = await rig.read(TARGET, account)
  t.match(report, { created: 13, known: 0, resumed: false })
  t.same([report.left_out, report.unavailable, report.missing], [[], [], []])
  const events = await rig.events()
  t.same(
    events.map(({ dedupe_key }) => dedupe_key.replace('code_a:git.example.org:', '')).sort(),
    [
      'comment:50010:created',
      'comment:50011:created',
      'comment:50012:created',
      'comment:commit/50030:created',
      `issue:1001:created`,
      `issue:1002:closed:${micros(60)}`,
      `issue:1002:created`,
      'pull_request:90003:created',
      'pull_request:90003:merged',
      `release:501:published:${micros(80)}`,
      'review:301:submitted',
      'review_comment:50020:created',
      `star:4711/8:created:${micros(90)}`,
    ].sort(),
  )
  const merged = events.find(({ kind }) => kind === 'pull_request.merged')
  t.match(merged, { occurred_at: micros(70), provenance: { route: 'import', verified: 'login' }, seen_count: 1 })
  t.ok((merged?.captured_at ?? '') > '2026', 'captured now')
  const said = events.find(({ dedupe_key }) => dedupe_key.includes('comment:50011'))
  t.match(said, { target: { parent: { key: 'issue:1002', display: '#2 Issue 2' } }, actor: { display: 'grace' } })
  const onPull = events.find(({ dedupe_key }) => dedupe_key.includes('comment:50012'))
  t.match(onPull, { target: { parent: { type: 'pull_request', key: 'pull_request:4711/3' } } })
  t.same(readdirSync(join(rig.settings.home, 'event', 'history')), [], 'the progress of a finished run is removed')

  t.match(await rig.read(TARGET, account), { created: 0, known: 13 })
  t.ok(
    (await rig.events()).every(({ seen_count }) => seen_count === 1),
    'reading it again counts no repeats',
  )
})

t.test('a run records only events since the given time', async t => {
  const rig = await historyRig(t)
  const account = accountAt(await gitHub(t, sampleRepository()))
  const report = await rig.read(TARGET, account, { since: micros(65) })
  t.same(report.kinds, {
    'pull_request.merged': 1,
    'review.submitted': 1,
    'release.published': 1,
    'star.created': 1,
  })
})

t.test('an event that a webhook delivered is the same event, and keeps its provenance', async t => {
  const rig = await historyRig(t)
  const book = sampleRepository()
  const [opened] = book.issues as Item[]
  const body = { action: 'opened', issue: opened, repository: REPOSITORY, sender: opened?.user }
  const headers = { 'x-github-event': 'issues', 'x-github-delivery': 'd-1' }
  const { events } = codeA.normalise({ headers, body: Buffer.from(JSON.stringify(body)) }, {})
  const provenance = { route: 'webhook', verified: 'signature', delivery_id: 'd-1' } as const
  await rig.withLedger(ledger => ledger.record(events.map(event => ({ event, provenance }))))
  t.match(await rig.read(TARGET, accountAt(await gitHub(t, book))), { created: 12, known: 1 })
  const found = (await rig.events()).filter(({ kind, subject_id }) => kind === 'issue.created' && subject_id === '1001')
  t.match(found, [{ provenance, seen_count: 1 }])
})

t.test('a run reads all pages, and an interrupted run continues where it stopped', async t => {
  const rig = await historyRig(t)
  const issues = Array.from({ length: 250 }, (_, at) => issue(at + 1))
  const comments = Array.from({ length: 130 }, (_, at) => comment(at + 1, at + 1))
  const book = { repository: REPOSITORY, issues, comments }
  let isBroken = true
  const server = await gitHub(t, book, {
    fault: ({ path, query }) =>
      isBroken && path.endsWith('/issues/comments') && query.get('page') === '2' ? { status: 502 } : undefined,
  })
  const account = accountAt(server)
  await t.rejects(rig.read(TARGET, account), {
    code: 'platform_unavailable',
    message: /Run it again to continue\. 350 new events are recorded\.$/,
  })
  t.same(rig.pauses, [1_000, 3_000, 10_000], 'it was tried again first')
  isBroken = false
  const before = server.asked.length
  const later = SINCE.replace('2024-01-01', '2024-01-02')
  t.match(await rig.read(TARGET, account, { since: later }), { resumed: true, created: 30, known: 0, items: 30 })
  const again = server.asked.slice(before).filter(({ path }) => path.endsWith('/issues'))
  t.ok(
    again.every(({ query }) => (query.get('since') ?? '') > later),
    'only issues that changed since the interruption are read again',
  )
  t.equal((await rig.events()).length, 380)
  t.ok((await rig.events()).every(({ seen_count }) => seen_count === 1))
})

t.test('a run waits as the platform asks', async t => {
  const rig = await historyRig(t)
  const reset = String(Math.floor(Date.now() / 1_000) + 900)
  const faults = new Map<number, RestFault>([
    [2, { status: 429, headers: { 'retry-after': '7' } }],
    [4, { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } }],
    [6, SECONDARY_LIMIT],
  ])
  const server = await gitHub(t, sampleRepository(), { fault: ({ index }) => faults.get(index) })
  t.match(await rig.read(TARGET, accountAt(server)), { created: 13, unavailable: { length: 0 } })
  const waits = rig.pauses.map(pause => Math.round(pause / 1_000))
  t.ok(waits.includes(7), 'Retry-After')
  t.ok(waits.includes(60), 'a limit that only the message shows')
  t.ok(
    waits.some(wait => wait > 880 && wait <= 901),
    'X-RateLimit-Reset',
  )
})

t.test('a platform that repeatedly asks for no wait gets longer and longer ones', async t => {
  const rig = await historyRig(t)
  const noWait = { status: 429, headers: { 'retry-after': '0' } }
  const fault = ({ index }: { index: number }) => (index > 2 && index < 9 ? noWait : undefined)
  const server = await gitHub(t, sampleRepository(), { fault })
  t.match(await rig.read(TARGET, accountAt(server)), { created: 13 })
  t.ok(Math.max(...rig.pauses) >= 1_600, 'not ten requests a second')
})

t.test('a run retries after broken connections and failures of the server', async t => {
  const rig = await historyRig(t)
  const faults = new Map<number, RestFault>([
    [1, 'reset'],
    [3, 'half'],
    [5, { status: 500 }],
  ])
  const server = await gitHub(t, sampleRepository(), { fault: ({ index }) => faults.get(index) })
  t.match(await rig.read(TARGET, accountAt(server)), { created: 13, left_out: { length: 0 } })
})

t.test('an item that cannot become an event is left out with the reason, without affecting others', async t => {
  const rig = await historyRig(t)
  const huge = issue(5, { body: 'x'.repeat(1_100_000) })
  const issues = [
    issue(1),
    null,
    { number: 2, title: 'No id', created_at: timeAt(2) },
    issue(3, { created_at: 'soon' }),
    huge,
  ]
  const report = await rig.read(TARGET, accountAt(await gitHub(t, { repository: REPOSITORY, issues })))
  t.match(report, { created: 1, items: 5 })
  t.same(report.left_out.map(({ reason, count }) => [reason, count]).sort(), [
    ['it has no id', 1],
    ['it has no time in created_at', 1],
    ['it is larger than 1 MiB', 1],
    ['it is not an object', 1],
  ])
})

t.test('an unavailable list does not affect the others', async t => {
  const rig = await historyRig(t)
  const server = await gitHub(t, sampleRepository(), {
    fault: ({ path }) => (path.endsWith('/stargazers') ? { status: 404 } : undefined),
  })
  const report = await rig.read(TARGET, accountAt(server))
  t.match(report, { created: 12, unavailable: [{ stream: 'stars' }] })
})

t.test('a refused token is named without being shown', async t => {
  const rig = await historyRig(t)
  const server = await gitHub(t, sampleRepository(), { token: 'another' })
  await t.rejects(rig.read(TARGET, accountAt(server)), {
    code: 'platform_credentials_refused',
    message: /^(?!.*ghp_).*EVENT_HISTORY_TOKEN/su,
  })
})

t.test('without a token, the events are marked as not verified', async t => {
  const rig = await historyRig(t)
  const { url } = closing(t, await startGitHub(sampleRepository()))
  await rig.read(TARGET, { source: 'code_a', baseUrl: url })
  t.ok((await rig.events()).every(({ provenance }) => provenance.verified === 'none'))
})

t.test('a run reads a single issue or pull request', async t => {
  const rig = await historyRig(t)
  const account = accountAt(await gitHub(t, sampleRepository()))
  t.same((await rig.read(`${TARGET}/issue:2`, account)).kinds, {
    'issue.created': 1,
    'issue.closed': 1,
    'comment.created': 1,
  })
  t.same((await rig.read(`${TARGET}/pull_request:3`, account)).kinds, {
    'pull_request.created': 1,
    'pull_request.merged': 1,
    'review.submitted': 1,
    'comment.created': 1,
    'review_comment.created': 1,
  })
})

t.test('a Gitea server is recognised, and its lists without times are named', async t => {
  const rig = await historyRig(t)
  const server = await gitHub(t, sampleRepository(), { flavour: 'gitea', most: 2 })
  const report = await rig.read(TARGET, accountAt(server))
  t.match(report, { created: 9, missing: [/^stars/, /^reviews/] })
  t.ok(server.asked.every(({ path }) => path.startsWith('/api/v1/')))
})

t.test('a server of Gitea that answers nothing without a login is recognised', async t => {
  const rig = await historyRig(t)
  const server = await gitHub(t, sampleRepository(), { flavour: 'gitea', requiresLogin: true })
  t.match(await rig.read(TARGET, accountAt(server)), { created: 9 })
  const { url: baseUrl } = server
  await t.rejects(rig.read(TARGET, { source: 'code_a', baseUrl, token: 'x' }), { code: 'platform_credentials_refused' })
  await t.rejects(rig.read(TARGET, { source: 'code_a', baseUrl }), { code: 'platform_not_permitted' })
})

t.test('all pages are read of a list whose number of items alone shows that there are more', async t => {
  const rig = await historyRig(t)
  const book = { repository: REPOSITORY, issues: [issue(1)], comments: [1, 2, 3, 4, 5].map(id => comment(id, 1)) }
  const server = await gitHub(t, book, { flavour: 'gitea', most: 2 })
  t.match(await rig.read(TARGET, accountAt(server)), { kinds: { 'comment.created': 5 }, known: 0 })
  const pages = server.asked.filter(({ path }) => path.endsWith('/issues/comments'))
  t.same(
    pages.map(({ query }) => query.get('page')),
    [null, '2', '3', '4'],
  )
  t.match(await rig.read(`${TARGET}/issue:1`, accountAt(server)), { known: 6 })
})

t.test('all pages are read also at an address that differs from the one in the links to them', async t => {
  for (const flavour of ['gitea', 'github'] as const) {
    const rig = await historyRig(t)
    const book = { repository: REPOSITORY, issues: Array.from({ length: 5 }, (_, at) => issue(at + 1)) }
    const server = await gitHub(t, book, { flavour, most: 2, publicUrl: 'https://git.example.org/code' })
    t.match(await rig.read(TARGET, accountAt(server)), { created: 5, items: 5 })
  }
})

t.test('a repository that was renamed is read under its former name', async t => {
  const rig = await historyRig(t)
  const renamed = { renamedFrom: 'ada/machine', most: 2 }
  const server = await gitHub(t, sampleRepository(), renamed)
  t.match(await rig.read('repo:ada/machine', accountAt(server)), { created: 13, unavailable: { length: 0 } })
  const other = await gitHub(t, sampleRepository())
  for (const redirectsTo of [`${other.url}/api/v3/repos/ada/engine`, '/elsewhere', '/api/v3/repos/ada/machine']) {
    const elsewhere = await gitHub(t, sampleRepository(), { ...renamed, redirectsTo })
    await t.rejects(rig.read('repo:ada/machine', accountAt(elsewhere)), {
      code: 'platform_answer_unreadable',
      message: /redirect/,
    })
  }
  t.same(other.asked, [], 'the token is not sent to another server')
})

t.test('a running server records the events, and only this process requests the platform', async t => {
  const rig = await historyRig(t)
  const { home, database } = rig.settings
  const server = await serveHere(t, { home, db: database.path })
  const account = accountAt(await gitHub(t, sampleRepository()))
  t.match(await rig.read(TARGET, account), { created: 13, known: 0 })
  t.match(await rig.read(TARGET, account), { created: 0, known: 13 })
  await server.close()
  const events = await rig.events()
  t.equal(events.length, 13)
  t.ok(events.every(({ provenance, seen_count }) => provenance.route === 'import' && seen_count === 1))
})

function micros(number: number): string {
  return timeAt(number).replace('Z', '.000000Z')
}
