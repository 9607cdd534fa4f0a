import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../app-error.js'

/** A new folder for temporary files, for this user alone. @throws AppError `configuration/temporary_folder_unusable` */
export async function makeTemporaryFolder(prefix: string): Promise<string> {
  const parent = tmpdir()
  try {
    return await mkdtemp(join(parent, prefix))
  } catch (cause) {
    throw temporaryFolderUnusable(parent, cause)
  }
}

export function temporaryFolderUnusable(folder: string, cause: unknown): AppError {
  const { code } = Object(cause)
  const message = `The folder for temporary files, ${folder}, cannot be used (${code ?? cause}).`
  return new AppError('configuration', 'temporary_folder_unusable', message, {
    hint: 'Set TMPDIR to a folder that this user may read and write.',
    cause,
  })
}
