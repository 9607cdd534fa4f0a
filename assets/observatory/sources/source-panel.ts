import { useMemo, useState } from 'preact/hooks'
import { count, counted } from '#model/counted'
import type { FeedOutcome } from '#model/sources/source-definition'
import { href } from '../../shared/address.js'
import { AskButton } from '../../shared/controls/ask-button.js'
import { CopyButton } from '../../shared/controls/copy.js'
import { Panel } from '../../shared/controls/dialog.js'
import { TextField, textOf } from '../../shared/controls/field.js'
import { Note, ProblemNote } from '../../shared/controls/note.js'
import { showToast } from '../../shared/controls/toast.js'
import { takeDraft, useDraft } from '../../shared/drafts.js'
import { html } from '../../shared/html.js'
import { api, useResource, useSending } from '../../shared/server/api.js'
import { Words } from '../../shared/words/text-view.js'
import { Time } from '../../shared/words/time-view.js'
import { addressOf, closedWords, placed, proofWords, sourcePath, sources, type WholeSource } from './source-list.js'

interface SourceProps<S> {
  source: S
  onOpen: (name: string, edit?: boolean) => void
  onClose: () => void
}

/** One source: its address, the events that its deliveries become, and a delivery to try. */
export function SourcePanel({ source, onOpen, onClose }: SourceProps<WholeSource>) {
  const { definition, secret_count: secrets, updated_at: changed, feed, isFeed } = source
  const { rules, proof, name, description: about, ...others } = definition
  const path = sourcePath(name)
  const remap = async () => {
    const { created, unmapped } = await api<Record<string, number>>(`${path}/remap`, { method: 'POST' })
    showToast({ words: `${counted(created ?? 0, 'new event')}. ${count(unmapped ?? 0)} still fit no rule.` })
  }
  const remove = async () => {
    await api(path, { method: 'DELETE' })
    onClose()
    showToast({ words: html`Deleted <strong>${name}</strong>. Its events stay.` })
    void sources.load()
  }
  return html`<${Panel} label=${`Source ${name}`} size="form" onClose=${onClose} head=${html`<h2 class="ellipsis">${name}</h2>`}
    foot=${html`<button type="button" class="button small" onClick=${() => onOpen(name, true)}>Edit…</button>
      <${AskButton} label="Delete…" isDanger answer=${`Delete ${name}`} question=${`${isFeed ? 'It is not read any more' : 'Its deliveries are refused from then on'}, and its secrets are lost. Its events stay.`} run=${remove} />`}>
    <section class="panel-section" aria-label="About">
      ${closedWords(source) && html`<${Note} kind="warn" what=${closedWords(source)} />`}
      <dl class="facts">
        ${about && html`<div><dt>About</dt><dd><${Words} text=${about} limit=${200} /></dd></div>`}
        ${!isFeed && html`<div><dt>Address</dt><dd class="row"><code class="anywhere">${addressOf(source)}</code><${CopyButton} text=${() => addressOf(source)} label="Copy address" class="quiet" isBare /></dd></div>`}
        <div><dt>Proof</dt><dd><${Words} text=${proofWords(proof)} limit=${300} />${secrets > 0 && `. ${counted(secrets, 'secret')} stored`}</dd></div>
        <div><dt>Events</dt><dd><a class="reach" href=${href('/', new URLSearchParams({ source: name }))}>Show its events</a></dd></div>
        <div><dt>Changed</dt><dd><${Time} at=${changed} as="relative" /></dd></div>
        ${isFeed && html`<div><dt>Read</dt><dd>${feed ? html`<${Time} at=${feed.read_at} as="relative" />, next at <${Time} at=${feed.next_read_at} as="short" />` : 'not yet'}</dd></div>`}
        <${Members} of=${others} />
      </dl>
      ${isFeed && source.accepts && html`<${ReadNow} path=${path} />`}
    </section>
    <section class="panel-section" aria-labelledby="mapping"><h3 id="mapping">Mapping</h3>
      ${rules.length === 0 && html`<p class="quiet-text">No rules: each ${isFeed ? 'item' : 'delivery'} is kept whole, as delivery.unmapped.</p>`}
      ${rules.map(rule => html`<dl class="facts box spaced"><${Members} of=${rule} /></dl>`)}
      <div class="spaced"><${AskButton} label=${isFeed ? 'Map kept items again…' : 'Map kept deliveries again…'} answer="Map again" question="What fitted no rule and now fits becomes new events." run=${remap} /></div>
    </section>
    <${Sample} name=${name} />
  <//>`
}

/** Time limit for reading a feed. The server gives up earlier. */
const READING_MS = 90_000

/** Reads a feed, and shows the result. */
function ReadNow({ path }: { path: string }) {
  const [outcome, setOutcome] = useState<FeedOutcome | undefined>(undefined)
  const { problem, isSending, send } = useSending()
  const read = async () => {
    setOutcome(undefined)
    try {
      setOutcome(await api<FeedOutcome>(`${path}/read`, { method: 'POST', timeoutMs: READING_MS }))
    } finally {
      void sources.load()
    }
  }
  return html`<div class="spaced"><button type="button" class="button small" disabled=${isSending} onClick=${() => send(read)}>${isSending ? 'Reading…' : 'Read now'}</button>
    <div role="status">
      ${problem !== undefined && html`<${ProblemNote} what="It was not read." problem=${problem} />`}
      ${outcome && html`<p>${outcome.unchanged ? 'It is the same as before: no new events.' : `${counted(outcome.created, 'new event')}, ${count(outcome.known)} known already.`}</p>`}
    </div></div>`
}

