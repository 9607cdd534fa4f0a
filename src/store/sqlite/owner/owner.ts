import { mkdir, rm, utimes } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '../../../model/app-error.js'
import { toFileError } from '../files/file-error.js'
import { realDatabase } from './database-path.js'
import { type Victory, winElection } from './election.js'
import { checkFoundFiles, findFileIds } from './found-files.js'
import { lowerGuard } from './native-guard.js'
import {
  type OwnerRecord,
  type OwnerRole,
  type OwnerSighting,
  ownerFile,
  sightOwner,
  writeOwner,
} from './owner-record.js'
import { ownIdentity } from './process-identity.js'
import { clearRemains, removeSocket } from './stale-files.js'

export interface OwnershipRequest {
  /** Any spelling of the ledger's path. Its folder is made (mode 0700) when it is not there. */
  database: string
  role: OwnerRole
  /** Where this process is going to listen for local callers (`socketPath`). */
  socket?: string
  /** How long to wait, in milliseconds, for a `command` that owns the ledger, or for another program that has it open. */
  waitMs: number
  /** Epoch milliseconds. */
  now: () => number
  /** Evenly spread from 0 to 1: spreads the waiting of rivals. */
  random: () => number
  /**
   * The ledger is no longer ours: somebody removed or replaced the owner file, or took this process for dead while it
   * was stopped. Called once; from then on the database must not be written, and the process should end.
   */
  onLost: (successor: OwnerRecord | undefined) => void
  /** Default 2,000. */
  heartbeatMs?: number
  /** Default 6,000; at least three heartbeats. */
  silenceMs?: number
}

/** This process owns the ledger: it alone may open the database, until `release`. */
export interface Ownership {
  /** Real path of the database; to be opened by this name, so that its log lies beside the owner file. */
  readonly database: string
  readonly record: OwnerRecord
  /** What seems to be missing of a ledger whose last owner did not end in order: a sentence for the operator. */
  readonly warning: string | undefined
  /** Writes down which files are open, to compare with what the next owner finds. @throws AppError `unavailable/ledger_lost` */
  noteFiles(): Promise<void>
  /**
   * The files on the disk are no longer those that are open. This process keeps the ledger until it ends and releases nothing;
   * the next owner refuses what lies there now.
   */
  noteLoss(): Promise<void>
  /** Writes down where the server can be reached, for the messages of others. @throws AppError `unavailable/ledger_lost` */
  announce(details: { address: string }): Promise<void>
  /**
   * To be called once the database and the socket are closed. A second call does nothing.
   *
   * @throws AppError `configuration/…` when the folder cannot be written; the next owner then clears what stays
   */
  release(): Promise<void>
}

/**
 * Makes this process the only owner of a ledger and its folder fit for opening the database: stale locks are gone, the
 * guard against ordinary SQLite programs is up. A `server` that owns it is reported at once; a `command` is waited for.
 *
 * While it lasts the owner file's times change every `heartbeatMs`, by which other containers and machines see that
 * the owner lives. That needs the event loop of this thread: work that blocks it for seconds belongs into a worker.
 *
 * @throws AppError `conflict/ledger_owned`, `conflict/ledger_in_use`, `conflict/ledger_journal_stale`,
 *   `unavailable/ledger_contended`, `configuration/…` for a folder that cannot be written or holds foreign files
 *
 * Source: decision record on the owner protocol; `election.ts` has the argument why there are never two.
 */
export async function acquireOwnership(request: OwnershipRequest): Promise<Ownership> {
  const { role, socket, waitMs, now, random, onLost, heartbeatMs = 2_000, silenceMs = 6_000 } = request
  try {
    const database = await realDatabase(request.database)
    await mkdir(dirname(database), { recursive: true, mode: 0o700 })
    const self = await ownIdentity()
    const victory = await winElection({ database, self, role, socket, waitMs, silenceMs, now, random })
    const held = new HeldOwnership(database, victory, { now, heartbeatMs, onLost })
    try {
      await held.checkFiles()
      await clearRemains(database, { socket, waitMs })
    } catch (error) {
      await held.abandon()
      throw error
    }
    return held
  } catch (error) {
    throw toFileError(error, request.database)
  }
}

