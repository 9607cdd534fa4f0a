import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../model/app-error.js'
import type { Lease } from '../../store/event-store.js'
import type { MultiServerStore } from '../../store/multi-server-store.js'
import { holdLease } from '../held-lease.js'

/** How long to wait for another capture of the same watch. */
const WAIT_MS = 10_000
/** How often to check whether another server has ended its capture. */
const ASK_MS = 500

/** Allows one capture of a watch at a time: in this process, and by a lease on all servers that share the ledger. */
export class WatchLocks {
  readonly #held = new Map<string, Promise<void>>()

  /** @param multiServer absent where only this process has the ledger open */
  constructor(private readonly multiServer?: MultiServerStore) {}

  /** @throws AppError `unavailable/capture_running` if another capture of it runs for too long */
  async hold<Result>(id: string, work: (lease?: Lease) => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + WAIT_MS
    for (let other = this.#held.get(id); other; other = this.#held.get(id)) {
      if (!(await endsBy(deadline, other))) throw captureRunning(id)
    }
    const result = this.#withLease(id, deadline, work)
    const ended = result.then(forget, forget).then(() => {
      this.#held.delete(id)
    })
    this.#held.set(id, ended)
    await ended
    return result
  }

  async #withLease<Result>(id: string, deadline: number, work: (lease?: Lease) => Promise<Result>): Promise<Result> {
    if (!this.multiServer) return work()
    for (;;) {
      const held = await holdLease(this.multiServer, `watch ${id}`)
      if (held) return held.during(() => work(held.lease))
      if (performance.now() >= deadline) throw captureRunning(id)
      await sleep(ASK_MS)
    }
  }
}

function captureRunning(id: string): AppError {
  const message = `Subscription "${id}" is being captured already. Try again later.`
  return new AppError('unavailable', 'capture_running', message, { retryAfterSeconds: 60 })
}

async function endsBy(deadline: number, other: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<boolean>(resolve => {
    timer = setTimeout(resolve, Math.max(0, deadline - performance.now()), false)
  })
  try {
    return await Promise.race([other.then(() => true), tooLate])
  } finally {
    clearTimeout(timer)
  }
}

function forget(): void {}
