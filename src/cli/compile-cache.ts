import { statSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { makeFolderNow } from '../model/files/make-folder.js'
import { cacheFolder } from '../settings/reading/paths.js'
import { processSources } from '../settings/reading/setting-sources.js'

/**
 * Enables Node's cache of compiled code between runs, if supported (22 and later). Call it before large imports.
 *
 * Any user who can write to the folder can run code, so the folder belongs to this user alone. Node's default is in the
 * folder for temporary files, where any user could create it first.
 */
export function enableCompileCache(): void {
  // Node 20 and its types lack this function.
  const enable: unknown = Reflect.get(module, 'enableCompileCache')
  if (typeof enable !== 'function') return
  const folder = join(cacheFolder(processSources()), 'compiled')
  if (isOurs(folder)) enable(folder)
}

function isOurs(folder: string): boolean {
  try {
    makeFolderNow(folder)
    const { uid, mode } = statSync(folder)
    return uid === process.getuid?.() && (mode & 0o022) === 0
  } catch {
    // The home folder is not writable. Everything works without the cache, but slower.
    return false
  }
}
