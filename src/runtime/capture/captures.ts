import type { Ledger } from '../../ledger/ledger.js'
import { captureEndReason, dueAt, lastAttemptAt } from '../../ledger/watch-times.js'
import type { ChatAccount } from '../../model/platforms/chat-account.js'
import type { PlatformSource } from '../../model/platforms/platform-source.js'
import type {
  CaptureProgress,
  CaptureRequest,
  CaptureResult,
  CaptureTotals,
  WatchCapture,
} from '../../model/subscriptions/capture.js'
import { type Micros, toTimestamp } from '../../model/timestamp.js'
import { ChatApiClient } from '../../platforms/chat/capture/chat-api-client.js'
import { UserDirectory } from '../../platforms/chat/capture/user-directory.js'
import type { Lease } from '../../store/event-store.js'
import type { MultiServerStore } from '../../store/multi-server-store.js'
import { holdLease } from '../held-lease.js'
import { pause } from '../pause.js'
import { captureOne, isRateLimit } from './capture-one.js'
import { WatchLocks } from './watch-locks.js'

interface CaptureCall {
  signal?: AbortSignal | undefined
  onProgress?: ((progress: CaptureProgress) => void) | undefined
}

/** Failures that affect every watch: they concern the account or the connection to the server. */
const CONCERN_ALL_WATCHES = ['rate_limited', 'credentials_refused', 'unreachable'].flatMap(ofEachPlatform)
/** Failures that may concern one watch alone: the server cannot answer its request. */
const SERVER_FAILURES = ['unavailable', 'timeout', 'connection_lost', 'answer_unreadable'].flatMap(ofEachPlatform)
/** After this many consecutive server failures, the server counts as down. */
const MAX_SERVER_FAILURES = 3

/** Captures watches into the ledger of this process, for commands and for the schedule. */
export class Captures {
  readonly #locks: WatchLocks
  /** The users known to the most recent account. */
  #directory: { account: string; users: UserDirectory } | undefined
  readonly #totals: CaptureTotals = {
    outcomes: { captured: 0, disabled: 0, expired: 0, failed: 0 },
    created: 0,
    duplicates: 0,
  }

  constructor(
    private readonly ledger: Ledger,
    /** Wall clock in microseconds. */
    private readonly clock: () => Micros,
    /** Absent where only this process has the ledger open. */
    private readonly multiServer?: MultiServerStore,
  ) {
    this.#locks = new WatchLocks(multiServer)
  }

  /**
   * Captures one watch, or all due ones of the platforms whose accounts are given, one after the other, the least
   * recently tried first. Failures are part of the result. A failure ends the round of its platform only if it affects
   * every watch of the platform.
   *
   * @throws the signal's reason once it is aborted
   */
  async run(request: CaptureRequest, call: CaptureCall = {}): Promise<CaptureResult> {
    const { subscription_id: id } = request
    const rounds = id === undefined ? await this.#listDue(request) : [[id]]
    const total: CaptureResult = { captures: [], left: 0 }
    for (const ids of rounds) {
      const { captures, left } = await this.runEach(ids, request, call)
      total.captures.push(...captures)
      total.left += left
    }
    return total
  }

  /** Like `run`, for these watches of one platform. */
  async runEach(ids: readonly string[], request: CaptureRequest, call: CaptureCall = {}): Promise<CaptureResult> {
    const api = request.chat && new ChatApiClient(request.chat)
    const capture = async (id: string) => {
      const done = await this.#capture(id, api, request, call)
      this.#count(done)
      return done
    }
    try {
      const result = await captureAll(ids, capture)
      await this.#noteWait(result)
      return result
    } finally {
      api?.close()
    }
  }

  /**
   * Does work while no other capture of these watches runs.
   *
   * @param work gets the right to capture each, if several servers may
   * @throws AppError `unavailable/capture_running`; as `work`
   */
  async whileIdle<Result>(
    ids: readonly string[],
    work: (leases: ReadonlyMap<string, Lease>) => Promise<Result>,
  ): Promise<Result> {
    const leases = new Map<string, Lease>()
    // Always in the same order, so that no two calls wait for each other.
    const hold = ([id, ...rest]: readonly string[]): Promise<Result> => {
      if (id === undefined) return work(leases)
      return this.#locks.hold(id, lease => {
        if (lease) leases.set(id, lease)
        return hold(rest)
      })
    }
    return hold([...ids].sort())
  }

  /**
   * Runs a round of a platform unless another server is running one.
   *
   * @returns undefined if another server does it
   */
  async runAlone<Result>(source: PlatformSource, work: () => Promise<Result>): Promise<Result | undefined> {
    if (!this.multiServer) return work()
    const lease = await holdLease(this.multiServer, source === 'chat' ? 'captures' : `captures ${source}`)
    return lease?.during(work)
  }

  /** Totals since the server started. */
  totals(): CaptureTotals {
    return this.#totals
  }

  #count({ outcome, created, duplicates }: WatchCapture): void {
    this.#totals.outcomes[outcome] += 1
    this.#totals.created += created
    this.#totals.duplicates += duplicates
  }

  #capture(
    id: string,
    api: ChatApiClient | undefined,
    { chat, platforms: accounts = [], backfill }: CaptureRequest,
    call: CaptureCall,
  ): Promise<WatchCapture> {
    const { ledger, clock } = this
    const ofChat = api && chat && { api, site: chat.site, users: this.usersOf(chat), backfill }
    return captureOne(id, { locks: this.#locks, ledger, clock, chat: ofChat, accounts, sleep: pause, ...call })
  }

  /** The due watches of each platform. */
  async #listDue({ chat, platforms = [] }: CaptureRequest): Promise<string[][]> {
    const now = this.clock()
    const watches = await this.ledger.listPolled()
    const due = watches.filter(watch => captureEndReason(watch, now) === undefined && dueAt(watch, now) <= now)
    // The watch whose failure ended a round comes last in the next one, so it cannot block the others.
    due.sort((left, right) => lastAttemptAt(left) - lastAttemptAt(right))
    const sources = [...(chat ? ['chat'] : []), ...platforms.map(({ source }) => source)]
    return sources.map(source => due.filter(watch => watch.source === source).map(({ id }) => id))
  }

  /** The server limits the account, so the wait applies to every watch of it that the schedule captures. */
  async #noteWait({ captures }: CaptureResult): Promise<void> {
    const { subscription_id, error } = captures.at(-1) ?? {}
    if (!isRateLimit(error?.code ?? '') || error?.retryAfterSeconds === undefined) return
    const wait_until = toTimestamp(this.clock() + Math.ceil(error.retryAfterSeconds * 1_000_000))
    const watches = await this.ledger.listPolled()
    const source = watches.find(({ id }) => id === subscription_id)?.source
    const limited = watches.filter(watch => watch.source === source)
    // If the wait cannot be stored, the chat server will ask for it again.
    await Promise.all(limited.map(({ id }) => this.ledger.noteCapture(id, { wait_until }))).catch(() => undefined)
  }

  /** The users known to an account. */
  usersOf({ site, email }: ChatAccount): UserDirectory {
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
    serverFailures = done.error && SERVER_FAILURES.includes(done.error.code) ? serverFailures + 1 : 0
    if (serverFailures === MAX_SERVER_FAILURES) break
  }
  return { captures, left: ids.length - captures.length }
}

/** A ledger that cannot be written fails for the next watch, too. */
function concernsAll(code: string): boolean {
  return CONCERN_ALL_WATCHES.includes(code) || code.startsWith('store_') || code === 'internal'
}

function ofEachPlatform(failure: string): string[] {
  return [`chat_${failure}`, `platform_${failure}`]
}
