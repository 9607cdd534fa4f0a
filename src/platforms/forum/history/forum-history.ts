import { AppError } from '../../../model/app-error.js'
import { isObject } from '../../../model/json-object.js'
import type { Place } from '../../../model/subscriptions/target-place.js'
import type { HistoryApi } from '../../history/history-api.js'
import type { History, HistoryPage, HistoryPlace, HistoryStream } from '../../history/history-stream.js'
import { type ItemReader, joinPages, toHistoryPage } from '../../history/item-events.js'
import {
  idAt,
  instantAt,
  isTrue,
  memberOf,
  numberAt,
  objectAt,
  objectsAt,
  type Payload,
  textAt,
} from '../../mapping/payload.js'
import { normaliseForumBody } from '../normalise.js'
import { type Forum, postDeliveries, topicDeliveries, withCreator } from './past-deliveries.js'

/** Posts per request for posts of a topic. The forum accepts about this many. */
const POSTS_A_REQUEST = 20
/** Older forums list posts within this many ids, so an empty page may not be the last. */
const IDS_A_PAGE = 50
/** Topics that are asked for the newest post. Very long ones do not list their posts. */
const MOST_ASKED = 5
/** Categories of one slug that a message names. */
const MOST_NAMED = 5
/** Prefix of a position in a topic. */
const AFTER_POST = 'after:'
/** Prefix of a position in a topic that does not list its posts. */
const BEFORE_POST = 'before:'
/** Position after the newest post. */
const LAST_POST = 'last'

interface ForumPlace {
  /** Absent: the whole forum. */
  place: Place | undefined
  /** Address of the forum, as its webhooks send it. */
  baseUrl: string
}

/**
 * Topics and posts of a forum, of a category, or of one topic.
 *
 * @throws AppError as `HistoryApi`
 *
 * Source: Discourse, "API documentation" (topics, posts, categories); its `PostsController#latest`.
 */
export async function openForumHistory({
  api,
  place: { place, baseUrl },
  since,
  isRecent,
}: HistoryPlace<ForumPlace>): Promise<History> {
  const lists = new ForumLists(api, { instance: baseUrl, since }, isRecent)
  if (place?.type === 'topic_id') return { streams: [lists.postsOfTopic(place.id)], missing: [] }
  const category = await findCategory(api, place)
  return { streams: [lists.topics(category), lists.posts(category)], missing: MISSING }
}

const TOPIC_KINDS = ['topic.created']
const POST_KINDS = ['post.created', 'reply.created']
const MISSING = ['edits and deletions', 'likes', 'private messages']

/** @returns the id of the category; undefined for a place that is none */
async function findCategory(api: HistoryApi, place: Place | undefined): Promise<string | undefined> {
  if (place?.type === 'category_slug') return findBySlug(api, place.slug)
  return place?.type === 'category_id' ? readCategory(api, `/c/${place.id}/show.json`) : undefined
}

/** The forum finds a category in another one only by both slugs, and a target names only one. */
async function findBySlug(api: HistoryApi, slug: string): Promise<string> {
  try {
    return await readCategory(api, `/c/${encodeURIComponent(slug)}/find_by_slug.json`)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'platform_place_unknown') throw error
    const site = await api.object('/site.json')
    const found = objectsAt(isObject(site) ? site : undefined, 'categories').filter(
      each => textAt(each, 'slug') === slug,
    )
    const [id, ...others] = found.flatMap(each => idAt(each, 'id') ?? [])
    if (id === undefined) throw error
    if (others.length === 0) return id
    const targets = [id, ...others].slice(0, MOST_NAMED).map(each => `category:${each}`)
    const message = `The forum has several categories with the slug "${slug}". Name one by its id: ${targets.join(', ')}.`
    throw new AppError('not_found', error.code, message)
  }
}

async function readCategory(api: HistoryApi, path: string): Promise<string> {
  const found = await api.object(path)
  const id = idAt(isObject(found) ? objectAt(found, 'category') : undefined, 'id')
  if (id === undefined) throw api.unreadable('without a category')
  return id
}

class ForumLists {
  constructor(
    private readonly api: HistoryApi,
    private readonly forum: Forum,
    private readonly isRecent: boolean,
  ) {}

