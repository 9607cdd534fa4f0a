import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../model/app-error.js'
import { makeFolderNow } from '../../model/files/make-folder.js'
import type { ProfilesFile } from '../../settings/profiles.js'

/**
 * Writes the profiles, readable only by this user. Without profiles, removes the file. Another process sees either the
 * old or the new content.
 *
 * @throws AppError `invalid/file_unwritable`
 */
export function saveProfiles({ path, ...content }: ProfilesFile): void {
  const part = `${path}.${process.pid}.part`
  try {
    if (Object.keys(content.profiles).length === 0) {
      rmSync(path, { force: true })
      return
    }
    makeFolderNow(dirname(path))
    writeFileSync(part, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(part, path)
  } catch (cause) {
    rmSync(part, { force: true })
    if (!(cause instanceof Error) || !('code' in cause)) throw cause
    throw new AppError('invalid', 'file_unwritable', `"${path}" cannot be written (${cause.code}).`, { cause })
  }
}
