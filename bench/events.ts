import { Random, ZipfTable } from './random.js'
import { Talk } from './words.js'

const STREAMS = ['eng', 'ops', 'support', 'design', 'general', 'releases', 'data', 'security']
const TOPICS = `deploys incidents standup metrics search backups onboarding flaky-tests billing mobile api docs
hiring roadmap outages latency migrations alerts customers offsite`.split(/\s+/)
const REPOSITORIES = ['ada/engine', 'ada/loom', 'mill/counter', 'mill/printer', 'mill/store', 'ada/notes']
const FIRST_NAMES = 'Ada Bela Chidi Dana Emre Fatou Goran Hana Ines Jonas Kavya Luis Mina Noor Olga Pia Ravi Sven'
const LAST_NAMES = 'Abe Baker Costa Diaz Egger Fischer Garcia Haas Ito Jansen Kim Lopez Moreau Novak Okafor'
const PULL_REQUEST_VERBS = ['opened', 'updated', 'merged', 'closed'] as const
/** First day of the invented history, epoch milliseconds. */
const HISTORY = Date.UTC(2031, 0, 1)

interface Place {
  stream: number
  topic: number
}

/**
 * Invented events of a team at work: four chat messages to one pull request, some 750 bytes each as stored. Event n of
 * a seed is always the same, and has a unique subject and dedupe key.
 */
export class EventMaker {
  readonly #talk = new Talk()
  readonly #places = new ZipfTable<Place>(allPlaces())
  readonly #people = allPeople()

  constructor(private readonly seed = 1) {}

  /** The event as JSON text, as a client would send it. */
  eventText(index: number): string {
    const random = new Random(this.seed, index % 0x1_0000_0000, Math.floor(index / 0x1_0000_0000))
    return JSON.stringify(random.happens(0.8) ? this.#message(index, random) : this.#pullRequest(index, random))
  }

  /** `count` events from `first` on, one a line. */
  batchText(first: number, count: number): string {
    return Array.from({ length: count }, (_, offset) => this.eventText(first + offset)).join('\n')
  }

  #message(index: number, random: Random) {
    const { stream, topic } = this.#places.draw(random)
    const person = random.below(this.#people.length)
    return {
      dedupe_key: `chat:example.org:message:${index}`,
      kind: 'message.created',
      subject_id: String(index),
      subject_type: 'message',
      actor: { id: String(100 + person), display: this.#people[person] },
      target: {
        type: 'message',
        key: `message:${index}`,
        parent: {
          type: 'topic',
          display: TOPICS[topic],
          parent: { type: 'stream', display: STREAMS[stream] },
        },
      },
      conversation: { text: this.#talk.message(random, 3 + random.below(11)) },
      source: 'chat',
      occurred_at: occurredAt(index),
    }
  }

  #pullRequest(index: number, random: Random) {
    const verb = random.pick(PULL_REQUEST_VERBS)
    const repository = random.pick(REPOSITORIES)
    const person = random.below(this.#people.length)
    return {
      dedupe_key: `code_a:example.org:pull_request:${index}:${verb}`,
      kind: `pull_request.${verb}`,
      subject_id: String(index),
      subject_type: 'pull_request',
      actor: { id: String(100 + person), display: this.#people[person] },
      target: {
        type: 'pull_request',
        key: `pull_request:${index}`,
        display: `#${1 + random.below(4_000)} ${this.#talk.title(random)}`,
        parent: { type: 'repository', display: repository },
      },
      conversation: { text: this.#talk.message(random, 2 + random.below(8)) },
      source: 'code_a',
      occurred_at: occurredAt(index),
      payload: { draft: random.happens(0.1), commits: 1 + random.below(9) },
    }
  }
}

/** Subscription n of those that match events: chat topics, the busiest first, and every tenth a repository. */
export function watchingSubscription(index: number): string {
  const repository = REPOSITORIES[Math.floor(index / 10) % REPOSITORIES.length]
  if (index % 10 === 9) return subscriptionText(`watching-${index}`, 'code_a', `repo:${repository}`)
  const { stream, topic } = livelyPlace(index)
  return subscriptionText(`watching-${index}`, 'chat', `stream:${STREAMS[stream]}/topic:${TOPICS[topic]}`)
}

/** Subscription n of those that no event matches. */
export function idleSubscription(index: number): string {
  return subscriptionText(`idle-${index}`, 'chat', `stream:${STREAMS[index % STREAMS.length]}/topic:archive-${index}`)
}

function subscriptionText(id: string, source: string, target: string): string {
  return JSON.stringify({ id, source, target })
}

function allPlaces(): Place[] {
  return Array.from({ length: STREAMS.length * TOPICS.length }, (_, index) => livelyPlace(index))
}

/** The nth busiest topic. */
function livelyPlace(index: number): Place {
  return { stream: index % STREAMS.length, topic: Math.floor(index / STREAMS.length) % TOPICS.length }
}

function allPeople(): string[] {
  return FIRST_NAMES.split(' ').flatMap(first => LAST_NAMES.split(' ').map(last => `${first} ${last}`))
}

function occurredAt(index: number): string {
  return new Date(HISTORY + (index % 1_000_000_000) * 20).toISOString()
}
