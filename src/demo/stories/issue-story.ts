import type { Micros } from '../../model/timestamp.js'
import { HOUR, MINUTE } from '../durations.js'
import { STAFF } from '../people.js'
import type { CodeHost } from '../servers/code-host.js'
import { activeOn, nextActiveTime } from '../waking-hours.js'
import { phrase } from '../words/lexicon.js'
import type { Story, World } from './story.js'

const LABELS = ['bug', 'good first issue', 'kiosk', 'timetable', 'needs a decision', '翻訳', 'accessibility']
const CLOSED = 0.6

/** An issue: opened, labelled, discussed, and often closed. */
export function* issueStory(world: World, host: CodeHost, begins: Micros): Story {
  const { random } = world
  const [author, ...others] = random.several(activeOn(STAFF, begins), random.integer(2, 4))
  if (!author) return
  const repository = random.pick(host.repositories)
  let at = yield nextActiveTime(author, begins, random)
  const body = phrase(random, random.pick(['{seen}', '{seen}\n\n{seen}', '{seen}\n\n> {reason}']))
  const issue = host.openIssue(repository, { title: phrase(random, '{problem}'), body, author }, at)
  at = yield at + random.integer(1, 30) * MINUTE
  host.label(issue, random.pick(LABELS), author, at)
  for (const other of others) {
    at = yield nextActiveTime(other, at + Math.floor(random.fraction() ** 2 * 30 * HOUR), random)
    host.comment(
      issue,
      phrase(random, random.pick(['{seen}', '{answer}', '{reason}', 'I can take this one.'])),
      other,
      at,
    )
  }
  if (!random.chance(CLOSED)) return
  const closer = others[0] ?? author
  at = yield nextActiveTime(closer, at + Math.floor(random.fraction() * 60 * HOUR), random)
  if (random.chance(0.6)) host.comment(issue, phrase(random, 'Fixed in {version}. {how}'), closer, at)
  host.close(issue, closer, at + random.integer(1, 20) * 1_000_000)
}
