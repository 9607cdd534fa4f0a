import type { EventDelivery } from '../ledger/event-recorder.js'
import type { Micros } from '../model/timestamp.js'
import { Agenda } from './agenda.js'
import { DAY, HOUR, MINUTE, SECOND } from './durations.js'
import { Polling } from './polling.js'
import { Random } from './random.js'
import { ChatServer } from './servers/chat-server.js'
import type { CodeHost } from './servers/code-host.js'
import { CodeHostA } from './servers/code-host-a.js'
import { CodeHostB } from './servers/code-host-b.js'
import { ForumServer } from './servers/forum-server.js'
import type { HookDelivery } from './servers/hook.js'
import { failedDeploymentStory } from './stories/deployment-story.js'
import { issueStory } from './stories/issue-story.js'
import { nightlyStory } from './stories/nightly-story.js'
import { pullRequestStory } from './stories/pull-request-story.js'
import { releaseStory } from './stories/release-story.js'
import type { Step, Story, World } from './stories/story.js'
import { talkStory } from './stories/talk-story.js'
import { threadStory } from './stories/thread-story.js'
import { isWeekend } from './waking-hours.js'
import { demoWatches, type Watch } from './watches.js'
import { THREADS } from './words/forum-talk.js'

/** Length of the history. */
export const HISTORY_DAYS = 30
/** How many stories of each type start on a weekday, and on a day of the weekend. */
const A_DAY = {
  pullRequests: { week: 1.5, weekend: 0.6 },
  issues: { week: 1.6, weekend: 0.8 },
  talks: { week: 5, weekend: 3.5 },
  releases: { week: 0.25, weekend: 0 },
} as const
/** Share of repeated deliveries. Senders repeat a delivery after a slow answer. */
const REPEATED = 0.03
/** Steps closer together than this happen together. */
const A_MOMENT = 5 * SECOND
/** More acts than there are between two deliveries. */
const MOST_ACTS = 10_000

/**
 * A fictional company on its four platforms. The seed and the time determine its events: first a history of 30 days,
 * then as many as the caller requests.
 */
export class Company implements World {
  readonly random: Random
  readonly chat: ChatServer
  readonly forum: ForumServer
  readonly codeHosts: readonly CodeHost[]
  readonly #agenda = new Agenda<Story>()
  readonly #polling = new Polling()
  readonly #ends: Micros
  #now: Micros
  #steps: Step[] = []

