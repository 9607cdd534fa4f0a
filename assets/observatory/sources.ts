import { effect } from '@preact/signals'
import { isPlatformSource, PLATFORM_NAMES } from '#model/platforms/platform-source'
import { api } from '../shared/server/api.js'
import { outage } from '../shared/server/connection.js'
import { createResource } from '../shared/server/resource.js'
import type { List, Platform } from '../shared/server/wire.js'

/** The catalogue of platforms, which forms need. */
export const platforms = createResource(async signal => {
  const { items } = await api<List<Platform>>('/api/platforms', { signal })
  return items
})

/** Loads the catalogue, again whenever the server is back, until the returned function is called. */
export function loadPlatforms(): () => void {
  return effect(() => {
    if (outage.value === undefined && platforms.value.peek() === undefined) void platforms.load()
  })
}

/** Display order of sources; others come last, by name. */
const ORDER = ['chat', 'code_a', 'code_b', 'forum']

export function bySource(a: string, b: string): number {
  const place = (source: string) => (ORDER.includes(source) ? ORDER.indexOf(source) : ORDER.length)
  return place(a) - place(b) || a.localeCompare(b)
}

/** `GitHub`: the first name of a platform, or the identifier of another source. */
export function sourceLabel(source: string): string {
  return sourceKin(source).split(', ')[0] ?? source
}

/** `GitHub, Gitea, Forgejo, Gogs`: all that send events of this source. */
export function sourceKin(source: string): string {
  return isPlatformSource(source) ? PLATFORM_NAMES[source] : source
}
