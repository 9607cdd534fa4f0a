import { createHash } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '../../model/app-error.js'
import { fileState } from '../../model/files/file-state.js'
import { makeFolder } from '../../model/files/make-folder.js'
import { findTimestamp } from '../../model/timestamp.js'

/** The ledger and place to which progress belongs. */
interface HistoryIdentity {
  /** Epoch of the ledger. */
  epoch: string
  source: string
  baseUrl: string
  target: string
  since: string
}

/** How far a list was read: where it continues, or that it has been read to its end. */
export type StreamProgress = { position: string } | { isDone: true }

/** Progress by list. */
export interface ListProgress {
  /** @returns undefined for a list that was not begun */
  of(stream: string): StreamProgress | undefined
  save(stream: string, progress: StreamProgress): Promise<void>
}

/** Largest file that is read. */
const MAX_BYTES = 64 * 1024

/**
 * Stores in a small file how far the lists of a place were read, so that an interrupted run continues. The file is
 * written after the events were recorded; the ledger recognises events that are read twice.
 */
export class HistoryCheckpoint implements ListProgress {
  readonly #streams = new Map<string, StreamProgress>()
  #begunAt: string | undefined
  /** State of the file when this run last read or wrote it. */
  #stamp = ''

  private constructor(
    private readonly path: string,
    private readonly identity: HistoryIdentity,
  ) {}

  /**
   * Progress with an earlier first instant counts too, because it covers all wanted events. So `--since 30d` continues.
   *
   * @param home of the program
   */
  static async open(home: string, identity: HistoryIdentity): Promise<HistoryCheckpoint> {
    const { since: _, ...place } = identity
    const name = createHash('sha256').update(JSON.stringify(place)).digest('hex').slice(0, 32)
    const checkpoint = new HistoryCheckpoint(join(home, 'event', 'history', `${name}.json`), identity)
    await checkpoint.#read()
    return checkpoint
  }

  /**
   * Notes when the lists were first asked, unless an earlier run has. What happened since may be missing in what was read.
   *
   * @param instant RFC 3339 in UTC, six digits, by the platform's clock
   * @returns the instant that counts
   */
  begin(instant: string): string {
    this.#begunAt ??= instant
    return this.#begunAt
  }

  /** Whether an earlier run has left its progress. */
  get isResumed(): boolean {
    return this.#streams.size > 0
  }

  of(stream: string): StreamProgress | undefined {
    return this.#streams.get(stream)
  }

  /**
   * @throws AppError `conflict/history_running` if another run has changed the file: both would record the same events;
   *   `configuration/history_folder_unusable`
   */
  async save(stream: string, progress: StreamProgress): Promise<void> {
    this.#streams.set(stream, progress)
    const folder = dirname(this.path)
    await makeFolder(folder).catch((cause: NodeJS.ErrnoException) => {
      const message = `The folder ${folder}, for the progress of the history, cannot be created (${cause.code}).`
      const hint = 'Set ARCH_HOME to a folder that this user can write to.'
      throw new AppError('configuration', 'history_folder_unusable', message, { hint, cause })
    })
    if (this.#stamp !== (await fileState(this.path)).stamp) {
      const message = `Another command records the history of ${this.identity.target} too.`
      const hint = 'Let only one run at a time. The same command continues later.'
      throw new AppError('conflict', 'history_running', message, { hint })
    }
    const next = `${this.path}.${process.pid}.new`
    const progressOf = { ...this.identity, begunAt: this.#begunAt, streams: Object.fromEntries(this.#streams) }
    try {
      await writeFile(next, JSON.stringify(progressOf), { mode: 0o600 })
      await rename(next, this.path)
    } finally {
      await rm(next, { force: true })
    }
    this.#stamp = (await fileState(this.path)).stamp
  }

  /** Removes the file: the run begins from the start, or has reached the end. */
  async remove(): Promise<void> {
    this.#streams.clear()
    this.#begunAt = undefined
    await rm(this.path, { force: true })
    this.#stamp = (await fileState(this.path)).stamp
  }

  /** A damaged file, or one of a release without `begunAt`, counts as missing: everything is read again. */
  async #read(): Promise<void> {
    this.#stamp = (await fileState(this.path)).stamp
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (text === undefined || text.length > MAX_BYTES) return
    const { since, begunAt, streams } = parseProgress(text)
    if (typeof since !== 'string' || since > this.identity.since) return
    if (typeof streams !== 'object' || streams === null || !findTimestamp(begunAt)) return
    this.#begunAt = String(begunAt)
    for (const [stream, progress] of Object.entries(streams)) {
      if (isProgress(progress)) this.#streams.set(stream, progress)
    }
  }
}

function parseProgress(text: string): { since?: unknown; begunAt?: unknown; streams?: unknown } {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? parsed : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

export function isProgress(value: unknown): value is StreamProgress {
  if (typeof value !== 'object' || value === null) return false
  const position = Reflect.get(value, 'position')
  return Reflect.get(value, 'isDone') === true || typeof position === 'string'
}