  /**
   * Newest first: the forum offers no other order. The list of a category has those within it, too. Its address by slugs
   * would need those of the categories around it.
   *
   * @param category id of the category; undefined for the whole forum
   */
  topics(category: string | undefined): HistoryStream {
    const within = category === undefined ? '' : `category=${category}&`
    const read = async (position = '0'): Promise<HistoryPage> => {
      const list = await this.#object(`/latest.json?${within}order=created&page=${position}`)
      const topics = objectsAt(objectAt(list, 'topic_list'), 'topics')
      const people = objectsAt(list, 'users')
      const page = await toHistoryPage(
        topics.filter(topic => isIn(topic, category)).map(topic => withCreator(topic, people)),
        this.#reader('topics', topic => topicDeliveries(this.forum, topic)),
      )
      const hasMore = textAt(objectAt(list, 'topic_list'), 'more_topics_url') !== undefined
      const next = hasMore && this.#hasRecent(topics) ? String(Number(position) + 1) : undefined
      return { ...page, next }
    }
    return { name: 'topics', kinds: TOPIC_KINDS, isAlwaysThere: true, read }
  }

  /** Newest first. A position is the id before which the next page begins. */
  posts(category: string | undefined): HistoryStream {
    const read = (position?: string) => this.#postsBefore(position, post => isIn(post, category))
    return { name: 'posts', kinds: POST_KINDS, isAlwaysThere: true, read }
  }

  /** @param id undefined for the newest posts */
  async #postsBefore(id: string | undefined, isWanted: (post: Payload) => boolean): Promise<HistoryPage> {
    const list = await this.#object(id === undefined ? '/posts.json' : `/posts.json?before=${id}`)
    // Older forums include the post with this id.
    const before = id === undefined ? Number.POSITIVE_INFINITY : Number(id)
    const posts = objectsAt(list, 'latest_posts').filter(post => (numberAt(post, 'id') ?? 0) < before)
    const page = await toHistoryPage(
      posts.filter(isWanted),
      this.#reader('posts', post => postDeliveries(this.forum, post)),
    )
    const next = id === undefined && posts.length === 0 ? await this.#afterNewest() : this.#nextBefore(posts, before)
    return { ...page, next }
  }

  /**
   * A position just after the newest post of any topic. Older forums need it: their first page is empty if the last posts
   * are private.
   */
  async #afterNewest(): Promise<string | undefined> {
    const list = await this.#object('/latest.json?order=activity')
    // Pinned topics come first, however old they are.
    const topics = objectsAt(objectAt(list, 'topic_list'), 'topics').toSorted(byLastPost)
    for (const topic of topics.slice(0, MOST_ASKED)) {
      const id = idAt(topic, 'id')
      const newest = id === undefined ? undefined : listedPosts(await this.#object(`/t/${id}.json`)).at(-1)
      if (newest !== undefined) return String(newest + 1)
    }
    return undefined
  }

  /**
   * A topic and its posts, oldest first; in a poll, the latest posts first. A position is the id of the last post before
   * the page, because a deleted post moves the others. If that post itself is gone, the topic is read again: the ledger
   * recognises known events.
   *
   * A topic with more than 10,000 posts does not list them. Its posts are then found among those of the forum, newest
   * first, and a position is that of `posts`.
   */
  postsOfTopic(id: string): HistoryStream {
    const isOfTopic = (post: Payload) => idAt(post, 'topic_id') === id
    const read = async (position?: string): Promise<HistoryPage> => {
      if (position?.startsWith(BEFORE_POST)) return this.#ofLongTopic(position, isOfTopic)
      const topic = await this.#object(`/t/${id}.json`)
      const ids = this.isRecent ? listedPosts(topic).reverse() : listedPosts(topic)
      const first = ids.indexOf(lastReadPost(position)) + 1
      const wanted = ids.slice(first, first + POSTS_A_REQUEST)
      const { post_stream: _, ...withoutPosts } = topic
      const about = await toHistoryPage(
        first === 0 ? [withoutPosts] : [],
        this.#reader('topics', item => topicDeliveries(this.forum, item)),
      )
      if (!listsPosts(topic)) return { ...about, next: `${BEFORE_POST}${LAST_POST}` }
      const found = wanted.length === 0 ? [] : await this.#postsOf(id, wanted)
      const posts = await toHistoryPage(
        found,
        this.#reader('posts', post => postDeliveries(this.forum, inTopic(post, topic))),
      )
      const left = this.isRecent && !this.#hasRecent(found) ? 0 : ids.length - first - wanted.length
      return {
        ...joinPages([about, posts]),
        next: left > 0 ? `${AFTER_POST}${wanted.at(-1)}` : undefined,
        pagesLeft: Math.ceil(left / POSTS_A_REQUEST),
      }
    }
    return { name: `topic ${id}`, kinds: [...TOPIC_KINDS, ...POST_KINDS], isAlwaysThere: true, read }
  }

  async #ofLongTopic(position: string, isOfTopic: (post: Payload) => boolean): Promise<HistoryPage> {
    const before = position.slice(BEFORE_POST.length)
    const page = await this.#postsBefore(before === LAST_POST ? undefined : before, isOfTopic)
    return { ...page, next: page.next === undefined ? undefined : `${BEFORE_POST}${page.next}` }
  }

  async #postsOf(topic: string, ids: readonly number[]): Promise<Payload[]> {
    const query = new URLSearchParams({ include_raw: 'true' })
    for (const id of ids) query.append('post_ids[]', String(id))
    return objectsAt(objectAt(await this.#object(`/t/${topic}/posts.json?${query}`), 'post_stream'), 'posts')
  }

  async #object(path: string): Promise<Payload> {
    const found = await this.api.object(path)
    if (!isObject(found)) throw this.api.unreadable('not with an object')
    return found
  }

  #reader(name: string, toDeliveries: ItemReader['toDeliveries']): ItemReader {
    return { name, normalise: normaliseForumBody, toDeliveries }
  }

  #nextBefore(posts: readonly Payload[], before: number): string | undefined {
    const ids = posts.flatMap(post => numberAt(post, 'id') ?? [])
    if (ids.length > 0) return this.#hasRecent(posts) ? String(Math.min(...ids)) : undefined
    // One more than the last id of the next page, which leaves out the post with the id of its position.
    return Number.isFinite(before) && before > IDS_A_PAGE ? String(before - IDS_A_PAGE + 1) : undefined
  }

  /** Pinned topics may precede newer ones, so one old item does not mean the end. */
  #hasRecent(items: readonly Payload[]): boolean {
    return items.some(item => (instantAt(item, 'created_at') ?? this.forum.since) >= this.forum.since)
  }
}

