import type { EventDelivery } from '../ledger/ledger.js'
import type { Micros } from '../model/timestamp.js'
import { Agenda } from './agenda.js'
import { ChatServer } from './chat-server.js'
import type { CodeHost } from './code-host.js'
import { CodeHostA } from './code-host-a.js'
import { CodeHostB } from './code-host-b.js'
import { DAY, HOUR, MINUTE, SECOND } from './durations.js'
import { ForumServer } from './forum-server.js'
import { THREADS } from './forum-talk.js'
import { issueStory } from './issue-story.js'
import { nightlyStory } from './nightly-story.js'
import { Polling } from './polling.js'
import { pullRequestStory } from './pull-request-story.js'
import { Random } from './random.js'
import { releaseStory } from './release-story.js'
import type { Step, Story, World } from './story.js'
import { talkStory } from './talk-story.js'
import { threadStory } from './thread-story.js'
import { isWeekend } from './waking-hours.js'
import { demoWatches, type Watch } from './watches.js'

/** How far back its history goes. */
export const HISTORY_DAYS = 30
/** How many of each begin on a day of the week and at the weekend. */
const A_DAY = {
  pullRequests: { week: 1.5, weekend: 0.6 },
  issues: { week: 1.6, weekend: 0.8 },
  talks: { week: 5, weekend: 3.5 },
  releases: { week: 0.25, weekend: 0 },
} as const
/** Of all deliveries; code hosts and forwarders try again when an answer is slow. */
const REPEATED = 0.03
/** What is so near belongs to what has just happened. */
const A_MOMENT = 5 * SECOND
/** More than what lies between two deliveries. */
const MOST_ACTS = 10_000

/**
 * An invented company on its four platforms. What happens there follows from the seed and from when it happens: first a
 * history of 30 days, and from then on as quickly as somebody asks for more.
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

  /** @param ends when the history ends: the present */
  constructor({ seed, ends }: { seed: number; ends: Micros }) {
    this.random = new Random(seed)
    this.#ends = ends
    this.#now = ends - HISTORY_DAYS * DAY + MINUTE
    const send = (at: Micros, deliveries: EventDelivery[]) => this.#send(at, deliveries)
    this.chat = new ChatServer(this.random, send, message => this.#polling.hear(message))
    this.forum = new ForumServer(this.random, send)
    this.codeHosts = [new CodeHostA(this.random, send), new CodeHostB(this.random, send)]
    for (const watch of demoWatches({ begins: this.#now, ends })) this.begin(this.#watchStory(watch))
    for (const [index, thread] of THREADS.entries()) {
      this.begin(threadStory(this, thread, this.#now + Math.floor(index ** 1.5 * 0.8 * DAY)))
    }
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
   * What happens next, as if it happened at that time: with at least one delivery. Any story may be the one that goes on,
   * whatever was planned: not much is to be seen of a company that sleeps.
   */
  goOn(at: Micros): Step[] {
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

  /** What is sent a moment later comes in when that moment is there. */
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

  /** Every day begins its stories, on any day as many as are usual on one like it. */
  *#days(begins: Micros): Story {
    for (let at = yield begins; ; ) {
      const day = Math.floor(at / DAY) * DAY
      for (const story of this.#storiesOf(day, at)) this.begin(story)
      at = yield day + DAY
    }
  }

  /** @param from what would have begun earlier is over */
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

  /** About so many: a part of one is one now and then. */
  #count(about: number): number {
    return Math.floor(about * (0.6 + 0.8 * this.random.fraction()) + this.random.fraction())
  }
}

/** What arrives at one moment is one step. */
function together(steps: readonly Step[]): Step[] {
  const joined: Step[] = []
  for (const step of steps) {
    const last = joined.at(-1)
    if (step.does === 'record' && last?.does === 'record') last.deliveries.push(...step.deliveries)
    else joined.push(step.does === 'record' ? { ...step, deliveries: [...step.deliveries] } : step)
  }
  return joined
}
