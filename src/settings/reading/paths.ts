import { isAbsolute, join } from 'node:path'
import type { SettingSources } from './setting-sources.js'

/** Expands `~` and `~/…` to the user's home folder, because settings files pass through no shell. */
export function expandHome(path: string, homedir: string): string {
  if (path === '~') return homedir
  return path.startsWith('~/') ? join(homedir, path.slice(2)) : path
}

/** The user's folder for reproducible files. Source: XDG Base Directory Specification. */
export function cacheFolder({ env, homedir }: Pick<SettingSources, 'env' | 'homedir'>): string {
  const cacheHome = env.XDG_CACHE_HOME
  return join(cacheHome && isAbsolute(cacheHome) ? cacheHome : join(homedir, '.cache'), 'daybook')
}
