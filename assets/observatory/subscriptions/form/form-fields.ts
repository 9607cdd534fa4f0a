import { useId, useState } from 'preact/hooks'
import { Choose } from '../../../shared/controls/choose.js'
import { Glyph, SourceGlyph } from '../../../shared/controls/glyph.js'
import { Segments } from '../../../shared/controls/segments.js'
import { html } from '../../../shared/html.js'
import { DAY, dayOf, fromLocal, fromMs, fromSeconds, HOUR, localOffset, shortTime } from '../../../shared/words/time.js'
import { bySource, overview, platforms } from '../../overview.js'
import { moment } from '../capture-words.js'
import { type DraftFieldProps, metadataOf, withEnd } from './draft.js'
import { kindTitle } from './kind-titles.js'

/** Stands for a source outside the catalogue; no source has this name. */
const OTHER = '/'

interface SourceFieldProps {
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
      html`<div class="source-word spaced">
        <label class="field-hint" for=${id}>The source name that a program sends</label>
        <input id=${id} class="field code" type="text" value=${source} maxlength="64" autocomplete="off" autocapitalize="none" spellcheck=${false}
          list=${`${id}-words`} aria-invalid=${refusal !== undefined} onInput=${(event: InputEvent) => onChange((event.target as HTMLInputElement).value)} />
        <datalist id=${`${id}-words`}>${words.map(word => html`<option value=${word}></option>`)}</datalist>
      </div>`
    }
    ${refusal !== undefined && html`<p class="field-problem">${refusal}</p>`}
  </div>`
}

/** Initially shown kinds; others are found by typing. */
const SHOWN = 6

interface KindsFieldProps {
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
    <div class="form-label row wrap" aria-hidden="true"><span class="field-label">Events</span><span class="hint">none selected means all</span></div>
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

/** The kinds of a source without `*`, which is not a kind: it means that others are recorded as well. */
function kindsOfSource(source: string): string[] {
  const platform = platforms.value.value?.find(platform => platform.source === source)
  return (platform?.kinds ?? []).filter(kind => kind !== '*')
}

const SPANS = [
  { label: '1\u202fh', ms: HOUR },
  { label: '4\u202fh', ms: 4 * HOUR },
  { label: '1 day', ms: DAY },
] as const

/** The end of a subscription: none, after a while, or at an instant. */
export function EndField({ draft, onChange, refusal }: DraftFieldProps) {
  const id = useId()
  const { expires_at: expiresAt } = metadataOf(draft)
  const end = typeof expiresAt === 'string' ? Date.parse(expiresAt) : Number.NaN
  const [span, setSpan] = useState<number | 'until' | undefined>(undefined)
  const chosen = expiresAt === undefined ? undefined : (span ?? 'until')
  const now = Date.now()
  const choose = (next: number | 'until' | undefined) => {
    setSpan(next)
    if (next === undefined) onChange(withEnd(draft, undefined))
    else if (next !== 'until') onChange(withEnd(draft, fromSeconds(now + next)))
    else if (Number.isNaN(end)) onChange(withEnd(draft, fromSeconds(now + DAY)))
  }
  const chip = (label: string, value: number | 'until' | undefined) =>
    html`<button type="button" class="chip" aria-pressed=${chosen === value} onClick=${() => choose(value)}>${label}</button>`
  return html`<fieldset class="form-part">
    <legend class="field-label">How long</legend>
    <div class="chips">
      ${chip('Until I stop it', undefined)}${SPANS.map(({ label, ms }) => chip(label, ms))}${chip('Until…', 'until')}
      ${
        chosen === 'until' &&
        html`<input class="field end-at" type="datetime-local" aria-label="Until" aria-describedby=${`${id}-said`} value=${localValue(end)}
          onInput=${(event: InputEvent) => {
            const local = Date.parse(`${(event.target as HTMLInputElement).value}Z`)
            if (!Number.isNaN(local)) onChange(withEnd(draft, fromSeconds(fromLocal(local))))
          }} />`
      }
      <span id=${`${id}-said`} class="hint">${endWords(end, now)}</span>
    </div>
    ${refusal !== undefined && html`<p class="field-problem">${refusal}</p>`}
  </fieldset>`
}

function endWords(end: number, now: number): string {
  if (Number.isNaN(end)) return ''
  const isToday = dayOf(fromMs(end)) === dayOf(fromMs(now))
  if (end <= now) return `ended ${moment(end, now)}: it matches nothing`
  const time = shortTime(fromMs(end))
  return isToday ? `ends today at ${time}` : `ends ${moment(end, now)} at ${time}`
}

/** For `datetime-local`: local time to the minute. */
function localValue(ms: number): string {
  return Number.isNaN(ms) ? '' : fromMs(ms + localOffset(ms)).slice(0, 16)
}
