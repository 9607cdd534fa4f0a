import { AppError, type FieldProblem } from '../../model/app-error.js'
import type { BoardSecrets } from '../../model/board/board-secrets.js'
import { coalesceCalls } from '../../model/coalesce-calls.js'
import { type FileState, fileState, fileStateNow, isUnchanged } from '../../model/files/file-state.js'
import { SettingReader } from '../reading/setting-reader.js'
import type { SettingSources } from '../reading/setting-sources.js'
import { readBoardSecrets } from './secrets.js'

interface SecretsWatch {
  /** Milliseconds of Unix time. */
  now: () => number
  /** Called once for secrets that cannot be used, and again after changes. Never receives a secret. */
  report: (problems: readonly FieldProblem[]) => void
}

interface Known {
  secrets: BoardSecrets
  /** State of each file before it was read. */
  files: ReadonlyMap<string, FileState>
  readAtMs: number
}

/**
 * Returns the current secrets of the board at each call, so that a changed secret applies from the next request on.
 * Each call checks the shared environment and every file of a secret, and reads them if they have changed. As always, a
 * variable of the process takes precedence over the shared environment.
 *
 * A secret that can no longer be read is absent. The caller must not treat that as "not configured".
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
    // The state before the read, so that the next call notices a write during the read.
    const note = (path: string) => files.set(path, fileStateNow(path))
    const reader = new SettingReader({
      ...sources,
      kindOfPath: path => {
        note(path)
        return sources.kindOfPath(path)
      },
      readTextFile: path => {
        note(path)
        return sources.readTextFile(path)
      },
    })
    const secrets = readBoardSecrets(reader)
    known = { secrets, files, readAtMs }
    const problems = problemsOf(reader)
    const current = JSON.stringify(problems)
    if (current !== reported && problems.length > 0) report(problems)
    reported = current
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
