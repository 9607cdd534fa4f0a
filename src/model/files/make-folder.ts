import { mkdirSync, statSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a folder and those above it, for this user alone. Node's recursive `mkdir` never ends where no folder can be
 * created, as in /proc.
 *
 * @throws errors of the file system
 */
export async function makeFolder(folder: string): Promise<void> {
  const isMissing = await stat(folder).then(
    () => false,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return true
    },
  )
  if (!isMissing) return
  await makeFolder(dirname(folder))
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    // Another process may have created it.
    if (error.code !== 'EEXIST') throw error
  })
}

/** The same, synchronously. Blocks this thread. */
export function makeFolderNow(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })) return
  makeFolderNow(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
