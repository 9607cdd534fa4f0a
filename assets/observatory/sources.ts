import { api } from '../shared/server/api.js'
import { createResource } from '../shared/server/resource.js'
import type { List, Platform } from '../shared/server/wire.js'

/** The catalogue of platforms. */
export const platforms = createResource(async signal => {
  const { items } = await api<List<Platform>>('/api/platforms', { signal })
  return items
})

export function loadSources(): Promise<void> {
  return platforms.load()
}

/** Display order of sources; others come last, by name. */
const ORDER = ['chat', 'code_a', 'code_b', 'forum']

export function bySource(a: string, b: string): number {
  const place = (source: string) => (ORDER.includes(source) ? ORDER.indexOf(source) : ORDER.length)
  return place(a) - place(b) || a.localeCompare(b)
}

/** `GitHub`: the catalogue's name of a source without those of its kin, or its identifier. */
export function sourceLabel(source: string): string {
  return sourceKin(source).split(', ')[0] ?? source
}

/** `GitHub, Gitea, Forgejo, Gogs`: all that send events of this source. */
export function sourceKin(source: string): string {
  return platforms.value.value?.find(platform => platform.source === source)?.display_name ?? source
}
