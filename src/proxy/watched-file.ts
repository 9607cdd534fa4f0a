import { coalesceCalls } from '../model/coalesce-calls.js'
import { type FileState, fileState, isUnchanged } from '../model/files/file-state.js'
import { readRegularFile } from '../model/files/regular-file.js'

export type FileContent<Value> =
  | { kind: 'read'; value: Value; isOpenToOthers: boolean }
  | { kind: 'missing' }
  /** `reason` ends a sentence that begins with the file. */
  | { kind: 'unusable'; reason: string }

export interface WatchedFileParts<Value> {
  path: string
  maxBytes: number
  read: (text: string) => Value
  /** Wall clock, in epoch milliseconds. */
  nowMs: () => number
}

/** How old the result of a check may be while many requests need one. */
const REUSE_MS = 10

const REASONS = new Map([
  ['EACCES', 'may not be read by this user'],
  ['EPERM', 'may not be read by this user'],
  ['EISDIR', 'is not a file'],
  ['NOT_A_FILE', 'is not a file'],
])

/** A small file that people edit: each check costs one `stat`, and the content is read again after a change. */
export class WatchedFile<Value> {
  #seen: { state: FileState; content: FileContent<Value>; readAtMs: number } | undefined

  constructor(private readonly parts: WatchedFileParts<Value>) {}

  /** Calls at the same time share one check. */
  readonly current: () => Promise<FileContent<Value>> = coalesceCalls(() => this.#check(), REUSE_MS)

  async #check(): Promise<FileContent<Value>> {
    const { path, maxBytes, nowMs } = this.parts
    const state = await fileState(path)
    try {
      if (!this.#seen || !isUnchanged(this.#seen.state, state, this.#seen.readAtMs)) {
        this.#seen = { state, content: this.#read(state), readAtMs: nowMs() }
      }
      return this.#seen.content
    } catch (error) {
      this.#seen = undefined
      return toContent(error, maxBytes)
    }
  }

  #read({ isOpenToOthers = false }: FileState): FileContent<Value> {
    const { path, maxBytes, read } = this.parts
    const text = readRegularFile(path, maxBytes)
    if (text.includes('\ufffd')) return { kind: 'unusable', reason: 'is not UTF-8' }
    return { kind: 'read', value: read(text), isOpenToOthers }
  }
}

function toContent(error: unknown, maxBytes: number): FileContent<never> {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') throw error
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return { kind: 'missing' }
  if (error.code === 'TOO_LARGE') return { kind: 'unusable', reason: `is larger than ${maxBytes / 1024} KiB` }
  return { kind: 'unusable', reason: REASONS.get(error.code) ?? `cannot be read (${error.code})` }
}
