import { join } from 'node:path'

/** `~` and `~/…` as the user's home folder: files of settings are not read by a shell that would do it. */
export function expandHome(path: string, homedir: string): string {
  if (path === '~') return homedir
  return path.startsWith('~/') ? join(homedir, path.slice(2)) : path
}
