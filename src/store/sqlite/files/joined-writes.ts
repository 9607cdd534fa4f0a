import fs from 'node:fs'

/** The functions of `node:fs` that the driver calls. It shares the module with this program. */
export interface FileCalls {
  writeSync(fd: number, buffer: Uint8Array, offset: number, length: number, position: number): number
  readSync(fd: number, buffer: Uint8Array, offset: number, length: number, position: number): number
  fsyncSync(fd: number): void
  fstatSync(fd: number): { size: number }
  ftruncateSync(fd: number, length: number): void
  closeSync(fd: number): void
}

const BUFFER_BYTES = 1024 * 1024
/**
 * SQLite syncs a commit at the end of a sector of the disk, maybe in the middle of a page (walWriteToLog in SQLite's
 * wal.c). Then it writes the rest of the page and of its header without a sync, so these writes must not be held back.
 */
const WRITTEN_AFTER_SYNC = 2

/**
 * Joins the writes of SQLite. SQLite writes a commit in pieces, two for each page of the WAL: a header of 24 bytes, and
 * the page. Each would be a system call, and the calls of a large commit take as long as SQLite itself. So while
 * `during` runs, consecutive writes to a file are held back until another operation on the file, and then become one
 * write.
 *
 * The work has to sync each file that it writes before it relies on it, as a commit with `synchronous = FULL` and a WAL
 * checkpoint do. A write that the disk refuses then fails there, as fsync itself would, so nothing is acknowledged that
 * is not on the disk.
 */
export class JoinedWrites {
  readonly #bytes = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  #fd = -1
  #position = 0
  #length = 0
  #isJoining = false
  /** Number of the next writes to a file that must not be held back. */
  readonly #unbuffered = new Map<number, number>()

  constructor(private readonly files: FileCalls) {}

  /** The functions that replace those of `files` for the driver. */
  get calls(): FileCalls {
    const { readSync, fsyncSync, fstatSync, ftruncateSync, closeSync } = this.files
    return {
      writeSync: (...write) => this.#write(write),
      readSync: this.#after(readSync),
      fsyncSync: this.#after(fd => {
        this.#unbuffered.set(fd, WRITTEN_AFTER_SYNC)
        fsyncSync(fd)
      }),
      fstatSync: this.#after(fstatSync),
      ftruncateSync: this.#after(ftruncateSync),
      closeSync: this.#after(closeSync),
    }
  }

  during<Result>(work: () => Result): Result {
    this.#isJoining = true
    this.#unbuffered.clear()
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
    const unbuffered = this.#unbuffered.get(fd) ?? 0
    if (unbuffered > 0) this.#unbuffered.set(fd, unbuffered - 1)
    const mayWait = this.#isJoining && unbuffered === 0 && typeof position === 'number' && length <= BUFFER_BYTES
    const follows = fd === this.#fd && position === this.#position + this.#length
    if (!mayWait || !follows || this.#length + length > BUFFER_BYTES) this.#flush()
    if (!mayWait) return this.files.writeSync(...write)
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
      if (args[0] === this.#fd) this.#flush()
      return call(...args)
    }
  }

  /** Only an aborted WAL checkpoint leaves writes behind. It starts again later; the commit before it succeeded. */
  #writeRest(): void {
    try {
      this.#flush()
    } catch {
      // The disk refused it, and nothing relies on it.
    }
  }

  /** A write that fails is discarded: SQLite rolls back its transaction. */
  #flush(): void {
    const length = this.#length
    this.#length = 0
    for (let written = 0; written < length; ) {
      const position = this.#position + written
      const taken = this.files.writeSync(this.#fd, this.#bytes, written, length - written, position)
      if (taken === 0) throw new Error('The disk wrote no byte of a write.')
      written += taken
    }
  }
}

let joined: JoinedWrites | undefined

/** Replaces the functions of `node:fs` in this thread, so that `joiningWrites` joins the writes of the driver. */
export function joinWrites(): void {
  joined = new JoinedWrites({ ...fs })
  Object.assign(fs, joined.calls)
}

/** @see JoinedWrites.during */
export function joiningWrites<Result>(work: () => Result): Result {
  return joined ? joined.during(work) : work()
}
