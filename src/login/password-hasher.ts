import { randomBytes } from 'node:crypto'
import { AppError } from '../model/app-error.js'
import {
  type Derive,
  derivePassword,
  digestMatches,
  hashPassword,
  PASSWORD_ITERATIONS,
  readPasswordHash,
} from './password-hash.js'

export interface PasswordHasherOptions {
  /** Concurrent hashes; each occupies a thread of the pool that file access needs too. */
  running?: number
  /** Callers that may queue. */
  waiting?: number
  waitMs?: number
  /** For new hashes; also the minimum work of every failed verification. */
  iterations?: number
  derive?: Derive
}

/**
 * Hashes and verifies passwords, few at a time, so that a burst of logins cannot occupy every thread of the process: 2
 * concurrently, 16 queued for at most 5 seconds.
 *
 * Source: decisions on security, 0.1 and section 2, "hash concurrency".
 */
export class PasswordHasher {
  private readonly turns: Turns
  private readonly iterations: number
  private readonly derive: Derive
  private readonly saltOfUnknownUsers = randomBytes(16)

  constructor(options: PasswordHasherOptions = {}) {
    const { running = 2, waiting = 16, waitMs = 5_000 } = options
    this.turns = new Turns({ running, waiting, waitMs })
    this.iterations = options.iterations ?? PASSWORD_ITERATIONS
    this.derive = options.derive ?? derivePassword
  }

  /** @throws AppError `unavailable/busy` */
  hash(password: string): Promise<string> {
    return this.turns.take(() => hashPassword(password, this.iterations, this.derive))
  }

  /**
   * Whether `password` matches a stored hash. Without a hash (no such user), or with an unreadable one, returns false
   * after as much work as for a wrong password. A hash with fewer iterations is topped up to the current count, so that
   * the time does not reveal who has an account.
   *
   * @throws AppError `unavailable/busy`
   */
  verify(stored: string | undefined, password: string): Promise<boolean> {
    const hash = stored === undefined ? undefined : readPasswordHash(stored)
    return this.turns.take(async () => {
      if (hash !== undefined && (await digestMatches(hash, password, this.derive))) return true
      const missing = this.iterations - (hash?.iterations ?? 0)
      if (missing > 0) await this.derive(password, hash?.salt ?? this.saltOfUnknownUsers, missing)
      return false
    })
  }
}

/** Runs a few tasks concurrently and queues a few more, first come, first served. */
class Turns {
  private running = 0
  private readonly waiting: (() => void)[] = []

  constructor(private readonly limits: { running: number; waiting: number; waitMs: number }) {}

  /** @throws AppError `unavailable/busy` */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.limits.running) this.running++
    else await this.wait()
    try {
      return await work()
    } finally {
      // The turn passes directly to the next in the queue, so no newcomer can take it.
      const next = this.waiting.shift()
      if (next) next()
      else this.running--
    }
  }

  private wait(): Promise<void> {
    if (this.waiting.length >= this.limits.waiting) return Promise.reject(busy())
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(start), 1)
        reject(busy())
      }, this.limits.waitMs)
      this.waiting.push(start)
    })
  }
}

function busy(): AppError {
  return new AppError('unavailable', 'busy', 'Too many passwords are being checked right now.', {
    hint: 'Try again in a moment.',
    retryAfterSeconds: 1,
  })
}
