import type { Micros } from '../../model/timestamp.js'
import { MINUTE, SECOND } from '../durations.js'
import { CHAT_BOT, type Person, STAFF } from '../people.js'
import type { CodeHost, Deployment, Repository } from '../servers/code-host.js'
import { DEPLOYS, INCIDENTS } from '../words/chat-talk.js'
import { phrase } from '../words/lexicon.js'
import type { Story, World } from './story.js'

const FAILING = 0.12

interface Deployed {
  repository: Repository
  sha: string
  /** Title of the deployed change. */
  title: string
  by: Person
}

/** A deployment of a commit, from its request to its end. A bot posts its start and end in chat. */
export function* deploymentStory(world: World, host: CodeHost, deployed: Deployed, begins: Micros): Story {
  const { random, chat } = world
  const { repository, title, by } = deployed
  const at = yield begins
  const failure = random.chance(FAILING) ? phrase(random, '{outage}') : undefined
  const ended = yield* deploy(world, host, deployed, { at, failure })
  if (failure !== undefined) {
    chat.say(INCIDENTS, CHAT_BOT, failedWords(repository, failure), ended + MINUTE)
    return
  }
  const message = chat.say(
    DEPLOYS,
    CHAT_BOT,
    `**${repository.path}** is deployed: ${title} (${by.name})`,
    ended + MINUTE,
  )
  if (random.chance(0.4)) chat.react(message, by, random.pick(['tada', '+1', 'sailboat']), ended + 3 * MINUTE)
}

/**
 * A deployment that fails at the given time, in full detail: the change before it, the discussion, the issue, and the
 * deployment that fixes it.
 */
export function* failedDeploymentStory(world: World, host: CodeHost, fails: Micros): Story {
  const { random, chat } = world
  const [author, colleague] = random.several(
    STAFF.filter(({ hours }) => hours === 'awake'),
    2,
  ) as [Person, Person]
  const repository = host.repositories[0] as Repository
  const title = phrase(random, 'Cache the answers of {module} for {minutes} minutes')
  const sha = random.hex(40)
  let at = yield fails - 14 * MINUTE
  host.push(repository, 'main', [{ sha, message: title }], author, at)
  const run = host.startRun({ repository, sha, branch: 'main', title, by: author }, at + 20 * SECOND)
  at = yield fails - 6 * MINUTE
  host.endRun(run, undefined, at)
  const failure = 'health check: 503 from 2 of 3 instances, for 90 s'
  at = yield* deploy(
    world,
    host,
    { repository, sha, title, by: author },
    { at: fails - 4 * MINUTE, failure, ends: fails },
  )
  chat.say(INCIDENTS, CHAT_BOT, failedWords(repository, failure), at + 20 * SECOND)
  at = yield at + 2 * MINUTE
  chat.say(INCIDENTS, colleague, 'The departures page answers 503 for every third visitor. Is that the deployment?', at)
  at = yield at + MINUTE
  chat.say(INCIDENTS, author, `Yes: the new instances do not start. I revert ${sha.slice(0, 10)}.`, at)
  const body = `Deployed ${sha}, then:\n\n\`${failure}\``
  const issue = host.openIssue(
    repository,
    { title: 'Instances do not start with an empty cache', body, author },
    at + MINUTE,
  )
  at = yield at + 2 * MINUTE
  const revert = { sha: random.hex(40), message: `Revert "${title}"\n\nThis reverts commit ${sha}.` }
  host.push(repository, 'main', [revert], author, at)
  const repair = { repository, sha: revert.sha, title: `Revert "${title}"`, by: author }
  at = yield* deploy(world, host, repair, { at: at + MINUTE })
  chat.say(INCIDENTS, colleague, 'All instances answer again. Thanks!', at + 2 * MINUTE)
  host.comment(issue, 'Reverted and deployed. To do: start without a cache.', author, at + 4 * MINUTE)
}

interface Course {
  at: Micros
  failure?: string | undefined
  /** Absent: after a few minutes. */
  ends?: Micros
}

/** @returns when it ended */
function* deploy(
  { random }: World,
  host: CodeHost,
  { repository, sha, by }: Deployed,
  { at: begins, failure, ends }: Course,
): Generator<Micros, Micros, Micros> {
  let at = yield begins
  const deployment: Deployment = host.requestDeployment(repository, { sha, by, environment: 'production' }, at)
  at = yield at + random.integer(5, 40) * SECOND
  host.deploymentStatus(deployment, { state: 'running' }, at)
  at = yield ends ?? at + random.integer(60, 300) * SECOND
  host.deploymentStatus(deployment, failure === undefined ? { state: 'succeeded' } : { state: 'failed', failure }, at)
  return at
}

function failedWords({ path }: Repository, failure: string): string {
  return `Deployment of **${path}** to production failed: \`${failure}\``
}
