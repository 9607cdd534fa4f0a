import { type BigIntStats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'

/** What tells whether a file is still the same. */
export interface FileState {
  /** Another one for another file, another content or another failure to look. */
  stamp: string
  /** Milliseconds of Unix time, of the wall clock that its file system goes by; absent where there is no file. */
  changedAtMs?: number
  /** Its group or everybody may read or change it. */
  isOpenToOthers?: boolean
}

/** Longer than the steps in which any file system tells the time. */
const SETTLED_MS = 2_000

/**
 * Looks at a file without reading it. Also by the time of its last change of any kind, as the time of its content can
 * be set by its writer.
 */
export async function fileState(path: string): Promise<FileState> {
  try {
    return toState(await stat(path, { bigint: true }))
  } catch (error) {
    return toFailedState(error)
  }
}

/** The same for work that cannot wait; it blocks this thread for as long as the disk takes. */
export function fileStateNow(path: string): FileState {
  try {
    return toState(statSync(path, { bigint: true }))
  } catch (error) {
    return toFailedState(error)
  }
}

/**
 * Whether a file is the one that was read at `readAtMs`, when it was `before`. One that changed just before that could
 * change again without its times showing it.
 */
export function isUnchanged(before: FileState, now: FileState, readAtMs: number): boolean {
  const isSettled = before.changedAtMs === undefined || readAtMs - before.changedAtMs >= SETTLED_MS
  return isSettled && now.stamp === before.stamp
}

function toState({ dev, ino, size, mtimeNs, ctimeNs, mode }: BigIntStats): FileState {
  return {
    stamp: `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs} ${mode}`,
    changedAtMs: Number(ctimeNs / 1_000_000n),
    isOpenToOthers: (mode & 0o077n) !== 0n,
  }
}

function toFailedState(error: unknown): FileState {
  if (error instanceof Error && 'code' in error) return { stamp: String(error.code) }
  throw error
}
