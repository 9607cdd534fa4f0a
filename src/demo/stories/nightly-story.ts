import type { Micros } from '../../model/timestamp.js'
import { MINUTE } from '../durations.js'
import { CHAT_BOT } from '../people.js'
import type { CodeHost } from '../servers/code-host.js'
import { INCIDENTS } from '../words/chat-talk.js'
import { phrase } from '../words/lexicon.js'
import type { Story, World } from './story.js'

const FAILING = 0.18

/** The nightly build of each repository. A failure is posted in chat in the morning. */
export function* nightlyStory(world: World, host: CodeHost, begins: Micros): Story {
  const { random, chat } = world
  let at = begins
  for (const repository of host.repositories) {
    at = yield at + random.integer(3, 15) * MINUTE
    const title = 'Nightly run'
    const run = host.startRun({ repository, sha: random.hex(40), branch: 'main', title, by: host.bot }, at)
    at = yield at + random.integer(8, 35) * MINUTE
    const failure = random.chance(FAILING) ? phrase(random, '{failure}') : undefined
    host.endRun(run, failure, at)
    if (failure === undefined) continue
    at = yield at + MINUTE
    chat.say(INCIDENTS, CHAT_BOT, `Nightly run of **${repository.path}** failed: \`${failure}\``, at)
  }
}
