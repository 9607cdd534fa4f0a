import { constants } from 'node:fs'
import { access, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Finding, failing, ok, warning } from '../../model/diagnosis.js'
import { isErrno } from '../../store/sqlite/files/file-system.js'

/** A file or a folder that a server uses. */
export interface UsedPath {
  path: string
  kind: 'folder' | 'file'
}

const { R_OK, W_OK, X_OK } = constants
const OTHERS = 0o077
/** Files that repairs, upgrades and restores leave next to a database. */
const KEPT = /^\.(?:rescued|replaced|corrupt)-/u

/**
 * Whether this user may use the paths, and no other user may.
 *
 * @param user the effective user id; undefined on systems without user ids
 */
export async function checkFileRights(paths: readonly UsedPath[], user: number | undefined): Promise<Finding[]> {
  const findings: Finding[] = []
  let fine = 0
  for (const used of paths) {
    const found = await rightsOf(used, user)
    if (found === 'fine') fine += 1
    else if (found) findings.push(found)
  }
  const summary =
    fine === 0
      ? 'There are no files yet: `daybook serve` creates them.'
      : `This user may use ${fine} files and folders, and no other user may.`
  return findings.length > 0 ? findings : [ok(summary)]
}

/** @returns undefined if there is nothing at the path yet */
async function rightsOf({ path, kind }: UsedPath, user: number | undefined): Promise<Finding | 'fine' | undefined> {
  try {
    const stats = await stat(path)
    if (kind === 'folder' ? !stats.isDirectory() : !stats.isFile()) {
      return failing('configuration', `${path} is not a ${kind}.`, 'Move it away, or choose another path.')
    }
    await access(path, kind === 'folder' ? R_OK | W_OK | X_OK : R_OK | W_OK)
    if (user !== undefined && stats.uid !== user) {
      const detail = `${path} belongs to user ${stats.uid}, and this is user ${user}.`
      return warning(detail, `Run the server and all commands as one user: \`sudo -u '#${stats.uid}' daybook doctor\`.`)
    }
    if ((stats.mode & OTHERS) !== 0) {
      const mode = kind === 'folder' ? '700' : '600'
      return warning(`Other users may use ${path}.`, `Run \`chmod ${mode} ${path}\`.`)
    }
    return 'fine'
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    if (!isErrno(error, 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ELOOP')) throw error
    const detail = isErrno(error, 'EROFS')
      ? `${path} is on a file system that is mounted read-only.`
      : isErrno(error, 'EACCES', 'EPERM')
        ? `This user may not read and write ${path}.`
        : `${path} cannot be reached: part of the path is not a folder.`
    return failing('configuration', detail, 'Run this as the user of the server, or give this user the rights.')
  }
}

/** Files of earlier accidents and restores, which nothing removes. */
export async function findKeptFiles(databases: readonly string[]): Promise<Finding[]> {
  const kept: string[] = []
  for (const database of databases) {
    const names = await readdir(dirname(database)).catch(nothing)
    for (const name of names) {
      const isKept = name.startsWith(basename(database)) && KEPT.test(name.slice(basename(database).length))
      if (isKept) kept.push(join(dirname(database), name))
    }
  }
  if (kept.length === 0) return []
  return [
    warning(`An earlier repair or restore has left ${kept.join(', ')}.`, 'Delete them when you do not need them.'),
  ]
}

/** A folder that cannot be read is reported with its rights. */
function nothing(error: unknown): string[] {
  if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP')) return []
  throw error
}
