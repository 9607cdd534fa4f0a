import { AppError } from '../model/app-error.js'
import type { PlatformSource } from '../model/platforms/platform-source.js'
import type { Micros } from '../model/timestamp.js'
import type { UnsignedDelivery } from '../platforms/signatures/sign-delivery.js'
import { MINUTE } from './durations.js'
import { CUSTOMERS, type Person, STAFF } from './people.js'
import { Random } from './random.js'
import { ChatServer } from './servers/chat-server.js'
import type { CodeHost } from './servers/code-host.js'
import { CodeHostA } from './servers/code-host-a.js'
import { CodeHostB } from './servers/code-host-b.js'
import { ForumServer } from './servers/forum-server.js'
import type { HookDelivery } from './servers/hook.js'

/** A delivery of an invented platform, and the kinds of the events that it becomes. */
interface SampleDelivery extends UnsignedDelivery {
  kinds: string[]
}

/** More ids than one run of the acts uses. */
const IDS = 1_000

type Send = (at: Micros, delivery: HookDelivery) => void

/**
 * Every kind of delivery that the platforms of the demo send, in the order of the acts.
 *
 * @param at when the acts happen. Another second gives other ids, so that a ledger stores new events
 */
export function sampleDeliveries(source: PlatformSource, at: Micros): SampleDelivery[] {
  const samples: SampleDelivery[] = []
  const send: Send = (_, { request, events }) => {
    samples.push({ ...request, kinds: events.map(({ event }) => event.kind) })
  }
  const seconds = Math.floor(at / 1_000_000)
  ACTS[source]({ random: new Random(seconds), send, firstId: seconds * IDS, at })
  return samples
}

/**
 * The first delivery that becomes an event of this kind.
 *
 * @throws AppError `invalid/unknown_kind`
 */
export function getSample(source: PlatformSource, kind: string, at: Micros): SampleDelivery {
  const samples = sampleDeliveries(source, at)
  const sample = samples.find(({ kinds }) => kinds.includes(kind))
  if (sample) return sample
  const hint = `There are samples of ${sampleKinds(source, at).join(', ')}.`
  throw new AppError('invalid', 'unknown_kind', `There is no sample of ${JSON.stringify(kind)} from ${source}.`, {
    hint,
  })
}

/** The kinds that have samples. */
export function sampleKinds(source: PlatformSource, at: Micros): string[] {
  return [...new Set(sampleDeliveries(source, at).flatMap(({ kinds }) => kinds))].sort()
}

interface Stage {
  random: Random
  send: Send
  firstId: number
  at: Micros
}

const ACTS: Record<PlatformSource, (stage: Stage) => void> = {
  chat: actInChat,
  forum: actInForum,
  code_a: stage => actOnCodeHost(new CodeHostA(stage.random, stage.send, stage.firstId), stage),
  code_b: stage => actOnCodeHost(new CodeHostB(stage.random, stage.send, stage.firstId), stage),
}

function actInChat({ random, send, firstId, at }: Stage): void {
  const [author, reader] = PEOPLE
  // No capture reads the messages, so the server forwards all of them.
  const chat = new ChatServer(random, send, () => false, firstId)
  const place = { stream: { id: 4, name: 'engineering' }, topic: 'sample' }
  const message = chat.say(place, author, TEXT, at)
  chat.react(message, reader, '+1', at)
  chat.edit(message, author, `${TEXT} (edited)`, at)
}

function actInForum({ random, send, firstId, at }: Stage): void {
  const [staff, , customer] = PEOPLE
  const forum = new ForumServer(random, send, firstId)
  const thread = { category: { id: 5, slug: 'support' }, title: 'A sample topic' }
  const { topic } = forum.openTopic(thread, customer, TEXT, at)
  const answer = forum.reply(topic, staff, 'A sample answer.', at)
  forum.edit(answer, 'A sample answer, edited.', at)
  forum.like(answer, customer, at)
  forum.accept(answer, at)
}

function actOnCodeHost(host: CodeHost, { random, at }: Stage): void {
  const [repository] = host.repositories
  if (!repository) throw new Error('The code host has no repository.')
  const [author, reviewer] = PEOPLE
  const commit = () => ({ sha: random.hex(40), message: TEXT })
  const issue = host.openIssue(repository, { title: 'A sample issue', body: TEXT, author }, at)
  host.label(issue, 'sample', reviewer, at)
  host.comment(issue, 'A sample comment.', reviewer, at)
  host.close(issue, author, at)
  const draft = { title: 'A sample change', body: TEXT, author, branch: 'sample' }
  const pull = host.openPull(repository, draft, at)
  host.update(pull, [commit()], author, at)
  host.comment(pull, 'A sample comment.', reviewer, at)
  host.remark(pull, 'A sample remark on a line.', reviewer, at)
  for (const state of ['changes_requested', 'approved'] as const)
    host.review(pull, { state, text: TEXT, by: reviewer }, at)
  const { branch, title, head: sha } = pull
  for (const failure of ['the sample test failed', undefined]) {
    const run = host.startRun({ repository, sha, branch, title, by: author, pull }, at - MINUTE)
    host.endRun(run, failure, at)
  }
  host.merge(pull, reviewer, at)
  host.push(repository, 'main', [commit()], author, at)
  host.release(repository, 'v0.0.0-sample', TEXT, author, at)
}

const TEXT = 'Sent by daybook platforms trigger.'
const PEOPLE = [personAt(STAFF, 0), personAt(STAFF, 6), personAt(CUSTOMERS, 0)] as const

function personAt(people: readonly Person[], index: number): Person {
  const person = people[index]
  if (!person) throw new Error(`The demo has no person ${index}.`)
  return person
}
