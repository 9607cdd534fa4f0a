import { statSync } from 'node:fs'

/** What tells whether a file is still the same. */
export interface FileState {
  /** Another one for another file, another content or another failure to look. */
  stamp: string
  /** Milliseconds of Unix time, of the wall clock that its file system goes by; absent where there is no file. */
  changedAtMs?: number
}

/**
 * Looks at a file without reading it. Also by the time of its last change of any kind, as the time of its content can
 * be set by whoever writes it.
 */
export function fileState(path: string): FileState {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (!found) return { stamp: 'none' }
    const { dev, ino, size, mtimeNs, ctimeNs, mode } = found
    return {
      stamp: `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs} ${mode}`,
      changedAtMs: Number(ctimeNs / 1_000_000n),
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { stamp: String(error.code) }
    throw error
  }
}
