import type { Micros } from '../../model/timestamp.js'
import { HOUR, MINUTE } from '../durations.js'
import { CUSTOMERS, STAFF } from '../people.js'
import { activeOn, nextActiveTime } from '../waking-hours.js'
import { FORUM_REPLIES, type Thread } from '../words/forum-talk.js'
import { phrase } from '../words/lexicon.js'
import type { Story, World } from './story.js'

const PEOPLE = [...CUSTOMERS, ...CUSTOMERS, ...STAFF]
const SOLVED_AFTER = 9

/** A thread of the forum. It continues as long as the demo does, but becomes slower. */
export function* threadStory(world: World, thread: Thread, begins: Micros): Story {
  const { random, forum } = world
  const author = random.pick(thread.category.slug === 'announcements' ? STAFF : CUSTOMERS)
  let at = yield nextActiveTime(author, begins, random)
  const first = forum.openTopic(thread, author, phrase(random, thread.opening), at)
  const own = [...thread.replies]
  const liked = [first]
  for (let replies = 1; ; replies++) {
    const person = random.pick(activeOn(PEOPLE, at))
    at = yield nextActiveTime(person, at + Math.floor((0.2 + random.fraction() ** 2 * 1.8 * replies) * HOUR), random)
    const template = own.length > 0 && random.chance(0.4) ? own.shift() : undefined
    const post = forum.reply(first.topic, person, phrase(random, template ?? random.pick(FORUM_REPLIES)), at)
    liked.push(post)
    if (liked.length > 6) liked.shift()
    if (random.chance(0.08)) {
      at = yield at + random.integer(1, 30) * MINUTE
      forum.edit(post, `${post.raw}\n\n*Edit: a word was missing.*`, at)
    }
    for (const reader of random.several(activeOn(PEOPLE, at), random.integer(0, 2))) {
      if (reader === post.author) continue
      at = yield nextActiveTime(reader, at + random.integer(3, 80) * MINUTE, random)
      forum.like(random.pick(liked), reader, at)
    }
    if (replies === SOLVED_AFTER && thread.category.slug === 'tickets') forum.accept(post, at)
  }
}
