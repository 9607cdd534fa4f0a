import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { HistoryAccount } from '../../../src/model/platforms/history.js'
import { HistoryCheckpoint } from '../../../src/runtime/history/history-checkpoint.js'
import { ownFolder } from '../../black-box/own-folder.js'
import { startForum } from '../../support/history-servers/forum-server.js'
import { closing, type RestFault } from '../../support/history-servers/rest-server.js'
import { sampleForum } from '../../support/history-servers/sample-forum.js'
import { timeAt } from '../../support/history-servers/sample-repository.js'
import { historyRig, SINCE } from './history-rig.js'

const KEY = 'k3y-of-the-forum'

const account = (baseUrl: string): HistoryAccount => ({ source: 'forum', baseUrl, token: KEY, username: 'system' })

t.test('topics and posts of a forum are recorded once, across gaps and faults', async t => {
  for (const window of [undefined, 50]) {
    const rig = await historyRig(t)
    const faults = new Map<number, RestFault>([
      [1, { status: 429, headers: { 'retry-after': '9' } }],
      [3, 'reset'],
    ])
    const server = closing(
      t,
      await startForum(sampleForum(), { apiKey: KEY, size: 2, window, fault: ({ index }) => faults.get(index) }),
    )
    const report = await rig.read('forum', account(server.url))
    t.match(report, { created: 75, known: 0, left_out: { length: 0 } })
    t.same(report.kinds, { 'topic.created': 5, 'post.created': 5, 'reply.created': 65 })
    const events = await rig.events()
    const host = new URL(server.url).host
    const topic = events.find(({ dedupe_key }) => dedupe_key === `forum:${host}:topic:3:created`)
    t.match(topic, { occurred_at: timeAt(3).replace('Z', '.000000Z'), actor: { id: '4', display: 'Ada' } })
    t.match(await rig.read('forum', account(server.url)), { created: 0, known: 75 })
  }
})

t.test('a continued run also records the events since the interruption', async t => {
  const rig = await historyRig(t)
  const book = sampleForum()
  let isBroken = true
  // The second page of posts, after all topics.
  const fault = ({ query }: { query: URLSearchParams }): RestFault | undefined =>
    isBroken && query.has('before') ? { status: 502 } : undefined
  const server = closing(t, await startForum(book, { apiKey: KEY, size: 2, fault }))
  await t.rejects(rig.read('forum', account(server.url)), { code: 'platform_unavailable' })
  isBroken = false
  const created_at = new Date().toISOString()
  book.topics = [{ ...book.topics[0], id: 6, created_at }, ...book.topics]
  book.posts = [...book.posts, { ...book.posts[0], id: 900, topic_id: 6, created_at }]
  t.match(await rig.read('forum', account(server.url)), {
    resumed: true,
    kinds: { 'topic.created': 1 },
    unavailable: { length: 0 },
  })
  const subjects = (await rig.events()).map(({ kind, subject_id }) => `${kind} ${subject_id}`)
  t.ok(subjects.includes('topic.created 6'), 'the topic, in a list that was read to its end')
  t.ok(subjects.includes('post.created 900'), 'the post, in a list that is read from its newest end')
  t.equal(subjects.length, 77)
  t.match(await rig.read('forum', account(server.url)), { resumed: false, created: 0, known: 77 })
})

t.test('a run reads only one category or topic, and only since the given time', async t => {
  const rig = await historyRig(t)
  const server = closing(t, await startForum(sampleForum(), { apiKey: KEY, size: 2 }))
  t.same((await rig.read('topic:2', account(server.url))).kinds, {
    'topic.created': 1,
    'post.created': 1,
    'reply.created': 13,
  })
  const other = await rig.read('category:other', account(server.url))
  t.same(other.kinds, { 'topic.created': 1, 'post.created': 1, 'reply.created': 13 })
  const before = server.asked.length
  const recent = await rig.read('category:8', account(server.url), { since: timeAt(60).replace('Z', '.000000Z') })
  t.same(recent.kinds, { 'reply.created': 8 })
  t.ok(server.asked.length - before <= 4, 'reading ends at the first instant')
})

t.test('posts are found behind more private ones than a page has', async t => {
  const rig = await historyRig(t)
  const { topics, posts, ...others } = sampleForum()
  const pinned = { ...topics[0], id: 6, pinned_globally: true }
  const old = { ...posts[0], id: 50, topic_id: 6 }
  const book = { ...others, topics: [...topics, pinned], posts: [old, ...posts] }
  const server = closing(t, await startForum(book, { apiKey: KEY, window: 50, lastId: 9_000 }))
  t.match(await rig.read('forum', account(server.url)), { created: 77, left_out: { length: 0 } })
  t.ok(server.asked.length < 60, 'not page by page')
  const empty = closing(t, await startForum({ topics: [], users: [], posts: [], categories: [] }, { apiKey: KEY }))
  t.match(await rig.read('forum', account(empty.url)), { created: 0 })
})

t.test('a category without a slug is read by its id', async t => {
  const rig = await historyRig(t)
  // Discourse makes no slug of a name in another alphabet.
  const book = { ...sampleForum(), categories: [{ id: 8, slug: '' }] }
  const server = closing(t, await startForum(book, { apiKey: KEY, size: 2 }))
  t.match(await rig.read('category:8', account(server.url)), { created: 60 })
})

