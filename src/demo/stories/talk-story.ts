import type { Micros } from '../../model/timestamp.js'
import { SECOND } from '../durations.js'
import { type Person, STAFF } from '../people.js'
import type { Random } from '../random.js'
import { EMOJI_NAMES } from '../servers/chat-server.js'
import { activeOn, nextActiveTime } from '../waking-hours.js'
import { TALKS, type Talk } from '../words/chat-talk.js'
import { phrase } from '../words/lexicon.js'
import type { Story, World } from './story.js'

/** A message in chat, several answers, and a last message. */
export function* talkStory(world: World, begins: Micros): Story {
  const { random, chat } = world
  const talk = pickTalk(random)
  const people = random.several(activeOn(STAFF, begins), random.integer(2, 5))
  const lines = linesOf(talk, random)
  let at = begins
  let speaker: Person | undefined
  for (const line of lines) {
    const next = random.pick(people.filter(person => person !== speaker))
    at = yield nextActiveTime(next, at + pauseOf(random), random)
    speaker = next
    const text = phrase(random, line)
    const message = chat.say(talk, next, text, at)
    if (random.chance(0.1)) {
      const reader = random.pick(people)
      at = yield nextActiveTime(reader, at + random.integer(5, 90) * SECOND, random)
      chat.react(message, reader, random.pick(EMOJI_NAMES), at)
    } else if (random.chance(0.03)) {
      at = yield at + random.integer(10, 60) * SECOND
      chat.edit(message, next, `${text} (edited: I meant it)`, at)
    }
  }
}

function linesOf({ openers, replies, closers }: Talk, random: Random): string[] {
  const ends = random.chance(0.7) ? [random.pick(closers)] : []
  return [random.pick(openers), ...random.several(replies, random.integer(2, 8)), ...ends]
}

function pickTalk(random: Random): Talk {
  return random.pick(TALKS.flatMap(talk => Array.from({ length: talk.weight }, () => talk)))
}

/** Most people answer within minutes. */
function pauseOf(random: Random): Micros {
  return Math.floor((8 + random.fraction() ** 3 * 1_500) * SECOND)
}
