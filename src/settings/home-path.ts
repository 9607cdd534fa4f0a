import { join } from 'node:path'

/** Expands `~` and `~/…` to the user's home folder, because no shell does it in settings files. */
export function expandHome(path: string, homedir: string): string {
  if (path === '~') return homedir
  return path.startsWith('~/') ? join(homedir, path.slice(2)) : path
}
