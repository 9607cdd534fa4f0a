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
  /** Hashes at once; each holds a thread of the pool that files need too. */
  running?: number
  /** Callers that may wait for their turn. */
  waiting?: number
  waitMs?: number
  /** Of new hashes, and the work that every failed verification costs at least. */
  iterations?: number
  derive?: Derive
}

/**
 * Hashes and verifies passwords, few at a time, so that a burst of logins cannot take every thread of the process:
 * 2 at once, 16 waiting for at most 5 seconds.
 *
 * Source: decisions on security, 0.1 and section 2, "hash concurrency".
 */
export class PasswordHasher {
  private readonly turns: Turns
  private readonly iterations: number
  private readonly derive: Derive
  private readonly nobodysSalt = randomBytes(16)

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
   * Whether `password` belongs to a stored hash. Without one (nobody has that name), or with one that cannot be read,
   * the answer is no, after the work that a wrong password costs: an older hash with fewer iterations is topped up to
   * the count of today, so that the time does not tell who has an account.
   *
   * @throws AppError `unavailable/busy`
   */
  verify(stored: string | undefined, password: string): Promise<boolean> {
    const hash = stored === undefined ? undefined : readPasswordHash(stored)
    return this.turns.take(async () => {
      if (hash !== undefined && (await digestMatches(hash, password, this.derive))) return true
      const missing = this.iterations - (hash?.iterations ?? 0)
      if (missing > 0) await this.derive(password, hash?.salt ?? this.nobodysSalt, missing)
      return false
    })
  }
}

/** Lets a few pieces of work run at once and a few more wait, first come, first served. */
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
      // The turn goes over to the next one, who does not count anew: nobody can come in between.
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
