import { useId, useState } from 'preact/hooks'
import { SourceGlyph } from '../../../shared/controls/glyph.js'
import { Segments } from '../../../shared/controls/segments.js'
import { html } from '../../../shared/html.js'
import { bySource, overview, platforms } from '../../overview.js'

/** Stands for a source outside the catalogue; no source has this name. */
const OTHER = '/'

export interface SourceFieldProps {
  source: string
  onChange: (source: string) => void
  refusal: string | undefined
}

/** The source: a platform, or the name of a custom writer. */
export function SourceField({ source, onChange, refusal }: SourceFieldProps) {
  const id = useId()
  const known = [...(platforms.value.value ?? [])].sort((a, b) => bySource(a.source, b.source))
  const isKnown = platforms.value.value === undefined || known.some(platform => platform.source === source)
  const [isOther, setOther] = useState(false)
  const isOwn = isOther || !isKnown
  const names = known.find(platform => platform.source === source)?.display_name.split(', ') ?? []
  const choose = (value: string) => {
    setOther(value === OTHER)
    onChange(value === OTHER ? '' : value)
  }
  const words = Object.keys(overview.value.value?.stats.by_source ?? {}).filter(
    word => !known.some(platform => platform.source === word),
  )
  return html`<div class="form-part source-field">
    <${Segments} legend="Where" value=${isOwn ? OTHER : source} onChange=${choose}
      choices=${[
        ...known.map(platform => ({
          value: platform.source,
          label: html`<${SourceGlyph} source=${platform.source} />${platform.display_name.split(',')[0]}`,
        })),
        { value: OTHER, label: html`<${SourceGlyph} source="other" />Other` },
      ]} />
    ${!isOwn && names.length > 1 && html`<p class="field-hint">${names.slice(0, -1).join(', ')} and ${names.at(-1)} are one source.</p>`}
    ${
      isOwn &&
      html`<div class="source-word">
        <label class="field-hint" for=${id}>The source name that a program sends</label>
        <input id=${id} class="field code" type="text" value=${source} maxlength="64" autocomplete="off" autocapitalize="none" spellcheck=${false}
          list=${`${id}-words`} aria-invalid=${refusal !== undefined} onInput=${(event: InputEvent) => onChange((event.target as HTMLInputElement).value)} />
        <datalist id=${`${id}-words`}>${words.map(word => html`<option value=${word}></option>`)}</datalist>
      </div>`
    }
    ${refusal !== undefined && html`<p class="field-problem">${refusal}</p>`}
  </div>`
}
