import { isAbsolute, join } from 'node:path'
import type { SettingSources } from './setting-sources.js'

/** The user's folder for reproducible files. Source: XDG Base Directory Specification. */
export function cacheFolder({ env, homedir }: Pick<SettingSources, 'env' | 'homedir'>): string {
  const cacheHome = env.XDG_CACHE_HOME
  return join(cacheHome && isAbsolute(cacheHome) ? cacheHome : join(homedir, '.cache'), 'daybook')
}
