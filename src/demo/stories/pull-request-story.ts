import type { Micros } from '../../model/timestamp.js'
import { MINUTE, SECOND } from '../durations.js'
import { type Person, STAFF } from '../people.js'
import type { Random } from '../random.js'
import type { CodeHost, Commit, PullRequest, Repository } from '../servers/code-host.js'
import { activeOn, nextActiveTime } from '../waking-hours.js'
import { phrase } from '../words/lexicon.js'
import { deploymentStory } from './deployment-story.js'
import type { Story, World } from './story.js'

const ABANDONED = 0.07
const FAILING = 0.22
const DEPLOYED = 0.45

/** A pull request: opened, reviewed, checked, improved, and merged or closed. */
export function* pullRequestStory(world: World, host: CodeHost, begins: Micros): Story {
  const { random } = world
  const [author, ...reviewers] = random.several(activeOn(STAFF, begins), random.integer(2, 3)) as [Person, ...Person[]]
  const repository = random.pick(host.repositories)
  let at = yield nextActiveTime(author, begins, random)
  const title = phrase(random, '{change}')
  const body = phrase(random, random.pick(['{reason}', '{reason}\n\n{how}', '{reason} {how}\n\n{how}']))
  const pull = host.openPull(repository, { title, body, author, branch: branchOf(author, title) }, at)
  world.begin(checksStory(world, host, pull, at))
  for (const reviewer of reviewers) {
    at = yield nextActiveTime(reviewer, later(random, at, 15, 240), random)
    if (random.chance(0.35)) {
      host.review(pull, { state: 'approved', text: phrase(random, '{praise}'), by: reviewer }, at)
      continue
    }
    at = yield* discuss(world, host, { pull, reviewer, at })
  }
  const closer = random.chance(0.7) ? author : (reviewers[0] ?? author)
  at = yield nextActiveTime(closer, later(random, at, 5, 180), random)
  if (random.chance(ABANDONED)) {
    host.comment(pull, phrase(random, 'Closing: {module} changes anyway, and then this is not needed.'), author, at)
    host.close(pull, closer, at)
    return
  }
  host.merge(pull, closer, at)
  world.begin(mainStory(world, host, { repository, title, by: closer, at }))
}

/** Comments, answers and new commits, until the reviewer approves. */
function* discuss(
  world: World,
  host: CodeHost,
  { pull, reviewer, at: begins }: { pull: PullRequest; reviewer: Person; at: Micros },
): Generator<Micros, Micros, Micros> {
  const { random } = world
  let at = begins
  const remarks = random.integer(1, 3)
  for (let count = 0; count < remarks; count++) {
    host.remark(pull, phrase(random, '{nit}'), reviewer, at)
    at = yield later(random, at, 1, 9)
  }
  host.review(pull, { state: 'changes_requested', text: phrase(random, '{worry}'), by: reviewer }, at)
  at = yield nextActiveTime(pull.author, later(random, at, 10, 200), random)
  host.comment(pull, phrase(random, '{answer}'), pull.author, at)
  at = yield later(random, at, 2, 50)
  host.update(pull, commitsOf(random), pull.author, at)
  world.begin(checksStory(world, host, pull, at))
  at = yield nextActiveTime(reviewer, later(random, at, 10, 240), random)
  host.review(pull, { state: 'approved', text: phrase(random, '{praise}'), by: reviewer }, at)
  return at
}

/** The checks, and the author's fixes if they fail. */
function* checksStory(world: World, host: CodeHost, pull: PullRequest, begins: Micros): Story {
  const { random } = world
  const { repository, branch, title, author } = pull
  const fails = random.chance(FAILING)
  let at = yield begins + random.integer(5, 40) * SECOND
  const run = host.startRun({ repository, sha: pull.head, branch, title, by: author, pull }, at)
  at = yield at + random.integer(90, 900) * SECOND
  host.endRun(run, fails ? phrase(random, '{failure}') : undefined, at)
  if (!fails || pull.state !== 'open') return
  at = yield nextActiveTime(author, later(random, at, 8, 60), random)
  if (pull.state !== 'open') return
  host.update(pull, commitsOf(random), author, at)
  at = yield at + random.integer(5, 40) * SECOND
  const second = host.startRun({ repository, sha: pull.head, branch, title, by: author, pull }, at)
  at = yield at + random.integer(90, 900) * SECOND
  host.endRun(second, undefined, at)
}

/** After a merge: checks of the main branch, and sometimes a deployment. */
function* mainStory(
  world: World,
  host: CodeHost,
  { repository, title, by, at: begins }: { repository: Repository; title: string; by: Person; at: Micros },
): Story {
  const { random } = world
  const sha = random.hex(40)
  let at = yield begins + random.integer(20, 90) * SECOND
  const run = host.startRun({ repository, sha, branch: 'main', title, by }, at)
  at = yield at + random.integer(180, 1_100) * SECOND
  const fails = random.chance(FAILING / 3)
  host.endRun(run, fails ? phrase(random, '{failure}') : undefined, at)
  if (fails || !random.chance(DEPLOYED)) return
  world.begin(deploymentStory(world, host, { repository, sha, title, by }, at + random.integer(2, 6) * MINUTE))
}

function commitsOf(random: Random): Commit[] {
  const message = () => phrase(random, '{commit}')
  return Array.from({ length: random.integer(1, 3) }, () => ({ sha: random.hex(40), message: message() }))
}

function later(random: Random, at: Micros, leastMinutes: number, mostMinutes: number): Micros {
  // Most durations are short, some are long.
  const part = random.fraction() ** 2
  return at + Math.floor((leastMinutes + part * (mostMinutes - leastMinutes)) * MINUTE)
}

function branchOf({ username }: Person, title: string): string {
  const words = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, '-')
    .replace(/^-|-$/gu, '')
  return `${username}/${words.slice(0, 40) || 'change'}`
}
