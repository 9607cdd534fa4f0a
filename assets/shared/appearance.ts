import { signal } from '@preact/signals'
import { readStored, saveStored } from './web-storage.js'
import { shownZone } from './words/time.js'

export const PALETTES = ['indigo', 'forest', 'amber'] as const
export const SCHEMES = ['system', 'light', 'dark'] as const
export const DENSITIES = ['comfortable', 'compact'] as const

/** Settings of appearance and keys on this device. */
interface Appearance {
  palette: (typeof PALETTES)[number]
  scheme: (typeof SCHEMES)[number]
  density: (typeof DENSITIES)[number]
  /** Whether single-letter shortcuts are on. */
  singleKeys: boolean
  /** Whether times are in UTC, not in the zone of the device. */
  utc: boolean
}

const root = document.documentElement

/** Current value. Change it with `setAppearance`. */
export const appearance = signal<Appearance>(readAppearance())
shownZone.value = zoneOf(appearance.value)

/** Changes and stores it. `appearance-first.ts` reads the stored value before the next first paint. */
export function setAppearance(change: Partial<Appearance>): void {
  const chosen = { ...Object(readStored('appearance')), ...change }
  saveStored('appearance', chosen)
  show({ ...appearance.value, ...change })
}

/** Applies a change made in another window of this device. */
window.addEventListener('storage', ({ key }) => {
  if (key === 'daybook.appearance') show(readAppearance())
})

function show(next: Appearance): void {
  root.dataset.palette = next.palette
  if (next.scheme === 'system') delete root.dataset.scheme
  else root.dataset.scheme = next.scheme
  if (next.density === 'compact') root.dataset.density = 'compact'
  else delete root.dataset.density
  shownZone.value = zoneOf(next)
  appearance.value = next
}

function zoneOf({ utc }: Appearance): string | undefined {
  return utc ? 'UTC' : undefined
}

function readAppearance(): Appearance {
  const kept = Object(readStored('appearance')) as Record<string, unknown>
  return {
    palette: oneOf(PALETTES, kept.palette, root.dataset.givenPalette),
    scheme: oneOf(SCHEMES, kept.scheme, root.dataset.givenScheme),
    density: oneOf(DENSITIES, kept.density),
    singleKeys: kept.singleKeys !== false,
    utc: kept.utc === true,
  }
}

function oneOf<const T extends string>(words: readonly [T, ...T[]], ...found: readonly unknown[]): T {
  for (const value of found) {
    const word = words.find(word => word === value)
    if (word) return word
  }
  return words[0]
}
