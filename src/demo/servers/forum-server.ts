import type { Micros } from '../../model/timestamp.js'
import { adapterOf } from '../../platforms/adapters.js'
import { toMillisecondText } from '../durations.js'
import { emailOf, type Person, STAFF } from '../people.js'
import type { Random } from '../random.js'
import type { Thread } from '../words/forum-talk.js'
import { deliver, type Hook, type HookDelivery } from './hook.js'

const INSTANCE = 'https://forum.brindlequay.example'
/** Counters before the demo starts. */
const FIRST = { topic: 2_310, post: 18_840, delivery: 61_000 } as const
/** A new topic also creates its first post, a moment later. */
const MOMENT = 120_000

interface ForumTopic extends Pick<Thread, 'category' | 'title'> {
  id: number
  slug: string
  author: Person
  createdAt: Micros
  posts: number
}

interface ForumPost {
  id: number
  number: number
  topic: ForumTopic
  author: Person
  raw: string
  createdAt: Micros
  version: number
  likes: number
}

/** The forum of customers and staff. */
export class ForumServer {
  readonly #hook: Hook
  #topics: number = FIRST.topic
  #posts: number = FIRST.post
  #deliveries: number = FIRST.delivery

  /** @param firstId added to the ids of all topics and posts */
  constructor(
    private readonly random: Random,
    private readonly send: (at: Micros, delivery: HookDelivery) => void,
    firstId = 0,
  ) {
    this.#topics += firstId
    this.#posts += firstId
    this.#hook = { adapter: adapterOf('forum'), context: {}, secret: random.hex(40) }
  }

  openTopic(
    { category, title }: Pick<Thread, 'category' | 'title'>,
    author: Person,
    raw: string,
    at: Micros,
  ): ForumPost {
    this.#topics += this.random.integer(1, 3)
    const topic = { id: this.#topics, category, title, slug: slugOf(title), author, createdAt: at, posts: 0 }
    this.#deliver('topic_created', 'topic', topicObject(topic), at)
    return this.reply(topic, author, raw, at + MOMENT)
  }

  reply(topic: ForumTopic, author: Person, raw: string, at: Micros): ForumPost {
    this.#posts += this.random.integer(1, 3)
    topic.posts++
    const number = topic.posts
    const post = { id: this.#posts, number, topic, author, raw, createdAt: at, version: 1, likes: 0 }
    this.#deliver('post_created', 'post', postObject(post, at), at)
    return post
  }

  edit(post: ForumPost, raw: string, at: Micros): void {
    post.raw = raw
    post.version++
    this.#deliver('post_edited', 'post', postObject(post, at), at)
  }

  like(post: ForumPost, person: Person, at: Micros): void {
    post.likes++
    this.#deliver('post_liked', 'like', { post: postObject(post, at), user: userObject(person) }, at)
  }

  /** Marks the post as the solution of its topic. */
  accept(post: ForumPost, at: Micros): void {
    this.#deliver('accepted_solution', 'solved', postObject(post, at), at)
  }

  #deliver(event: string, type: string, object: unknown, at: Micros): void {
    this.#deliveries++
    const headers = {
      'x-discourse-event': event,
      'x-discourse-event-type': type,
      'x-discourse-event-id': String(this.#deliveries),
      'x-discourse-instance': INSTANCE,
    }
    this.send(at, deliver(this.#hook, headers, { [type]: object }))
  }
}

function topicObject({ id, category, title, slug, author, createdAt, posts }: ForumTopic) {
  return {
    id,
    title,
    fancy_title: title,
    slug,
    archetype: 'regular',
    category_id: category.id,
    posts_count: posts + 1,
    created_at: toMillisecondText(createdAt),
    created_by: userObject(author),
    closed: false,
    archived: false,
    visible: true,
    pinned: false,
    tags: [],
    views: 0,
    like_count: 0,
    deleted_at: null,
  }
}

function postObject({ id, number, topic, author, raw, createdAt, version, likes }: ForumPost, at: Micros) {
  return {
    id,
    post_number: number,
    post_type: 1,
    raw,
    topic_id: topic.id,
    topic_slug: topic.slug,
    topic_title: topic.title,
    topic_archetype: 'regular',
    topic_posts_count: topic.posts,
    category_id: topic.category.id,
    category_slug: topic.category.slug,
    user_id: author.number,
    username: author.username,
    name: author.name || null,
    admin: author.role === 'admin',
    moderator: author.role === 'moderator',
    staff: author.role !== 'member',
    trust_level: STAFF.includes(author) ? 4 : 2,
    version,
    reads: 3 * likes + 1,
    score: 5 * likes,
    created_at: toMillisecondText(createdAt),
    updated_at: toMillisecondText(at),
    deleted_at: null,
  }
}

function userObject(person: Person) {
  const { number, username, name } = person
  return { id: number, username, name: name || null, email: emailOf(person) }
}

/** The slug of a title; none for a title without Latin letters. */
function slugOf(title: string): string {
  return (
    title
      .toLowerCase()
      .replace(/[^a-z0-9]+/gu, '-')
      .replace(/^-|-$/gu, '') || '-'
  )
}
