import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Test } from 'tap'

/**
 * A folder of the test, removed after it. Not a fixture folder of tap: these paths are too long for the ledger's
 * socket beside its database, and other users cannot access them.
 */
export function ownFolder(t: Test): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'daybook-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Names of all files beside a database that belong to it: its WAL, lock, guard, owner file, claims, socket. */
export function filesBeside(database: string): string[] {
  const name = basename(database)
  return readdirSync(dirname(database)).filter(entry => entry.startsWith(name) && entry !== name)
}
