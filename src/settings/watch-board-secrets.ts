import { AppError, type FieldProblem } from '../model/app-error.js'
import type { BoardSecrets } from '../model/board/board-secrets.js'
import { coalesceCalls } from '../model/files/coalesce-calls.js'
import { type FileState, fileState, fileStateNow, isUnchanged } from '../model/files/file-state.js'
import { readBoardSecrets } from './board-secrets.js'
import { SettingReader } from './setting-reader.js'
import type { SettingSources } from './setting-sources.js'

export interface SecretsWatch {
  /** Milliseconds of Unix time. */
  now: () => number
  /** Told of what cannot be used, once for as long as it stays the same. Never holds a secret. */
  report: (problems: readonly FieldProblem[]) => void
}

interface Known {
  secrets: BoardSecrets
  /** Of every file that was read, as it was before. */
  files: ReadonlyMap<string, FileState>
  readAtMs: number
}

/**
 * The secrets of the board as they are at each call, so that one that was changed counts from the next request on: the
 * shared environment and every file of a secret are looked at each time, and read when they have changed. A variable of
 * the process goes before the shared environment, as always.
 *
 * A secret that can no longer be read is absent. Whoever asks must not take that for "not configured".
 *
 * Source: Board Access Gate, "Session cookie"; decisions on security, section 3, "key rotation".
 */
export function watchBoardSecrets(sources: SettingSources, { now, report }: SecretsWatch): () => Promise<BoardSecrets> {
  let known: Known | undefined
  let reported = '[]'

  return coalesceCalls(async () => {
    if (known && (await areUnchanged(known))) return known.secrets
    const files = new Map<string, FileState>()
    const readAtMs = now()
    // Before a file is read: what is written meanwhile is noticed the next time.
    const note = (path: string) => files.set(path, fileStateNow(path))
    const reader = new SettingReader({
      ...sources,
      standsAt: path => {
        note(path)
        return sources.standsAt(path)
      },
      readTextFile: path => {
        note(path)
        return sources.readTextFile(path)
      },
    })
    const secrets = readBoardSecrets(reader)
    known = { secrets, files, readAtMs }
    const problems = problemsOf(reader)
    const told = JSON.stringify(problems)
    if (told !== reported && problems.length > 0) report(problems)
    reported = told
    return secrets
  })
}

async function areUnchanged({ files, readAtMs }: Known): Promise<boolean> {
  const looks = [...files].map(async ([path, before]) => isUnchanged(before, await fileState(path), readAtMs))
  return (await Promise.all(looks)).every(Boolean)
}

function problemsOf(reader: SettingReader): readonly FieldProblem[] {
  try {
    reader.finish()
    return []
  } catch (error) {
    if (error instanceof AppError) return error.errors
    throw error
  }
}