t.test('a category in another one is read, by its id or its slug, and so is the other one without it', async t => {
  const categories = [
    { id: 8, slug: 'support' },
    { id: 9, slug: 'other', parent_category_id: 8 },
  ]
  for (const [target, created] of [
    ['category:9', 15],
    ['category:other', 15],
    ['category:support', 60],
  ] as const) {
    const rig = await historyRig(t)
    const server = closing(t, await startForum({ ...sampleForum(), categories }, { apiKey: KEY, size: 2 }))
    t.match(await rig.read(target, account(server.url)), { created, unavailable: { length: 0 } }, target)
  }
  const rig = await historyRig(t)
  const twice = [...categories, { id: 10, slug: 'other', parent_category_id: 7 }]
  const server = closing(t, await startForum({ ...sampleForum(), categories: twice }, { apiKey: KEY }))
  await t.rejects(rig.read('category:other', account(server.url)), {
    code: 'platform_place_unknown',
    message: /several categories.*category:9, category:10/,
  })
  await t.rejects(rig.read('category:nowhere', account(server.url)), { code: 'platform_place_unknown' })
})

t.test("a continued run begins at the forum's time of the interruption, not at ours", async t => {
  const rig = await historyRig(t)
  const book = sampleForum()
  let isBroken = true
  const fault = ({ query }: { query: URLSearchParams }): RestFault | undefined =>
    isBroken && query.has('before') ? { status: 502 } : undefined
  const server = closing(t, await startForum(book, { apiKey: KEY, size: 2, fault, minutesAhead: -60 }))
  await t.rejects(rig.read('forum', account(server.url)), { code: 'platform_unavailable' })
  isBroken = false
  const created_at = new Date(Date.now() - 59 * 60_000).toISOString()
  book.topics = [{ ...book.topics[0], id: 6, created_at }, ...book.topics]
  t.match(await rig.read('forum', account(server.url)), { resumed: true, kinds: { 'topic.created': 1 } })
})

t.test('a post that is deleted during the reading of a topic hides no other post', async t => {
  for (const deleted of [3, 19]) {
    const rig = await historyRig(t)
    const book = sampleForum()
    book.posts = book.posts.map(post => ({ ...post, topic_id: 2 }))
    const fault = ({ index }: { index: number }) => {
      // The second page of posts begins with this request.
      if (index === 2) book.posts = book.posts.filter((_, at) => at !== deleted)
      return undefined
    }
    const server = closing(t, await startForum(book, { apiKey: KEY, fault }))
    t.match(await rig.read('topic:2', account(server.url)), { created: 71, left_out: { length: 0 } }, `post ${deleted}`)
  }
})

t.test('the posts of a topic that is too long to list them are found among those of the forum', async t => {
  const rig = await historyRig(t)
  const options = { apiKey: KEY, mostListed: 10 }
  const server = closing(t, await startForum(sampleForum(), options))
  const kinds = { 'topic.created': 1, 'post.created': 1, 'reply.created': 13 }
  t.match(await rig.read('topic:2', account(server.url)), { kinds, created: 15, left_out: { length: 0 } })
  let isBroken = true
  const fault = ({ query }: { query: URLSearchParams }): RestFault | undefined =>
    isBroken && query.has('before') ? { status: 502 } : undefined
  const other = closing(t, await startForum(sampleForum(), { ...options, fault }))
  await t.rejects(rig.read('topic:2', account(other.url)), { code: 'platform_unavailable' })
  isBroken = false
  t.match(await rig.read('topic:2', account(other.url)), { resumed: true })
  t.equal((await rig.events()).length, 30, 'of both forums')
})

t.test('a stored position of an earlier version restarts its topic', async t => {
  const rig = await historyRig(t)
  const book = sampleForum()
  book.posts = book.posts.map(post => ({ ...post, topic_id: 2 }))
  const server = closing(t, await startForum(book, { apiKey: KEY }))
  const { epoch } = await rig.withLedger(ledger => ledger.health())
  const identity = { epoch, source: 'forum', baseUrl: server.url, target: 'topic:2', since: SINCE }
  const nowhere = await HistoryCheckpoint.open('/proc/nowhere', identity)
  await t.rejects(nowhere.save('topic 2', { position: '20' }), {
    code: 'history_folder_unusable',
    message: /ARCH_HOME/,
  })
  const checkpoint = await HistoryCheckpoint.open(rig.settings.home, identity)
  checkpoint.begin(SINCE)
  await checkpoint.save('topic 2', { position: '20' })
  t.match(await rig.read('topic:2', account(server.url)), { resumed: true, created: 71 })
})

t.test('of two runs for one target, the later one to store its progress is refused', async t => {
  const home = ownFolder(t)
  const identity = { epoch: 'e', source: 'forum', baseUrl: 'https://f.example', target: 'topic:2', since: SINCE }
  const open = async () => {
    const checkpoint = await HistoryCheckpoint.open(home, identity)
    checkpoint.begin(SINCE)
    return checkpoint
  }
  const running = { category: 'conflict', code: 'history_running', message: /topic:2/ }
  const [first, second] = [await open(), await open()]
  await first.save('posts', { position: '1' })
  await t.rejects(second.save('posts', { position: '2' }), running)
  const third = await open()
  t.same(third.of('posts'), { position: '1' })
  await first.save('posts', { position: '3' })
  await t.rejects(third.save('posts', { isDone: true }), running)
  await first.save('posts', { isDone: true })
  await first.remove()
  await t.rejects(third.save('posts', { isDone: true }), running, 'also once the other one has ended')
  t.same(readdirSync(join(home, 'event', 'history')), [])
})
