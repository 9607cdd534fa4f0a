import { appearance, DENSITIES, PALETTES, SCHEMES, setAppearance } from './appearance.js'
import { Dialog } from './controls/dialog.js'
import { Segments } from './controls/segments.js'
import { Switch } from './controls/switch.js'
import { html } from './html.js'
import { isCoarse } from './media.js'
import { DEVICE_ZONE } from './words/time.js'

const PALETTE_NAMES: Record<(typeof PALETTES)[number], string> = { indigo: 'Indigo', forest: 'Forest', amber: 'Amber' }
const SCHEME_NAMES: Record<(typeof SCHEMES)[number], string> = { system: 'System', light: 'Light', dark: 'Dark' }
const DENSITY_NAMES: Record<(typeof DENSITIES)[number], string> = { comfortable: 'Comfortable', compact: 'Compact' }

/** Settings of appearance and keys on this device. Changes apply immediately. */
export function AppearanceDialog({ onClose }: { onClose: () => void }) {
  const { palette, scheme, density, singleKeys, utc } = appearance.value
  const choices = <T extends string>(values: readonly T[], names: Record<T, string>) =>
    values.map(value => ({ value, label: names[value] }))
  return html`<${Dialog} title="Appearance" onClose=${onClose}>
    <div class="settings stack">
      <${Segments} legend="Colours" choices=${choices(PALETTES, PALETTE_NAMES)} value=${palette}
        onChange=${(value: typeof palette) => setAppearance({ palette: value })} />
      <${Segments} legend="Scheme" choices=${choices(SCHEMES, SCHEME_NAMES)} value=${scheme}
        onChange=${(value: typeof scheme) => setAppearance({ scheme: value })} />
      <${Segments} legend="Rows" choices=${choices(DENSITIES, DENSITY_NAMES)} value=${density}
        onChange=${(value: typeof density) => setAppearance({ density: value })} />
      ${isCoarse.value && html`<p class="field-hint">Touch screens always use comfortable rows.</p>`}
      <${Segments} legend="Times" choices=${[
        { value: 'local', label: `Local (${DEVICE_ZONE})` },
        { value: 'utc', label: 'UTC' },
      ]} value=${utc ? 'utc' : 'local'} onChange=${(value: string) => setAppearance({ utc: value === 'utc' })} />
      <div>
        <${Switch} label="Single-letter shortcuts" isOn=${singleKeys} onChange=${(isOn: boolean) => setAppearance({ singleKeys: isOn })} />
        <p class="field-hint">Such as / for the search. Press ? for all of them.</p>
      </div>
    </div>
    <p class="hint">Saved on this device.</p>
  <//>`
}
