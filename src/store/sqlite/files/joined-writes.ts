import fs from 'node:fs'

/** What the driver calls, by these names, on the module that it shares with us. */
export interface FileCalls {
  writeSync(fd: number, buffer: Uint8Array, offset: number, length: number, position: number): number
  readSync(fd: number, buffer: Uint8Array, offset: number, length: number, position: number): number
  fsyncSync(fd: number): void
  fstatSync(fd: number): { size: number }
  ftruncateSync(fd: number, length: number): void
  closeSync(fd: number): void
}

const KEPT_BYTES = 1024 * 1024
/**
 * A commit is synced where a sector of the disk is full, maybe in the middle of a page (walWriteToLog in SQLite's wal.c).
 * The rest, of the page's head and of the page, is written then, and not synced: so it must not be kept.
 */
const WRITTEN_AFTER_SYNC = 2

/**
 * Writes of SQLite, joined. It hands a commit over in pieces, two for every page of the journal: a head of 24 bytes, and
 * the page. Each would be a call of the system, and of a large commit those take as long as SQLite itself. So while
 * `during` runs, writes that follow each other in a file are kept until something else is asked of it, and then go as
 * one.
 *
 * What runs there has to sync each file that it writes before it counts on it, as a commit does with
 * `synchronous = FULL`, and a checkpoint: that is where a write that the disk refuses shows, just as fsync's own failure
 * would. So nothing is answered that is not on the disk.
 */
export class JoinedWrites {
  readonly #bytes = Buffer.allocUnsafeSlow(KEPT_BYTES)
  #fd = -1
  #position = 0
  #length = 0
  #isJoining = false
  /** How many writes to a file are not to be kept. */
  readonly #atOnce = new Map<number, number>()

  constructor(private readonly files: FileCalls) {}

  /** Instead of those of `files`, for the driver's use of them. */
  get calls(): FileCalls {
    const { readSync, fsyncSync, fstatSync, ftruncateSync, closeSync } = this.files
    return {
      writeSync: (...write) => this.#write(write),
      readSync: this.#after(readSync),
      fsyncSync: this.#after(fd => {
        this.#atOnce.set(fd, WRITTEN_AFTER_SYNC)
        fsyncSync(fd)
      }),
      fstatSync: this.#after(fstatSync),
      ftruncateSync: this.#after(ftruncateSync),
      closeSync: this.#after(closeSync),
    }
  }

  during<Result>(work: () => Result): Result {
    this.#isJoining = true
    this.#atOnce.clear()
    try {
      const result = work()
      this.#writeRest()
      return result
    } finally {
      this.#isJoining = false
      this.#length = 0 // of a transaction that failed
    }
  }

  #write(write: Parameters<FileCalls['writeSync']>): number {
    const [fd, buffer, offset, length, position] = write
    const atOnce = this.#atOnce.get(fd) ?? 0
    if (atOnce > 0) this.#atOnce.set(fd, atOnce - 1)
    const mayBeKept = this.#isJoining && atOnce === 0 && typeof position === 'number' && length <= KEPT_BYTES
    const follows = fd === this.#fd && position === this.#position + this.#length
    if (!mayBeKept || !follows || this.#length + length > KEPT_BYTES) this.#writeKept()
    if (!mayBeKept) return this.files.writeSync(...write)
    if (this.#length === 0) {
      this.#fd = fd
      this.#position = position
    }
    this.#bytes.set(buffer.subarray(offset, offset + length), this.#length)
    this.#length += length
    return length
  }

  #after<Call extends [fd: number, ...unknown[]], Result>(call: (...args: Call) => Result) {
    return (...args: Call): Result => {
      if (args[0] === this.#fd) this.#writeKept()
      return call(...args)
    }
  }

  /** Only a checkpoint that broke off leaves anything, and it is begun anew; the commit that began it stands. */
  #writeRest(): void {
    try {
      this.#writeKept()
    } catch {
      // The disk refused it, and nobody counts on it.
    }
  }

  /** What could not be written is forgotten: SQLite takes back the transaction that it belongs to. */
  #writeKept(): void {
    const length = this.#length
    this.#length = 0
    for (let written = 0; written < length; ) {
      const position = this.#position + written
      const taken = this.files.writeSync(this.#fd, this.#bytes, written, length - written, position)
      if (taken === 0) throw new Error('The disk took nothing of a write.')
      written += taken
    }
  }
}

let joined: JoinedWrites | undefined

/** Lets the driver's writes in this thread be joined, wherever `joiningWrites` says so. */
export function joinWrites(): void {
  joined = new JoinedWrites({ ...fs })
  Object.assign(fs, joined.calls)
}

/** @see JoinedWrites.during */
export function joiningWrites<Result>(work: () => Result): Result {
  return joined ? joined.during(work) : work()
}