/** Latest post first. The forum sends all instants in one form. */
function byLastPost(one: Payload, other: Payload): number {
  const [last = '', lastOfOther = ''] = [textAt(one, 'last_posted_at'), textAt(other, 'last_posted_at')]
  return lastOfOther.localeCompare(last)
}

function listsPosts(topic: Payload): boolean {
  return Array.isArray(memberOf(objectAt(topic, 'post_stream'), 'stream'))
}

/** Ids of the posts of a topic, oldest first. */
function listedPosts(topic: Payload | undefined): number[] {
  const stream = memberOf(objectAt(topic, 'post_stream'), 'stream')
  return (Array.isArray(stream) ? stream : []).filter(Number.isSafeInteger)
}

/** @returns NaN for the first page, and for a position of earlier versions, which was a number of posts */
function lastReadPost(position = ''): number {
  return position.startsWith(AFTER_POST) ? Number(position.slice(AFTER_POST.length)) : Number.NaN
}

function isIn(item: Payload, category: string | undefined): boolean {
  const isPrivate = textAt(item, 'archetype') === 'private_message' || isTrue(item, 'is_private_message')
  return !isPrivate && (category === undefined || idAt(item, 'category_id') === category)
}

/** Adds the topic to a post. Webhooks name it in each post, but a topic's list of posts does not. */
function inTopic(post: Payload, topic: Payload): Payload {
  return {
    topic_title: memberOf(topic, 'title'),
    topic_slug: memberOf(topic, 'slug'),
    category_id: memberOf(topic, 'category_id'),
    topic_archetype: memberOf(topic, 'archetype'),
    ...post,
  }
}