  /** @param ends end of the history: the present */
  constructor({ seed, ends }: { seed: number; ends: Micros }) {
    this.random = new Random(seed)
    this.#ends = ends
    this.#now = ends - HISTORY_DAYS * DAY + MINUTE
    const send = (at: Micros, { events }: HookDelivery) => this.#send(at, events)
    this.chat = new ChatServer(this.random, send, message => this.#polling.hear(message))
    this.forum = new ForumServer(this.random, send)
    this.codeHosts = [new CodeHostA(this.random, send), new CodeHostB(this.random, send)]
    for (const watch of demoWatches({ begins: this.#now, ends })) this.begin(this.#watchStory(watch))
    for (const [index, thread] of THREADS.entries()) {
      this.begin(threadStory(this, thread, this.#now + Math.floor(index ** 1.5 * 0.8 * DAY)))
    }
    // One day before the present is yesterday in every time zone.
    this.begin(failedDeploymentStory(this, this.codeHosts[0] as CodeHost, ends - DAY))
    this.begin(this.#days(this.#now))
  }

  begin(story: Story): void {
    const { done, value } = story.next(this.#now)
    if (!done) this.#agenda.add(value, story)
  }

  /** Everything up to the present, in order. */
  *history(): Generator<Step> {
    for (let at = this.#agenda.nextAt; at !== undefined && at <= this.#ends; at = this.#agenda.nextAt) {
      yield* this.#polling.poll(this.chat, at, 'with news')
      yield* this.#act(at, this.#agenda.takeNext())
    }
    yield* this.#polling.poll(this.chat, this.#ends, 'all')
  }

  /**
   * The next steps, moved to the given time, with at least one delivery. If nothing is due, as often at night, a random
   * story continues early.
   */
  nextSteps(at: Micros): Step[] {
    const steps = this.#polling.poll(this.chat, at, 'all')
    for (let acts = 0; acts < MOST_ACTS; acts++) {
      const isDue = (this.#agenda.nextAt ?? at) <= at + A_MOMENT
      const more = this.#act(at, isDue ? this.#agenda.takeNext() : this.#agenda.takeAny(this.random))
      steps.push(...more)
      if (more.some(({ does }) => does === 'record')) break
    }
    return steps
  }

  #act(at: Micros, next: { item: Story } | undefined): Step[] {
    if (!next) return []
    this.#now = at
    const { done, value } = next.item.next(at)
    if (!done) this.#agenda.add(Math.max(value, at), next.item)
    return together(this.#steps.splice(0))
  }

  /** Delivers now, or schedules deliveries of a later time. */
  #send(at: Micros, deliveries: EventDelivery[]): void {
    if (at > this.#now) this.begin(this.#arrival(at, deliveries))
    else this.#arrive(at, deliveries)
  }

  *#arrival(planned: Micros, deliveries: EventDelivery[]): Story {
    this.#arrive(yield planned, deliveries)
  }

  #arrive(at: Micros, deliveries: EventDelivery[]): void {
    this.#steps.push({ at, does: 'record', deliveries })
    if (this.random.chance(REPEATED)) this.begin(this.#repeat(at, deliveries))
  }

  *#repeat(first: Micros, deliveries: EventDelivery[]): Story {
    const times = this.random.chance(0.2) ? 3 : 1
    for (let count = 0, at = first; count < times; count++) {
      at = yield at + this.random.integer(10, 180) * SECOND
      this.#steps.push({ at, does: 'record', deliveries })
    }
  }

  *#watchStory(watch: Watch): Story {
    const { subscription, createdAt, offAt } = watch
    this.#steps.push({ at: yield createdAt, does: 'save', subscription })
    this.#polling.begin(watch)
    if (offAt === undefined) return
    const { id, source } = subscription
    this.#steps.push({ at: yield offAt, does: 'save', subscription: { id, source, enabled: false } })
  }

  /** Starts the stories of each day. */
  *#days(begins: Micros): Story {
    for (let at = yield begins; ; ) {
      const day = Math.floor(at / DAY) * DAY
      for (const story of this.#storiesOf(day, at)) this.begin(story)
      at = yield day + DAY
    }
  }

  /** @param from no story starts before it */
  *#storiesOf(day: Micros, from: Micros): Generator<Story> {
    const kind = isWeekend(day) ? 'weekend' : 'week'
    const begins = () => Math.max(from, day + Math.floor((3 + this.random.fraction() * 15) * HOUR))
    for (const host of this.codeHosts) {
      yield nightlyStory(this, host, Math.max(from, day + 2 * HOUR))
      for (let count = this.#count(A_DAY.pullRequests[kind]); count > 0; count--) {
        yield pullRequestStory(this, host, begins())
      }
      for (let count = this.#count(A_DAY.issues[kind]); count > 0; count--) yield issueStory(this, host, begins())
      for (let count = this.#count(A_DAY.releases[kind]); count > 0; count--) yield releaseStory(this, host, begins())
    }
    for (let count = this.#count(A_DAY.talks[kind]); count > 0; count--) yield talkStory(this, begins())
  }

  /** A random integer around `about`; a fraction gives 1 with about that probability, else 0. */
  #count(about: number): number {
    return Math.floor(about * (0.6 + 0.8 * this.random.fraction()) + this.random.fraction())
  }
}

/** Joins deliveries that arrive together into one step. */
function together(steps: readonly Step[]): Step[] {
  const joined: Step[] = []
  for (const step of steps) {
    const last = joined.at(-1)
    if (step.does === 'record' && last?.does === 'record') last.deliveries.push(...step.deliveries)
    else joined.push(step.does === 'record' ? { ...step, deliveries: [...step.deliveries] } : step)
  }
  return joined
}
