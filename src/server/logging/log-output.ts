/** Bytes that are kept while writing fails. Further lines are lost and counted. */
export const MAX_PENDING_BYTES = 1024 * 1024
/** Time until the next attempt after a failure, unless a line comes earlier. */
const RETRY_MS = 1_000

interface LogOutputParts {
  /** Writes some of the bytes. @returns how many @throws if the disk is full, or nothing reads the pipe */
  write: (bytes: Uint8Array) => number
  /** The line that replaces `count` lost lines. */
  lostLine: (count: number) => string
  /** Calls back later, without keeping the process alive. */
  later?: (retry: () => void, milliseconds: number) => void
}

/**
 * Writes lines immediately and never throws, because a full disk or a pipe without a reader must not stop a server.
 * While writing fails, the first MiB is kept, and one line replaces all lost ones.
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
      // The disk is full, the pipe is closed, or its reader is behind: there is no place to report it.
      this.#retryLater()
    }
  }

  #retryLater(): void {
    if (this.#isRetrying) return
    this.#isRetrying = true
    const { later = callLater } = this.parts
    later(() => {
      this.#isRetrying = false
      this.#flush()
    }, RETRY_MS)
  }
}

function callLater(retry: () => void, milliseconds: number): void {
  setTimeout(retry, milliseconds).unref()
}
