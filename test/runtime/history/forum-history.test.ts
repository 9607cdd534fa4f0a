import t from 'tap'
import type { HistoryAccount } from '../../../src/model/platforms/history.js'
import { type ForumBook, startForum } from '../../support/history-servers/forum-server.js'
import { closing, type RestFault } from '../../support/history-servers/rest-server.js'
import { timeAt } from '../../support/history-servers/sample-repository.js'
import { historyRig } from './history-rig.js'

const KEY = 'k3y-of-the-forum'

/** Five topics, of which one is in another category; 70 posts with gaps between their ids. */
function book(): ForumBook {
  const people = [{ id: 4, username: 'ada', name: 'Ada' }]
  const topics = [5, 4, 3, 2, 1].map(id => ({
    ...{ id, title: `Topic ${id}`, slug: `topic-${id}`, category_id: id === 5 ? 9 : 8, archetype: 'regular' },
    ...{ created_at: timeAt(id), posters: [{ user_id: 4, description: 'Original Poster' }] },
  }))
  const posts = Array.from({ length: 70 }, (_, at) => ({
    ...{ id: 100 + at * 3 + (at > 40 ? 200 : 0), topic_id: (at % 5) + 1, topic_slug: 'x', topic_title: 'X' },
    ...{ post_number: Math.floor(at / 5) + 1, user_id: 4, username: 'ada', raw: `Post ${at}`, post_type: 1 },
    ...{ category_id: at % 5 === 4 ? 9 : 8, created_at: timeAt(at) },
  }))
  return {
    topics,
    users: people,
    posts,
    categories: [
      { id: 8, slug: 'support' },
      { id: 9, slug: 'other' },
    ],
  }
}

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
      await startForum(book(), { apiKey: KEY, size: 2, window, fault: ({ index }) => faults.get(index) }),
    )
    const report = await rig.read('forum', account(server.url))
    t.match(report, { created: 75, known: 0, left_out: [] })
    t.same(report.kinds, { 'topic.created': 5, 'post.created': 5, 'reply.created': 65 })
    const events = await rig.events()
    const host = new URL(server.url).host
    const topic = events.find(({ dedupe_key }) => dedupe_key === `forum:${host}:topic:3:created`)
    t.match(topic, { occurred_at: timeAt(3).replace('Z', '.000000Z'), actor: { id: '4', display: 'Ada' } })
    t.match(await rig.read('forum', account(server.url)), { created: 0, known: 75 })
  }
})

t.test('a category or a topic is read alone, and only since then', async t => {
  const rig = await historyRig(t)
  const server = closing(t, await startForum(book(), { apiKey: KEY, size: 2 }))
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
