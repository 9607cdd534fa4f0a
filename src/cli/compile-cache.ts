import { mkdirSync, statSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { cacheFolder } from '../settings/cache-folder.js'
import { processSources } from '../settings/setting-sources.js'

/**
 * Lets Node keep compiled code between runs, where it can (22 and later). To be called before anything large is
 * imported.
 *
 * Whoever can write into the folder decides what runs, so it is one that belongs to this user alone; Node's default is
 * below the folder for temporary files, where anybody may have made it first.
 */
export function enableCompileCache(): void {
  // Node 20 has no such function, and its types say so.
  const enable: unknown = Reflect.get(module, 'enableCompileCache')
  if (typeof enable !== 'function') return
  const folder = join(cacheFolder(processSources()), 'compiled')
  if (isOurs(folder)) enable(folder)
}

function isOurs(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = statSync(folder)
    return uid === process.getuid?.() && (mode & 0o022) === 0
  } catch {
    // A home that cannot be written to: everything works without, a little later.
    return false
  }
}
