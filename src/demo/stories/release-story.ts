import type { Micros } from '../../model/timestamp.js'
import { MINUTE, toSecondText } from '../durations.js'
import { CHAT_BOT, STAFF } from '../people.js'
import type { CodeHost } from '../servers/code-host.js'
import { activeOn, nextActiveTime } from '../waking-hours.js'
import { DEPLOYS } from '../words/chat-talk.js'
import { phrase } from '../words/lexicon.js'
import type { Story, World } from './story.js'

const NOTES = ['- {change}', '- {change}', '- {change}', '', 'Thanks to everybody at {harbour} who tried it.']

/** A release, and the reactions to it. */
export function* releaseStory(world: World, host: CodeHost, begins: Micros): Story {
  const { random, chat } = world
  const by = random.pick(activeOn(STAFF, begins))
  const repository = random.pick(host.repositories)
  let at = yield nextActiveTime(by, begins, random)
  const tag = toSecondText(at).slice(0, 10).replaceAll('-', '.')
  host.release(repository, tag, NOTES.map(line => phrase(random, line)).join('\n'), by, at)
  at = yield at + random.integer(1, 4) * MINUTE
  const message = chat.say(DEPLOYS, CHAT_BOT, `**${repository.path}** ${tag} is out 🎉`, at)
  for (const reader of random.several(activeOn(STAFF, at), random.integer(1, 4))) {
    at = yield nextActiveTime(reader, at + random.integer(1, 15) * MINUTE, random)
    chat.react(message, reader, random.pick(['tada', 'heart', 'sailboat']), at)
  }
}
