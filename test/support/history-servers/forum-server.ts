import type { Item } from './github-server.js'
import { type RestAnswer, type RestServer, type RestServerOptions, startRestServer } from './rest-server.js'

/** What a forum of the stand-in holds. Topics newest first, posts by id. */
export interface ForumBook {
  topics: readonly Item[]
  users: readonly Item[]
  posts: readonly (Item & { id: number })[]
  categories: readonly Item[]
}

interface ForumOptions {
  fault?: RestServerOptions['fault']
  apiKey?: string
  /** Topics in a page. */
  size?: number
  /** Lists posts only within this many ids, as older forums do. */
  window?: number | undefined
  /** Id of the last post, which is private. */
  lastId?: number
  minutesAhead?: RestServerOptions['minutesAhead']
  /** Topics with more posts list none. Discourse: 10,000. */
  mostListed?: number
}

/**
 * A stand-in for Discourse's lists of topics and posts, with their paging.
 *
 * Source: Discourse, "API documentation"; its `PostsController#latest` and `ListController`.
 */
export function startForum(book: ForumBook, options: ForumOptions = {}): Promise<RestServer> {
  const { fault, minutesAhead, apiKey, size = 30, mostListed = 10_000 } = options
  return startRestServer({
    fault,
    minutesAhead,
    answer: ({ path, query, headers }): RestAnswer => {
      if (apiKey !== undefined && headers['api-key'] !== apiKey)
        return { status: 403, body: { errors: ['invalid_access'] } }
      if (path === '/latest.json') {
        const within = query.get('category')
        const topics = book.topics.filter(topic => within === null || isWithin(book, topic.category_id, within))
        const inOrder = query.get('order') === 'activity' ? byActivity(book, topics) : topics
        return topicList(book, inOrder, Number(query.get('page') ?? 0), size)
      }
      if (path === '/site.json') return { body: { categories: book.categories } }
      const [, named, by] = /^\/c\/([^/]+)\/(show|find_by_slug)\.json$/u.exec(path) ?? []
      if (named !== undefined) {
        // Slugs alone name categories without a parent.
        const category = book.categories.find(({ id, slug, parent_category_id: parent }) => {
          return by === 'show' ? String(id) === named : slug === named && parent === undefined
        })
        return category ? { body: { category } } : NOT_FOUND
      }
      if (path === '/posts.json')
        return { body: { latest_posts: latestPosts(book, Number(query.get('before') ?? 0), options) } }
      const [, topicId, ofTopic] = /^\/t\/(\d+)(\/posts)?\.json$/u.exec(path) ?? []
      const topic = book.topics.find(({ id }) => id === Number(topicId))
      if (!topic) return NOT_FOUND
      const posts = book.posts.filter(({ topic_id }) => topic_id === topic.id)
      if (ofTopic === undefined) {
        const { posters: _, ...members } = topic
        const details = { created_by: book.users.find(({ id }) => id === (topic.posters as Item[])[0]?.user_id) }
        const listed = posts.length > mostListed ? { isMegaTopic: true } : { stream: posts.map(({ id }) => id) }
        return { body: { ...members, details, post_stream: { posts: posts.slice(0, 20), ...listed } } }
      }
      const wanted = query.getAll('post_ids[]').map(Number)
      return { body: { post_stream: { posts: posts.filter(({ id }) => wanted.includes(id)) } } }
    },
  })
}

const NOT_FOUND: RestAnswer = { status: 404, body: { errors: ['not_found'], error_type: 'not_found' } }

/** Whether a category is the one with an id, or is below it. */
function isWithin({ categories }: ForumBook, category: unknown, id: string): boolean {
  if (String(category) === id) return true
  const parent = categories.find(each => each.id === category)?.parent_category_id
  return parent !== undefined && String(parent) === id
}

/** Latest post first, after the pinned topics. Source: Discourse, `TopicQuery#prioritize_pinned_topics`. */
function byActivity({ posts }: ForumBook, topics: readonly Item[]): Item[] {
  const active = topics.map(topic => {
    const last = posts.findLast(({ topic_id }) => topic_id === topic.id)
    return { ...topic, last_posted_at: last?.created_at }
  })
  const ranked = active.toSorted((one, other) => String(other.last_posted_at).localeCompare(String(one.last_posted_at)))
  return ranked.toSorted((one, other) => Number(isPinned(other)) - Number(isPinned(one)))
}

function isPinned(topic: Item): boolean {
  return topic.pinned_globally === true
}

function topicList({ users }: ForumBook, topics: readonly Item[], page: number, size: number): RestAnswer {
  const shown = topics.slice(page * size, (page + 1) * size)
  const more = topics.length > (page + 1) * size ? { more_topics_url: `/latest?page=${page + 1}` } : {}
  return { body: { users, topic_list: { per_page: size, topics: shown, ...more } } }
}

function latestPosts({ posts }: ForumBook, before: number, { window, lastId }: ForumOptions): unknown[] {
  const last = lastId ?? Math.max(...posts.map(({ id }) => id))
  const from = before <= 0 ? last : before
  const found = posts.filter(({ id }) => {
    if (window !== undefined) return id <= from && id > from - window
    return before <= 0 || id < before
  })
  return found.toSorted((left, right) => right.id - left.id).slice(0, 50)
}
