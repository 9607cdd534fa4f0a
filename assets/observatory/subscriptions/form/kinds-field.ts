import { Choose } from '../../../shared/controls/choose.js'
import { Glyph } from '../../../shared/controls/glyph.js'
import { html } from '../../../shared/html.js'
import { overview, platforms } from '../../overview.js'
import { kindTitle } from './kind-titles.js'

/** Initially shown kinds; others are found by typing. */
const SHOWN = 6

export interface KindsFieldProps {
  source: string
  kinds: readonly string[]
  onChange: (kinds: readonly string[]) => void
}

/** Kinds from the catalogue, the most frequent in this ledger first. */
export function KindsField({ source, kinds, onChange }: KindsFieldProps) {
  const counts = overview.value.value?.stats.by_kind ?? {}
  const all = kindsOfSource(source).sort((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0) || a.localeCompare(b))
  const frequent = all.slice(0, SHOWN)
  const shown = [...frequent, ...kinds.filter(kind => !frequent.includes(kind))]
  const families = [...new Set(all.map(kind => `${kind.slice(0, kind.lastIndexOf('.'))}.*`))].filter(
    kind => kind !== '.*',
  )
  const others = [...families, ...all].filter(kind => !frequent.includes(kind))
  const turn = (kind: string) =>
    onChange(kinds.includes(kind) ? kinds.filter(other => other !== kind) : [...kinds, kind])
  return html`<fieldset class="form-part">
    <legend class="visually-hidden">Events; none selected means all</legend>
    <div class="form-label" aria-hidden="true"><span class="field-label">Events</span><span class="hint">none selected means all</span></div>
    <div class="chips">
      ${shown.map(
        kind => html`<button type="button" key=${kind} class="chip" aria-pressed=${kinds.includes(kind)} title=${kind} onClick=${() => turn(kind)}>
          ${kinds.includes(kind) && html`<${Glyph} name="check" class="small" />`}${kindTitle(kind)}
        </button>`,
      )}
      <${Choose} label="Kinds" button=${others.length > 0 ? 'More kinds' : 'Another kind'} isMany placeholder="Find or type a kind"
        choices=${others.map(kind => ({ value: kind, label: kindTitle(kind), glyph: html`<span class="hint code">${kind}</span>` }))}
        chosen=${kinds.filter(kind => others.includes(kind))}
        onChoose=${(chosen: readonly string[]) => onChange([...kinds.filter(kind => !others.includes(kind)), ...chosen])}
        onWrite=${(kind: string) => onChange([...new Set([...kinds, kind])])} />
    </div>
  </fieldset>`
}

/** Without `*`, which is no kind but means that others are recorded as well. */
function kindsOfSource(source: string): string[] {
  const platform = platforms.value.value?.find(platform => platform.source === source)
  return (platform?.kinds ?? []).filter(kind => kind !== '*')
}
