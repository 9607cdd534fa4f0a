import { lstat, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { AppError } from '../../../model/app-error.js'
import { toFileError } from '../files/file-error.js'
import { ifPresent } from '../files/file-system.js'

const MAX_LINKS = 40

/**
 * The real path of a ledger: absolute, with all symbolic links followed, even if the file or its folder does not exist
 * yet. All spellings of a path must lead to one owner file, one socket and one WAL.
 *
 * @throws AppError `configuration/ledger_path_loop` for links that lead in a circle, `configuration/ledger_path_taken`
 *   for a folder, or another thing that can never be a database; as `toFileError`
 */
export async function realDatabase(path: string): Promise<string> {
  try {
    const real = await follow(resolve(path), 0)
    if ((await ifPresent(stat(real)))?.isFile() !== false) return real
  } catch (error) {
    throw toFileError(error, path)
  }
  throw new AppError('configuration', 'ledger_path_taken', `${path} is not a file.`, {
    hint: 'Give the path of a ledger file, or of a new file.',
  })
}

async function follow(path: string, links: number): Promise<string> {
  if (links > MAX_LINKS) throw loop(path)
  try {
    return await realpath(path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ELOOP') throw loop(path)
    if (code !== 'ENOENT' || dirname(path) === path) throw error
  }
  const target = await danglingTarget(path)
  if (target !== undefined) return follow(resolve(dirname(path), target), links + 1)
  return join(await follow(dirname(path), links), basename(path))
}

/** The target of a link if it does not exist: SQLite would create the database there. */
async function danglingTarget(path: string): Promise<string | undefined> {
  const isLink = (await ifPresent(lstat(path)))?.isSymbolicLink()
  return isLink ? ifPresent(readlink(path)) : undefined
}

function loop(path: string): AppError {
  return new AppError('configuration', 'ledger_path_loop', `The symbolic links of ${path} form a loop.`, {
    hint: 'Give the path of the file itself.',
  })
}
