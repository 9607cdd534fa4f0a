import type { SettingSources } from './reading/setting-sources.js'

/**
 * The program that opens an address: the first of `BROWSER`, else the system's default.
 *
 * @returns undefined without a display
 */
export function findBrowser({ env }: Pick<SettingSources, 'env'>, platform = process.platform): string | undefined {
  const named = env.BROWSER?.split(':')[0]
  if (named) return named
  if (platform === 'darwin') return 'open'
  return env.DISPLAY || env.WAYLAND_DISPLAY ? 'xdg-open' : undefined
}
