import { useEffect, useId, useState } from 'preact/hooks'
import type { EventPage } from '#model/ledger-answers'
import { TARGET_CHARACTERS } from '#model/subscriptions/target-grammar'
import { Glyph } from '../../../shared/controls/glyph.js'
import { html } from '../../../shared/html.js'
import { api } from '../../../shared/server/api.js'
import { Words } from '../../../shared/words/text-view.js'
import { watchTarget } from '../../events/event-links.js'
import { platforms, sourceLabel } from '../../overview.js'
import { nearTargets, readTarget, type TargetReading } from './target-reading.js'

interface TargetFieldProps {
  source: string
  target: string
  onChange: (target: string) => void
  /** Targets of other subscriptions of that source. */
  known: readonly string[]
  /** Whether anything happened there recently; undefined while unknown. */
  isSeen: boolean | undefined
  refusal: string | undefined
}

/** The target, with the grammar next to the label. Below it, the parsed target, or the problem and how to fix it. */
export function TargetField({ source, target, onChange, known, isSeen, refusal }: TargetFieldProps) {
  const id = useId()
  const seen = useSeenTargets(source)
  const reading = readTarget(source, target, known)
  const forms = platforms.value.value?.find(platform => platform.source === source)?.target_grammar ?? []
  const isWrong = reading.kind === 'problem' || refusal !== undefined
  const use = (text: string) => {
    onChange(text)
    document.getElementById(id)?.focus()
  }
  return html`<div class="form-part">
    <div class="form-label row wrap"><label class="field-label" for=${id}>What to watch</label><span class="hint code">${grammar(forms)}</span></div>
    <div class="inset-field">
      <input id=${id} class="field code" type="text" value=${target} maxlength=${TARGET_CHARACTERS} autocomplete="off" autocapitalize="none" spellcheck=${false}
        list=${`${id}-seen`} placeholder=${forms[0]?.example} aria-invalid=${isWrong} aria-describedby=${`${id}-said`}
        onInput=${(event: InputEvent) => onChange((event.target as HTMLInputElement).value)} />
      <datalist id=${`${id}-seen`}>${[...new Set([...known, ...seen])].map(one => html`<option value=${one}></option>`)}</datalist>
      ${reading.kind === 'understood' && !isWrong && html`<${Glyph} name="check" class="target-check" />`}
    </div>
    <div id=${`${id}-said`} class="target-said anywhere" role="status">
      <${Said} source=${source} reading=${reading} onUse=${use} />
      ${reading.kind !== 'problem' && refusal !== undefined && html`<p class="field-problem"><${Words} text=${refusal} /></p>`}
      ${reading.kind === 'understood' && isSeen === false && refusal === undefined && html`<${NeverSeen} near=${nearTargets(target, [...known, ...seen])} onUse=${use} />`}
    </div>
  </div>`
}

function grammar(forms: readonly { form: string }[]): string {
  const [first, second] = forms.map(({ form }) => form.replaceAll(/<[^<>]*>/g, '…'))
  return second === undefined ? (first ?? 'the key of a node') : `${first} or ${second}`
}

function Said({ source, reading, onUse }: { source: string; reading: TargetReading; onUse: (text: string) => void }) {
  if (reading.kind === 'whole') return html`<p class="field-hint">Empty: everything in ${sourceLabel(source)}.</p>`
  if (reading.kind === 'problem') {
    const { words, fix } = reading
    return html`<p class="field-problem">${words}${
      fix !== undefined &&
      html` <code><${Words} text=${fix} limit=${200} /></code>. <button type="button" class="link" onClick=${() => onUse(fix)}>Use that</button>`
    }</p>`
  }
  return html`<p class="target-pieces row wrap">
    ${reading.pieces.map(
      ({ keyword, name }, at) => html`${at > 0 && html`<${Glyph} name="chevron-right" class="small" />`}
        <span class="target-piece">${keyword} <strong><${Words} text=${name} limit=${120} /></strong></span>`,
    )}
    <span class="hint">${reading.pieces.length > 0 && 'Understood. '}${reading.words}</span>
  </p>`
}

/** Not an error: the target may not exist yet. */
function NeverSeen({ near, onUse }: { near: readonly string[]; onUse: (text: string) => void }) {
  return html`<p class="hint is-warn spaced">Valid, but nothing happened there in the last 7 days.${
    near.length > 0 &&
    html` Similar: ${near.map((other, at) => html`${at > 0 && ', '}<button type="button" class="link code" onClick=${() => onUse(other)}>${other}</button>`)}`
  }</p>`
}

/** Number of events that are read. Events with their payloads are large. */
const LOOKED_AT = 50
const INNER = /\/(?:topic|issue|pull_request|merge_request):[^/]*$/

/**
 * Suggestions: targets of the newest events of a source, and their wider places (`stream:eng` of
 * `stream:eng/topic:deploys`).
 */
function useSeenTargets(source: string): readonly string[] {
  const [seen, setSeen] = useState<readonly string[]>([])
  useEffect(() => {
    const gone = new AbortController()
    setSeen([])
    const query = { source, order: 'desc', limit: LOOKED_AT }
    api<EventPage>('/api/events', { query, signal: gone.signal }).then(
      ({ items }) => {
        const targets = items.map(watchTarget).filter(target => target !== undefined)
        setSeen([...new Set(targets.flatMap(target => [target, target.replace(INNER, '')]))])
      },
      // Failures are ignored, because these are only suggestions.
      () => undefined,
    )
    return () => gone.abort()
  }, [source])
  return seen
}
