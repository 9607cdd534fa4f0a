/**
 * A load generator in its own process. Argument: a `LoadPlan` as JSON. It prepares its requests, prints a line, waits
 * until it reads one, sends the requests, and prints the `LoadResult` as JSON.
 */
import { once } from 'node:events'
import { HttpConnection } from '../http-connection.js'
import type { LoadPlan, LoadResult } from '../load-plan.js'
import { type MakeRequest, requestsOf } from '../requests.js'
import { Times } from '../statistics.js'

/** The run ends after this many requests without an answer, because its figures would mean nothing. */
const MAX_FAILURES = 1_000
/** How long the load generator waits at the end for answers that are still open. */
const LAST_ANSWERS_MS = 10_000

class LoadRun {
  readonly #senders: (() => void)[] = []
  readonly #connections: HttpConnection[]
  readonly #times = new Times()
  readonly #marks: number[] = []
  readonly #done: Promise<void>
  #finish: () => void = () => {}
  #sent = 0
  #inProgress = 0
  #refused = 0
  #failed = 0
  #startedAt = 0
  #measuredFrom = 0
  #measuredTo = 0
  #stopAt = 0
  #cpuBefore = process.cpuUsage()
  #isStopped = false

  constructor(
    private readonly plan: LoadPlan,
    private readonly make: MakeRequest,
  ) {
    this.#connections = Array.from({ length: plan.connections }, () => this.#connection())
    this.#done = new Promise(resolve => {
      this.#finish = resolve
    })
  }

  async run(): Promise<LoadResult> {
    const { plan } = this
    this.#startedAt = performance.now()
    this.#measuredFrom = this.#startedAt + plan.warmupMs
    this.#stopAt = this.#measuredFrom + plan.measureMs
    setTimeout(() => {
      this.#cpuBefore = process.cpuUsage()
    }, plan.warmupMs).unref()
    const bound = setTimeout(() => this.#stop(), plan.warmupMs + plan.measureMs)
    for (const send of this.#senders) send()
    await this.#done
    clearTimeout(bound)
    for (const connection of this.#connections) connection.close()
    return this.#result()
  }

  #connection(): HttpConnection {
    let sentAt = 0
    const connection: HttpConnection = new HttpConnection(this.plan.port, {
      answered: status => {
        this.#count(status, sentAt)
        this.#next(send)
      },
      failed: () => {
        this.#inProgress--
        this.#failed++
        if (this.#failed >= MAX_FAILURES) this.#isStopped = true
        this.#next(send)
      },
    })
    const send = () => {
      if (this.#isStopped || this.#sent === this.plan.requests) {
        this.#finishWhenIdle()
        return
      }
      const request = this.make(this.#sent++)
      this.#inProgress++
      sentAt = performance.now()
      connection.send(request)
    }
    this.#senders.push(send)
    return connection
  }

  #next(send: () => void): void {
    if (this.plan.pauseMs === undefined) send()
    else setTimeout(send, this.plan.pauseMs)
  }

  #count(status: number, sentAt: number): void {
    const now = performance.now()
    this.#inProgress--
    if (status < 200 || status > 299) {
      this.#refused++
      return
    }
    if (this.plan.marks) this.#marks.push(now - this.#startedAt)
    if (now < this.#measuredFrom || now > this.#stopAt) return
    this.#measuredTo = now
    this.#times.add(now - sentAt)
  }

  #stop(): void {
    this.#isStopped = true
    this.#finishWhenIdle()
    setTimeout(this.#finish, LAST_ANSWERS_MS).unref()
  }

  #finishWhenIdle(): void {
    if (this.#inProgress === 0) this.#finish()
  }

  #result(): LoadResult {
    const { user, system } = process.cpuUsage(this.#cpuBefore)
    // A run limited by count lasts until its last answer. One limited by time lasts for all of it, answers or not.
    const wasBounded = this.#isStopped && this.#failed < MAX_FAILURES
    const until = wasBounded ? this.#stopAt : this.#measuredTo
    const seconds = Math.max(until - this.#measuredFrom, 0.001) / 1_000
    return {
      answered: this.#times.count,
      seconds,
      rate: this.#times.count / seconds,
      times: this.#times.summary(),
      refused: this.#refused,
      failed: this.#failed,
      opened: this.#connections.reduce((sum, connection) => sum + connection.opened, 0),
      cpu: (user + system) / 1e6 / seconds,
      ...(this.plan.marks ? { marks: this.#marks } : {}),
    }
  }
}

const plan = JSON.parse(process.argv[2] ?? '') as LoadPlan
const run = new LoadRun(plan, requestsOf(plan))
process.stdout.write('ready\n')
await once(process.stdin, 'data')
process.stdin.destroy()
process.stdout.write(`${JSON.stringify(await run.run())}\n`)
