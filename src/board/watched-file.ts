import { readFileSync, type Stats, statSync } from 'node:fs'

/** A file as it was last found. */
export type FileState<Value> =
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

/** A file that changed within this time may change again without its times showing it. */
const UNSETTLED_MS = 1_000

const REASONS = new Map([
  ['EACCES', 'may not be read by this user'],
  ['EPERM', 'may not be read by this user'],
])

/** A small file that people edit: each look costs one `stat`, and what it says is read again once it has changed. */
export class WatchedFile<Value> {
  #seen: { stats: Stats; state: FileState<Value>; isSettled: boolean } | undefined

  constructor(private readonly parts: WatchedFileParts<Value>) {}

  look(): FileState<Value> {
    const { path, nowMs } = this.parts
    try {
      const stats = statSync(path)
      if (!this.#seen?.isSettled || !isSame(this.#seen.stats, stats)) {
        const isSettled = nowMs() - stats.ctimeMs > UNSETTLED_MS
        this.#seen = { stats, state: this.#read(stats), isSettled }
      }
      return this.#seen.state
    } catch (error) {
      this.#seen = undefined
      return toState(error)
    }
  }

  #read(stats: Stats): FileState<Value> {
    const { path, maxBytes, read } = this.parts
    // A pipe would keep us waiting, and a device could be read for ever.
    if (!stats.isFile()) return { kind: 'unusable', reason: 'is not a file' }
    if (stats.size > maxBytes) return { kind: 'unusable', reason: `is larger than ${maxBytes / 1024} KiB` }
    const text = readFileSync(path, 'utf8')
    if (text.includes('\ufffd')) return { kind: 'unusable', reason: 'is not UTF-8' }
    return { kind: 'read', value: read(text), isOpenToOthers: (stats.mode & 0o077) !== 0 }
  }
}

function isSame(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.dev === b.dev
}

function toState(error: unknown): FileState<never> {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') throw error
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return { kind: 'missing' }
  return { kind: 'unusable', reason: REASONS.get(error.code) ?? `cannot be read (${error.code})` }
}
