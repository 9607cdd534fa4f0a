import { rm, utimes } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '../../../model/app-error.js'
import { makeFolder } from '../../../model/files/make-folder.js'
import { SerialQueue } from '../../../model/serial-queue.js'
import { toFileError } from '../files/file-error.js'
import { realDatabase } from './database-path.js'
import { type Victory, winElection } from './election.js'
import { checkFoundFiles, findFileIds } from './found-files.js'
import { removeGuard } from './native-guard.js'
import {
  type OwnerRecord,
  type OwnerRole,
  type OwnerState,
  ownerFile,
  readOwnerState,
  writeOwner,
} from './owner-record.js'
import { ownIdentity } from './process-identity.js'
import { clearStaleFiles, removeSocket } from './stale-files.js'

export interface OwnershipRequest {
  /** Any spelling of the path. A missing folder is created (mode 0700). */
  database: string
  role: OwnerRole
  /** Where this process will listen for local callers (`socketPath`). */
  socket?: string
  /** How long to wait, in milliseconds, for a `command` that owns the ledger, or for another program that has it open. */
  waitMs: number
  /** Epoch milliseconds. */
  now: () => number
  /** Uniform from 0 to 1: rivals wait for different times. */
  random: () => number
  /**
   * This process no longer owns the ledger: the owner file was removed or replaced, or another process assumed that this
   * one was dead while it was stopped. Called once; from then on the database must not be written, and the process should
   * end.
   */
  onLost: (successor: OwnerRecord | undefined) => void
  /** Default 2,000. */
  heartbeatMs?: number
  /** Default 6,000; at least three heartbeats. */
  silenceMs?: number
}

/** The lock of a ledger: this process alone may open the database, until `release`. */
export interface Ownership {
  /** Real path of the database. It has to be opened by this path, so that its WAL is next to the owner file. */
  readonly database: string
  readonly record: OwnerRecord
  /**
   * A warning for the operator: files that seem to be missing after the last owner ended without releasing the ledger.
   */
  readonly warning: string | undefined
  /** The last owner ended without releasing the ledger. */
  readonly isTakeover: boolean
  /** Records which files are open, for the next owner to compare with. @throws AppError `unavailable/ledger_lost` */
  noteFiles(): Promise<void>
  /**
   * Records that the files on the disk are no longer those that are open. This process keeps the ledger until it ends and
   * releases nothing; the next owner refuses the files that it finds.
   */
  noteLoss(): Promise<void>
  /** Records the address of the server, for the messages of other processes. @throws AppError `unavailable/ledger_lost` */
  announce(details: { address: string }): Promise<void>
  /**
   * Call it when the database and the socket are closed. A second call does nothing.
   *
   * @throws AppError `configuration/…` if the folder cannot be written; the next owner then clears the stale files
   */
  release(): Promise<void>
}

/**
 * Makes this process the only owner of a ledger, and prepares its folder for opening the database: it removes stale locks
 * and raises the guard against ordinary SQLite programs. If a `server` owns the ledger, this throws immediately; it waits
 * for a `command`.
 *
 * Until the release, the times of the owner file change every `heartbeatMs`: they show other containers and machines
 * that the owner lives. This needs the event loop of this thread: work that blocks it for seconds belongs in a worker.
 *
 * @throws AppError `conflict/ledger_owned`, `conflict/ledger_in_use`, `conflict/ledger_journal_stale`,
 *   `unavailable/ledger_contended`, `configuration/…` for a folder that cannot be written or holds foreign files
 *
 * Source: docs/decisions/0004; `election.ts` contains the proof that there are never two owners.
 */
export async function acquireOwnership(request: OwnershipRequest): Promise<Ownership> {
  const { role, socket, waitMs, now, random, onLost, heartbeatMs = 2_000, silenceMs = 6_000 } = request
  try {
    const database = await realDatabase(request.database)
    await makeFolder(dirname(database))
    const self = await ownIdentity()
    const victory = await winElection({ database, self, role, socket, waitMs, silenceMs, now, random })
    const held = new HeldOwnership(database, victory, { now, heartbeatMs, onLost })
    try {
      await held.checkFiles()
      await clearStaleFiles(database, { socket, waitMs })
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
  /** Heartbeats, announcements and the release change one file, so they take turns. */
  readonly #queue = new SerialQueue()

  constructor(
    readonly database: string,
    { record, former }: Victory,
    private readonly options: Pick<OwnershipRequest, 'now' | 'onLost'> & { heartbeatMs: number },
  ) {
    this.#record = record
    this.#former = former
    this.#timer = setInterval(() => void this.#queue.run(() => this.#beat()), options.heartbeatMs).unref()
  }

  get isTakeover(): boolean {
    return this.#former !== undefined
  }

  get record(): OwnerRecord {
    return this.#record
  }

  announce({ address }: { address: string }): Promise<void> {
    return this.#queue.run(() => this.#write({ ...this.#record, address }))
  }

  noteFiles(): Promise<void> {
    return this.#queue.run(async () => {
      const { lost: _, ...record } = this.#record
      await this.#write({ ...record, files: await findFileIds(this.database) })
    })
  }

  noteLoss(): Promise<void> {
    return this.#queue.run(async () => {
      if (!this.#held) return
      clearInterval(this.#timer)
      try {
        if (!this.#isOurs(await readOwnerState(this.database))) return
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
    return this.#release(async () => {
      await removeGuard(this.database)
      if (this.#record.socket !== undefined) await removeSocket(this.#record.socket)
    })
  }

  /**
   * Releases a ledger whose folder could not be prepared. The files that prevent it stay; the guard goes, if this process
   * raised it. The record of the former owner stays for the next one.
   */
  abandon(): Promise<void> {
    const former = this.#former?.files || this.#former?.lost ? this.#former : undefined
    return this.#release(() => removeGuard(this.database), former)
  }

  #release(clean: () => Promise<void>, former?: OwnerRecord): Promise<void> {
    return this.#queue.run(async () => {
      clearInterval(this.#timer)
      if (!this.#held) return
      this.#held = false
      try {
        // Not if another process owns the ledger by now: guard, socket and record then belong to it.
        if (!this.#isOurs(await readOwnerState(this.database))) return
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
    if (!this.#held || !this.#isOurs(await readOwnerState(this.database))) {
      throw new AppError('unavailable', 'ledger_lost', `This process no longer owns the database ${this.database}.`)
    }
    this.#record = record
    await writeOwner(this.database, record)
  }

  async #beat(): Promise<void> {
    if (!this.#held) return
    const ownerState = await this.#readOwner()
    if (ownerState === 'unreadable') return
    if (!this.#isOurs(ownerState)) {
      this.#held = false
      clearInterval(this.#timer)
      // In a separate turn, so that an error of the callback is not caught here.
      setImmediate(() => this.options.onLost(ownerState?.record))
      return
    }
    await this.#touch()
  }

  /** A failing disk proves nothing about the owner: the next heartbeat tries again. */
  async #readOwner(): Promise<OwnerState | undefined | 'unreadable'> {
    try {
      return await readOwnerState(this.database)
    } catch {
      return 'unreadable'
    }
  }

  /** A disk that refuses this also refuses the claims of other processes. The next heartbeat notices a missing file. */
  async #touch(): Promise<void> {
    const seconds = this.options.now() / 1_000
    try {
      await utimes(ownerFile(this.database), seconds, seconds)
    } catch {
      return
    }
  }

  #isOurs(ownerState: OwnerState | undefined): boolean {
    return ownerState?.record?.nonce === this.#record.nonce
  }
}
