import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import type { Subscription } from '../../src/model/subscriptions/subscription.js'
import { type Page, readAll } from './entries.js'
import { type IntermittentOwner, startIntermittentOwner } from './intermittent-owner.js'
import { Load } from './load.js'
import { ownFolder } from './own-folder.js'
import { monotonicNow, type OwnerSpan } from './owner-spans.js'
import { launchServer, type RunningServer, startServer, startStatus } from './running-server.js'
import { type Random, SEED, seeded, wholeNumber } from './seeded.js'
import { SentEvents } from './sent-events.js'

/** One ledger, the requests that were sent to it, and its owners over time. */
export class CrashTest {
  readonly random: Random = seeded(SEED)
  readonly sentEvents = new SentEvents()
  readonly database: string
  readonly spans: OwnerSpan[] = []
  readonly epochs = new Set<string>()
  slowestStart = 0
  #owners: IntermittentOwner[] = []
  #count = 0

  constructor(private readonly t: Test) {
    this.database = join(ownFolder(t), 'events.db')
  }

  async start(): Promise<RunningServer> {
    const before = monotonicNow()
    const server = await startServer(this.t, { database: this.database })
    const listening = monotonicNow()
    this.slowestStart = Math.max(this.slowestStart, Math.round(listening - before))
    const span = { who: `server ${server.pid}`, from: listening, to: Number.POSITIVE_INFINITY }
    this.spans.push(span)
    return {
      ...server,
      kill: () => {
        span.to = monotonicNow()
        return server.kill()
      },
      stop: () => {
        span.to = monotonicNow()
        return server.stop()
      },
    }
  }

  load({ url }: RunningServer, prefix: string): Load {
    return new Load(this.t, { url, sentEvents: this.sentEvents, random: this.random, prefix })
  }

  /** Starts short commands when the server is killed, so that they and the next server race for the ledger. */
  async loadAndKill(server: RunningServer, round: number): Promise<void> {
    const load = this.load(server, `round ${round}`)
    const status = this.random() < 0.4 ? this.#askWhileItRuns(server) : undefined
    const lifeMs = wholeNumber(this.random, 10, 600)
    for (let rival = wholeNumber(this.random, 0, 2); rival > 0; rival -= 1) void this.#startRival(lifeMs)
    await sleep(lifeMs)
    await status
    await server.kill()
    await load.ended
    if (load.cut === 0) this.sentEvents.problems.push(`no writer of round ${round} noticed that the server was killed`)
  }

  /** A start that is killed at any of its instructions. */
  async killWhileStarting(): Promise<void> {
    const child = launchServer(this.t, { database: this.database })
    await sleep(wholeNumber(this.random, 100, 500))
    child.signal('SIGKILL')
    await child.ended
  }

  /** Problems of the events on the server, and owners that overlapped. */
  async compare({ http }: RunningServer): Promise<string[]> {
    await this.settleOwners()
    const events = await readAll(http)
    const { items } = (await http.get('/api/subscriptions')).json<{ items: Subscription[] }>()
    this.epochs.add((await http.get('/api/events?limit=1')).json<Page>().epoch)
    return [...this.sentEvents.compareEvents(events), ...this.sentEvents.compareSubscriptions(items, events)]
  }

  /** Runs `ledger status --check` directly after a kill. */
  async check(when: string): Promise<void> {
    const { code, out, err } = await startStatus(this.t, { database: this.database, check: true }).ended
    this.t.equal(code, 0, `the check ${when} went well: ${err}`)
    this.t.match(JSON.parse(out), { server: null, problems: { length: 0 } })
  }

  async settleOwners(): Promise<void> {
    for (const owner of this.#owners.splice(0)) this.spans.push(...(await owner.settle()))
  }

  /** A command that tries until the next server must have begun, and is sometimes killed. */
  async #startRival(afterMs: number): Promise<void> {
    this.#count += 1
    const prefix = `command ${this.#count}`
    const killAfterMs = this.random() < 0.3 ? afterMs + wholeNumber(this.random, 0, 300) : undefined
    const owner = startIntermittentOwner(this.t, {
      database: this.database,
      sentEvents: this.sentEvents,
      prefix,
      patienceMs: afterMs + 300,
    })
    this.#owners.push(owner)
    if (killAfterMs === undefined) return
    await sleep(killAfterMs)
    owner.kill()
  }

  /** Checks that a running server answers a short command. */
  async #askWhileItRuns({ pid }: RunningServer): Promise<void> {
    const { code, out, err } = await startStatus(this.t, { database: this.database }).ended
    const asked = code === 0 ? (JSON.parse(out) as { server: { pid: number } | null }) : undefined
    if (asked?.server?.pid !== pid)
      this.sentEvents.problems.push(`status was answered ${code} ${out}${err}, not by ${pid}`)
  }
}
