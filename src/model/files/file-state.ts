import { type BigIntStats, stat, statSync } from 'node:fs'

/** Identifies one version of a file. */
export interface FileState {
  /** Differs for every file, content and error. */
  stamp: string
  /** Unix milliseconds by the clock of the file system; absent if there is no file. */
  changedAtMs?: number
  /** Its group or other users may read or change it. */
  isOpenToOthers?: boolean
}

/** Exceeds the resolution of change times on any file system. */
const SETTLED_MS = 2_000

/**
 * The state of a file, without reading it. Includes `ctime`, because a writer can set the time of the content
 * (`mtime`).
 */
export async function fileState(path: string): Promise<FileState> {
  try {
    return toState(await statOf(path))
  } catch (error) {
    return toFailedState(error)
  }
}

/** Not `fs/promises`: its failures take three times as long, and some files are usually absent. */
function statOf(path: string): Promise<BigIntStats> {
  return new Promise((resolve, reject) => {
    stat(path, { bigint: true }, (error, stats) => (error ? reject(error) : resolve(stats)))
  })
}

/** The same, synchronously. Blocks this thread. */
export function fileStateNow(path: string): FileState {
  try {
    return toState(statSync(path, { bigint: true }))
  } catch (error) {
    return toFailedState(error)
  }
}

/**
 * Whether a file is unchanged since it was read at `readAtMs`, in the state `before`. False if it changed just before
 * that read: a later change could then have the same times.
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
