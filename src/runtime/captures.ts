import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from '../ledger/ledger.js'
import { dueAt, triedAt, whyOver } from '../ledger/watch-times.js'
import type { ChatAccount } from '../model/platforms/chat-account.js'
import type { CaptureProgress, CaptureRequest, CaptureResult, WatchCapture } from '../model/subscriptions/capture.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import { ChatApiClient } from '../platforms/chat/capture/chat-api-client.js'
import { UserDirectory } from '../platforms/chat/capture/user-directory.js'
import { captureOne } from './capture-one.js'
import { WatchLocks } from './watch-locks.js'

export interface CaptureCall {
  signal?: AbortSignal | undefined
  onProgress?: ((progress: CaptureProgress) => void) | undefined
}

/** What any watch would meet at this moment, as it is about the account or about the way to the server. */
const OF_ALL_WATCHES = ['chat_rate_limited', 'chat_credentials_refused', 'chat_unreachable']
/** What one watch may meet alone: its request is the one that the server cannot answer. */
const OF_THE_SERVER = ['chat_unavailable', 'chat_timeout', 'chat_connection_lost', 'chat_answer_unreadable']
/** After so many of those in a row the server is taken to be down. */
const MOST_SERVER_FAILURES = 3

/** Captures watches into the ledger of this process, for commands and on time. */
export class Captures {
  readonly #locks = new WatchLocks()
  /** Of the account that was used last. */
  #directory: { account: string; users: UserDirectory } | undefined

  constructor(
    private readonly ledger: Ledger,
    /** Wall clock in microseconds. */
    private readonly clock: () => Micros,
  ) {}

  /**
   * Captures one watch, or all that are due, one after the other, the least recently tried first. What fails is in
   * the result; it ends the round only where it would happen to any watch.
   *
   * @throws the signal's reason once it is aborted
   */
  async run(request: CaptureRequest, call: CaptureCall = {}): Promise<CaptureResult> {
    const { subscription_id, chat } = request
    const api = new ChatApiClient(chat)
    const capture = (id: string) => this.#capture(id, api, request, call)
    try {
      const ids = subscription_id === undefined ? await this.#listDue() : [subscription_id]
      const result = await captureAll(ids, capture)
      await this.#waitAsTold(result)
      return result
    } finally {
      api.close()
    }
  }

  #capture(id: string, api: ChatApiClient, request: CaptureRequest, call: CaptureCall): Promise<WatchCapture> {
    const { ledger, clock } = this
    const { chat, backfill } = request
    const users = this.#usersOf(chat)
    const parts = { locks: this.#locks, ledger, clock, api, site: chat.site, users, backfill, sleep: pause, ...call }
    return captureOne(id, parts)
  }

  async #listDue(): Promise<string[]> {
    const now = this.clock()
    const watches = await this.ledger.listPolled()
    const due = watches.filter(watch => whyOver(watch, now) === undefined && dueAt(watch, now) <= now)
    // What ends a round is met by another watch the next time, so that no watch keeps the others from their turn.
    return due.sort((left, right) => triedAt(left) - triedAt(right)).map(({ id }) => id)
  }

  /** The wait is told to the account, so it counts for all that would be captured with it by themselves. */
  async #waitAsTold({ captures }: CaptureResult): Promise<void> {
    const error = captures.at(-1)?.error
    if (error?.code !== 'chat_rate_limited' || error.retryAfterSeconds === undefined) return
    const wait_until = toTimestamp(this.clock() + Math.ceil(error.retryAfterSeconds * 1_000_000))
    const watches = await this.ledger.listPolled()
    // Where it cannot be noted, the next time is told again.
    await Promise.all(watches.map(({ id }) => this.ledger.noteCapture(id, { wait_until }))).catch(() => undefined)
  }

  #usersOf({ site, email }: ChatAccount): UserDirectory {
    const account = `${site} ${email}`
    if (this.#directory?.account !== account) {
      this.#directory = { account, users: new UserDirectory(() => performance.now()) }
    }
    return this.#directory.users
  }
}

async function captureAll(
  ids: readonly string[],
  capture: (id: string) => Promise<WatchCapture>,
): Promise<CaptureResult> {
  const captures: WatchCapture[] = []
  let serverFailures = 0
  for (const id of ids) {
    const done = await capture(id)
    captures.push(done)
    if (done.error && concernsAll(done.error.code)) break
    serverFailures = done.error && OF_THE_SERVER.includes(done.error.code) ? serverFailures + 1 : 0
    if (serverFailures === MOST_SERVER_FAILURES) break
  }
  return { captures, left: ids.length - captures.length }
}

/** A ledger that cannot be written cannot be written for the next watch either. */
function concernsAll(code: string): boolean {
  return OF_ALL_WATCHES.includes(code) || code.startsWith('store_') || code === 'internal'
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<unknown> {
  return sleep(milliseconds, undefined, signal ? { signal } : {})
}
