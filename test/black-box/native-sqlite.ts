import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Output of the `sqlite3` program. */
interface NativeAnswer {
  /** Its exit code was 0. */
  ok: boolean
  out: string
  err: string
}

/** Runs SQL like an operator who inspects the ledger with `sqlite3`. */
export async function native(database: string, sql: string, flags: readonly string[] = []): Promise<NativeAnswer> {
  try {
    const args = ['-batch', '-bail', ...flags, database, sql]
    const { stdout, stderr } = await promisify(execFile)('sqlite3', args, { maxBuffer: 256 * 1024 * 1024 })
    return { ok: true, out: stdout.trim(), err: stderr.trim() }
  } catch (error) {
    const { stdout, stderr, killed } = error as { stdout?: string; stderr?: string; killed?: boolean }
    if (stdout === undefined || killed) throw error
    return { ok: false, out: stdout.trim(), err: (stderr ?? '').trim() }
  }
}
