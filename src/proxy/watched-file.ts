import { coalesceCalls } from '../model/coalesce-calls.js'
import { type FileState, fileState, isUnchanged } from '../model/files/file-state.js'
import { readRegularFile, whyUnreadable } from '../model/files/regular-file.js'

export type FileContent<Value> =
  | { kind: 'read'; value: Value; isOpenToOthers: boolean }
  | { kind: 'missing' }
  /** `reason` ends a sentence that begins with the file. */
  | { kind: 'unusable'; reason: string }

interface WatchedFileParts<Value> {
  path: string
  maxBytes: number
  read: (text: string) => Value
  /** Wall clock, in epoch milliseconds. */
  nowMs: () => number
}

/** How old the result of a check may be while many requests need one. */
const REUSE_MS = 10

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
  const { missing, text } = whyUnreadable(error, `${maxBytes / 1024} KiB`)
  return missing ? { kind: 'missing' } : { kind: 'unusable', reason: text }
}