class HeldOwnership implements Ownership {
  #record: OwnerRecord
  readonly #former: OwnerRecord | undefined
  #held = true
  warning: string | undefined
  #timer: NodeJS.Timeout
  /** Beats, announcements and the release change one file, so they go one after the other. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    readonly database: string,
    { record, former }: Victory,
    private readonly heart: Pick<OwnershipRequest, 'now' | 'onLost'> & { heartbeatMs: number },
  ) {
    this.#record = record
    this.#former = former
    this.#timer = setInterval(() => void this.#inTurn(() => this.#beat()), heart.heartbeatMs).unref()
  }

  get record(): OwnerRecord {
    return this.#record
  }

  announce({ address }: { address: string }): Promise<void> {
    return this.#inTurn(() => this.#write({ ...this.#record, address }))
  }

  noteFiles(): Promise<void> {
    return this.#inTurn(async () => {
      const { lost: _, ...record } = this.#record
      await this.#write({ ...record, files: await findFileIds(this.database) })
    })
  }

  noteLoss(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#held) return
      clearInterval(this.#timer)
      try {
        if (!this.#isOurs(await sightOwner(this.database))) return
        await this.#write({ ...this.#record, lost: await findFileIds(this.database) })
      } finally {
        this.#held = false
      }
    })
  }

  /** @throws AppError `conflict/ledger_remains` */
  async checkFiles(): Promise<void> {
    this.warning = await checkFoundFiles(this.database, this.#former)
  }

  release(): Promise<void> {
    return this.#let(async () => {
      await lowerGuard(this.database)
      if (this.#record.socket !== undefined) await removeSocket(this.#record.socket)
    })
  }

  /**
   * Lets go of a ledger that could not be made fit. What is in the way stays, and the guard goes if it was ours. What the
   * former owner wrote down is there for the next one.
   */
  abandon(): Promise<void> {
    const former = this.#former?.files || this.#former?.lost ? this.#former : undefined
    return this.#let(() => lowerGuard(this.database), former)
  }

  #let(clean: () => Promise<void>, former?: OwnerRecord): Promise<void> {
    return this.#inTurn(async () => {
      clearInterval(this.#timer)
      if (!this.#held) return
      this.#held = false
      try {
        // Never what another owner has put there: guard, socket and record then belong to it.
        if (!this.#isOurs(await sightOwner(this.database))) return
        try {
          await clean()
        } finally {
          if (former) await writeOwner(this.database, former)
          else await rm(ownerFile(this.database), { force: true })
        }
      } catch (error) {
        throw toFileError(error, this.database)
      }
    })
  }

  async #write(record: OwnerRecord): Promise<void> {
    if (!this.#held || !this.#isOurs(await sightOwner(this.database))) {
      throw new AppError('unavailable', 'ledger_lost', `This process no longer owns the database ${this.database}.`)
    }
    this.#record = record
    await writeOwner(this.database, record)
  }

  async #beat(): Promise<void> {
    if (!this.#held) return
    const sighting = await this.#look()
    if (sighting === 'unreadable') return
    if (!this.#isOurs(sighting)) {
      this.#held = false
      clearInterval(this.#timer)
      // On its own, so that what it throws is seen and not kept in the chain of turns.
      setImmediate(() => this.heart.onLost(sighting?.record))
      return
    }
    await this.#touch()
  }

  /** A disk in trouble says nothing about who owns the ledger: the next beat looks again. */
  async #look(): Promise<OwnerSighting | undefined | 'unreadable'> {
    try {
      return await sightOwner(this.database)
    } catch {
      return 'unreadable'
    }
  }

  /** A disk that refuses this refuses everybody else's claim too; a file that is gone is noticed by the next look. */
  async #touch(): Promise<void> {
    const seconds = this.heart.now() / 1_000
    try {
      await utimes(ownerFile(this.database), seconds, seconds)
    } catch {
      return
    }
  }

  #isOurs(sighting: OwnerSighting | undefined): boolean {
    return sighting?.record?.nonce === this.#record.nonce
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }
}
