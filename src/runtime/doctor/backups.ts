import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Finding, ok, warning } from '../../model/diagnosis.js'
import type { BackupSettings } from '../../settings/ledger-settings.js'
import { isErrno } from '../../store/sqlite/files/file-system.js'

/** Not `.part.db`, the copy of a backup that is in progress or was interrupted. */
const NAME = /^ledger-.*(?<!\.part)\.db(?:\.gz)?$/u
const MINUTE_MS = 60_000

/**
 * Whether the newest backup is as new as it should be.
 *
 * @param now epoch milliseconds
 */
export async function checkBackups(settings: BackupSettings | undefined, now: number): Promise<Finding[]> {
  if (!settings) {
    const advice = 'Set EVENT_BACKUP_DIR, on another disk, or run `daybook ledger backup` from a timer.'
    return [warning('The server makes no backups.', advice)]
  }
  const { folder, everyMs } = settings
  const newest = await newestIn(folder)
  if (newest === undefined) return [warning(`There is no backup in ${folder} yet.`, 'A running server makes one.')]
  const minutes = Math.round((now - newest.at) / MINUTE_MS)
  const detail = `The newest backup is ${newest.path}, ${minutes} minutes old.`
  if (now - newest.at <= 2 * everyMs) return [ok(detail)]
  return [warning(detail, 'Look for "the backup failed" in the log of the server.')]
}

async function newestIn(folder: string): Promise<{ path: string; at: number } | undefined> {
  let newest: { path: string; at: number } | undefined
  for (const name of await namesIn(folder)) {
    if (!NAME.test(name)) continue
    const path = join(folder, name)
    const { mtimeMs: at, size } = await stat(path)
    if (size === 0) continue // the final name of such a backup
    if (newest === undefined || at > newest.at) newest = { path, at }
  }
  return newest
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
}