/** Every member that has a value. */
function Members({ of }: { of: object }) {
  const given = Object.entries(of).filter(([, value]) => value !== null && value !== '')
  const words = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  return html`${given.map(([name, value]) => html`<div><dt>${name}</dt><dd class="code"><${Words} text=${words(value)} limit=${1_000} /></dd></div>`)}`
}

interface Tried {
  count: number
  events: object[]
  answer?: object | string
  /** For each event, the values of its rule that have no result. */
  without_result?: string[][]
}

/** Shows the events that a pasted delivery becomes. @param read the definition to try; absent: the stored one */
function Sample({ name, read }: { name: string; read?: () => unknown }) {
  const [delivery, setDelivery] = useState('')
  const [tried, setTried] = useState<Tried | undefined>(undefined)
  const { problem, isSending, send } = useSending()
  const test = () => {
    setTried(undefined)
    const path = `${sourcePath(name || 'new')}/test`
    void send(async () => setTried(await placed(async () => api(path, { body: { delivery, definition: read?.() } }))))
  }
  const { count: amount, events, answer, without_result: without = [] }: Tried = tried ?? { count: 0, events: [] }
  return html`<section class="panel-section" aria-labelledby="sample"><h3 id="sample">Try a sample</h3>
    <label><span class="field-hint">Paste a delivery: <code>${'{"headers": {…}, "body": …}'}</code>, or its body alone. Nothing is stored.</span>
      <textarea class="field code spaced" rows="6" spellcheck=${false} autocomplete="off" value=${delivery} onInput=${(event: Event) => setDelivery(textOf(event))} /></label>
    <p class="spaced"><button type="button" class="button" disabled=${delivery.trim() === '' || isSending} onClick=${test}>Try</button></p>
    <div role="status">
      ${problem !== undefined && html`<${ProblemNote} what="It becomes nothing." problem=${problem} />`}
      ${tried && html`<p>It becomes ${counted(amount, 'event')}${amount > events.length && `, of which the first ${events.length} are shown`}${answer && `, and is answered with ${JSON.stringify(answer)}`}.</p>`}
      ${events.map(({ payload: _, ...event }: { payload?: unknown }, at) => {
        return html`<dl class="facts box spaced"><${Members} of=${{ ...event, 'no result': (without[at] ?? []).join(', ') }} /></dl>`
      })}
    </div>
  </section>`
}

const EMPTY = { name: 'none', definition: { proof: { type: 'token', header: 'X-Token' }, rules: [] } as object }

/** A new source, or the definition and the secrets of one. */
export function SourceForm({ source: current, onOpen, onClose }: SourceProps<WholeSource | undefined>) {
  // The state when editing began: concurrent changes by others are not changes of this draft.
  const source = useMemo(() => current, [])
  const kept = `source:${source?.definition.name ?? 'new'}`
  const { name: known = '', ...stored }: { name?: string } = source?.definition ?? EMPTY.definition
  const [draft, setDraft] = useState<Record<'name' | 'json', string>>(() =>
    Object(takeDraft(kept) ?? { name: known, json: toText(stored) }),
  )
  const [secrets, setSecrets] = useState('')
  const found = useResource(signal => api<{ items: (typeof EMPTY)[] }>('/api/presets', { signal }), [], !source)
  const presets = [EMPTY, ...(found.value.value?.items ?? [])]
  const { name, json } = draft
  const settle = useDraft(kept, draft, name !== known || json !== toText(stored))
  const begin = (event: Event) => {
    const { name: preset, definition } = presets.find(({ name }) => name === textOf(event)) ?? EMPTY
    setDraft({ name: name || preset, json: toText(definition) })
  }
  const isFeed = /"type": *"feed"/.test(json)
  const read = () => ({ name, ...(JSON.parse(json) as object) })
  const save = async () => {
    const lines = secrets.split('\n').flatMap(line => line.trim() || [])
    const sent = lines.length > 0 ? { secrets: lines } : {}
    await placed(async () => api(sourcePath(name), { method: 'PUT', body: { definition: read(), ...sent } }))
    settle()
    await sources.load()
    onOpen(name)
  }
  return html`<${Panel} label=${source ? `Edit ${name}` : 'New source'} size="form" takesFocus onClose=${onClose}
    foot=${html`<${AskButton} label=${source ? 'Save…' : 'Add…'} answer=${source ? 'Save' : 'Add'} run=${save}
        question=${source ? 'New deliveries are mapped this way. Earlier events stay as they are.' : isFeed ? 'The server reads it from now on.' : `It receives at /webhooks/in/${name} from now on.`} />`}>
    <div class="form subscription-form">
      ${
        !source &&
        html`<${TextField} label="Name" maxlength="40" value=${name} onChange=${(name: string) => setDraft({ ...draft, name })}
          hint="Small letters, digits, _ and -. It begins the keys of its events." />
        <label><span class="field-label">Template</span>
          <select class="field" onChange=${begin}>${presets.map(({ name }) => html`<option key=${name}>${name}</option>`)}</select></label>`
      }
      <label><span class="field-label">Definition: verification and mapping</span>
        <textarea class="field code json-field" rows="18" maxlength="65536" spellcheck=${false} autocomplete="off" value=${json} onInput=${(event: Event) => setDraft({ ...draft, json: textOf(event) })} /></label>
      <div><label><span class="field-label">Secrets, one on each line</span>
          <textarea class="field code" rows="2" spellcheck=${false} autocomplete="off" value=${secrets} onInput=${(event: Event) => setSecrets(textOf(event))} /></label>
        <p class="field-hint">${source ? 'Leave empty to keep the stored secrets.' : 'They are never shown again.'}</p></div>
    </div>
    <${Sample} name=${name} read=${read} />
  <//>`
}

function toText(definition: object): string {
  return JSON.stringify(definition, null, 2)
}
