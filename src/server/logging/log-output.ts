/** Bytes that are kept while nothing can be written; further lines are lost, and counted. */
export const MAX_PENDING_BYTES = 1024 * 1024
/** How long after a failure it is tried again, where no further line comes before. */
const RETRY_MS = 1_000

export interface LogOutputParts {
  /** Writes some of the bytes. @returns how many @throws while there is no room, or nothing reads the pipe */
  write: (bytes: Uint8Array) => number
  /** The line that says how many lines are missing in its place. */
  lostLine: (count: number) => string
  /** Calls back later, which keeps no process alive. */
  later?: (retry: () => void, milliseconds: number) => void
}

/**
 * Writes lines as they come, and never throws: a log on a full disk or a pipe that nothing reads must not stop a server.
 * Until it can be written again the first MiB is kept, and one line stands for all that were lost.
 */
export class LogOutput {
  readonly #pending: Uint8Array[] = []
  #pendingBytes = 0
  #lost = 0
  #isRetrying = false

  constructor(private readonly parts: LogOutputParts) {}

  /** @param line with its line break */
  write(line: string): void {
    const bytes = Buffer.from(line)
    this.#flush()
    const isBehind = this.#pending.length > 0
    if (isBehind && this.#pendingBytes + bytes.length > MAX_PENDING_BYTES) {
      this.#lost += 1
      return
    }
    this.#keepLostLine()
    this.#keep(bytes)
    if (!isBehind) this.#flush()
  }

  #keep(bytes: Uint8Array): void {
    this.#pending.push(bytes)
    this.#pendingBytes += bytes.length
  }

  #keepLostLine(): void {
    if (this.#lost === 0) return
    this.#keep(Buffer.from(this.parts.lostLine(this.#lost)))
    this.#lost = 0
  }

  #flush(): void {
    try {
      for (let bytes = this.#pending[0]; bytes; bytes = this.#pending[0]) {
        const written = this.parts.write(bytes)
        this.#pendingBytes -= written
        if (written < bytes.length) this.#pending[0] = bytes.subarray(written)
        else this.#pending.shift()
        if (this.#pending.length === 0) this.#keepLostLine()
      }
    } catch {
      // The disk is full, the pipe is closed, or its reader is behind: there is no place left to report it.
      this.#retryLater()
    }
  }

  #retryLater(): void {
    if (this.#isRetrying) return
    this.#isRetrying = true
    const { later = unhurried } = this.parts
    later(() => {
      this.#isRetrying = false
      this.#flush()
    }, RETRY_MS)
  }
}

function unhurried(retry: () => void, milliseconds: number): void {
  setTimeout(retry, milliseconds).unref()
}
