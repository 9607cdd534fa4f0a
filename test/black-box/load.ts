import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { entry, type Recorded, toLines } from './entries.js'
import { HttpClient, NoAnswer } from './http-client.js'
import { pick, type Random, seeded, wholeNumber } from './seeded.js'
import type { SentEvents } from './sent-events.js'

interface LoadOptions {
  url: string
  sentEvents: SentEvents
  random: Random
  /** Prefix of every new key. */
  prefix: string
}

/** One writer: sends the next request when the last one was answered. Throws when the connection fails. */
type Step = (http: HttpClient, random: Random) => Promise<void>

/** Several writers that send until the server is gone: single events, batches, repeats, and saves of a subscription. */
export class Load {
  /** Resolves once every writer has lost its connection or was asked to stop. */
  readonly ended: Promise<void>
  #stopped = false
  #count = 0
  /** Writers whose connection failed. */
  cut = 0

  constructor(
    t: Test,
    private readonly options: LoadOptions,
  ) {
    t.teardown(() => this.stop())
    const steps: Step[] = [
      http => this.#single(http),
      http => this.#single(http),
      http => this.#single(http),
      (http, random) => this.#batch(http, random),
      (http, random) => this.#batch(http, random),
      (http, random) => this.#repeat(http, random),
      http => this.#save(http),
    ]
    this.ended = Promise.all(steps.map(step => this.#run(step))).then(() => undefined)
  }

  /** Lets every writer finish what it has sent. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.ended
  }

  async #run(step: Step): Promise<void> {
    const random = seeded(Math.floor(this.options.random() * 2 ** 32))
    const http = new HttpClient(this.options.url)
    try {
      while (!this.#stopped) {
        await step(http, random)
        await sleep(wholeNumber(random, 0, 8))
      }
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      this.cut += 1
    } finally {
      http.close()
    }
  }

  async #single(http: HttpClient): Promise<void> {
    const key = this.#newKey()
    this.options.sentEvents.attempt(key)
    const answer = await http.post('/api/events', entry(key))
    if (this.#is(answer.status, 201)) this.options.sentEvents.acknowledge(answer.json<Recorded>())
  }

  async #batch(http: HttpClient, random: Random): Promise<void> {
    const keys = Array.from({ length: wholeNumber(random, 1, 40) }, () => this.#newKey())
    const answered = this.options.sentEvents.attemptBatch(keys)
    const lines = toLines(keys.map(key => entry(key, { source: 'forum' })))
    const answer = await http.post('/api/events', lines, { type: 'application/x-ndjson' })
    if (this.#is(answer.status, 200)) answered(answer.json<{ results: Recorded[] }>().results)
  }

  async #repeat(http: HttpClient, random: Random): Promise<void> {
    const key = pick(random, this.options.sentEvents.settled)
    if (key === undefined) return this.#single(http)
    this.options.sentEvents.attempt(key)
    const answer = await http.post('/api/events', entry(key))
    if (this.#is(answer.status, 200, 201)) this.options.sentEvents.acknowledge(answer.json<Recorded>())
  }

  async #save(http: HttpClient): Promise<void> {
    const id = 'watch-of-eng'
    const revision = this.options.sentEvents.attemptSubscription(id)
    const subscription = { id, source: 'chat', target: 'stream:eng', metadata: { revision } }
    const answer = await http.post('/api/subscriptions', subscription)
    if (this.#is(answer.status, 200, 201)) this.options.sentEvents.acknowledgeSubscription(id, revision)
  }

  #newKey(): string {
    this.#count += 1
    return `${this.options.prefix}/${this.#count}`
  }

  #is(status: number, ...expected: number[]): boolean {
    const as = expected.includes(status)
    if (!as) this.options.sentEvents.problems.push(`a write was answered ${status}, not ${expected.join(' or ')}`)
    return as
  }
}
