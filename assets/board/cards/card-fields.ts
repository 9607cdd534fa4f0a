import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { LinkedEvent } from '#model/board/linked-items'
import { counted } from '#model/counted'
import { Choose } from '../../shared/controls/choose.js'
import { Glyph, OutcomeMark, SourceGlyph } from '../../shared/controls/glyph.js'
import { Segments } from '../../shared/controls/segments.js'
import { html } from '../../shared/html.js'
import { isWide } from '../../shared/media.js'
import { otherProgramUrl } from '../../shared/server/root-path.js'
import { initials, plainText } from '../../shared/words/text.js'
import { Words } from '../../shared/words/text-view.js'
import { Time } from '../../shared/words/time-view.js'
import { boardName } from '../board-address.js'
import type { CardText } from './card-draft.js'
import { knownAssignees, knownLabels } from './cards.js'
import { eventUrl, readEventKey, sourceOf } from './event-links.js'
import { LabelTag } from './label-tag.js'
import { MarkdownView, type OnTick } from './markdown.js'

interface CardFieldsProps {
  text: CardText
  isWriting: boolean
  onWriting: (isWriting: boolean) => void
  /** Number of requests to edit the text; each one focuses its field. */
  asksForText?: number
  onChange: (change: Partial<CardText>) => void
  onTick?: OnTick
  /** The linked events that could be read. Of the others, the page shows the key. */
  events?: readonly LinkedEvent[] | undefined
  /** The server's message about a field: `/title`. */
  problemOf: (field: string) => string | undefined
}

const LIMITS = { title: 200, labels: 20, label: 50, assignee: 100, links: 50 }

/** A card to read and to edit: title, labels, assignee, body, events. */
export function CardFields(props: CardFieldsProps) {
  const { text, isWriting, onWriting, asksForText = 0, onChange, onTick, events = [], problemOf } = props
  const id = useId()
  const bodyField = useRef<HTMLTextAreaElement>(null)
  const [asksHere, setAsksHere] = useState(0)
  const asks = asksForText + asksHere
  useLayoutEffect(() => {
    if (asks > 0) bodyField.current?.focus()
  }, [asks])
  const { title, body } = text
  const field = (event: Event) => (event.target as HTMLInputElement | HTMLTextAreaElement).value
  const writeSome = () => {
    onWriting(true)
    setAsksHere(asksHere + 1)
  }
  const problem = (name: string) => {
    const words = problemOf(`/${name}`)
    return words && html`<p class="field-problem" role="alert">${words}</p>`
  }
  return html`<section class="panel-section stack card-text">
      ${
        isWriting
          ? html`<label class="visually-hidden" for=${`${id}-title`}>Title</label>
            <textarea id=${`${id}-title`} class="field card-title-field touch" rows="1" maxlength=${LIMITS.title} value=${title} placeholder="Title"
              aria-invalid=${problemOf('/title') !== undefined || undefined} onKeyDown=${keepOnOneLine}
              onInput=${(event: Event) => onChange({ title: field(event).replace(/[\r\n]+/g, ' ') })}></textarea>${problem('title')}`
          : html`<h2 class="card-heading"><${Words} text=${title || 'No title yet'} /></h2>`
      }
      <div class="card-facts chips">
        <${Labels} text=${text} onChange=${onChange} />
        <${Assignee} text=${text} onChange=${onChange} />
        <span class="push"></span>
        <${Segments} legend="Text" isLegendHidden value=${isWriting ? 'write' : 'preview'}
          choices=${[
            { value: 'write', label: 'Write' },
            { value: 'preview', label: 'Preview' },
          ]} onChange=${(value: string) => onWriting(value === 'write')} />
      </div>
      ${problem('labels')}${problem('assignee')}
      ${
        isWriting
          ? html`<label class="visually-hidden" for=${`${id}-body`}>Text, in Markdown</label>
            <textarea ref=${bodyField} id=${`${id}-body`} autofocus=${asks > 0 && !isWide.value} class="field card-body-field" rows="12" value=${body} placeholder="Description in Markdown"
              aria-invalid=${problemOf('/body') !== undefined || undefined}
              onInput=${(event: Event) => onChange({ body: field(event) })}></textarea>${problem('body')}`
          : body === ''
            ? html`<p class="quiet-text">No text yet. <button type="button" class="link" onClick=${writeSome}>Add text</button></p>`
            : html`<${MarkdownView} text=${body} onTick=${onTick} />`
      }
    </section>
    <${Links} text=${text} events=${events} onChange=${onChange} problem=${problem('links')} />`
}

/** A title is one line, even if it wraps. */
function keepOnOneLine(event: KeyboardEvent): void {
  if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) event.preventDefault()
}

interface PartProps {
  text: CardText
  onChange: (change: Partial<CardText>) => void
}

function Labels({ text: { labels }, onChange }: PartProps) {
  const choices = [
    ...new Map([...knownLabels.value, ...labels.map(label => [label, knownLabels.value.get(label) ?? 0] as const)]),
  ]
  const set = (next: readonly string[]) => onChange({ labels: [...new Set(next)].slice(0, LIMITS.labels) })
  return html`${labels.map(
    label =>
      html`<${LabelTag} key=${label} label=${label} onRemove=${() => set(labels.filter(other => other !== label))} />`,
  )}
    <${Choose} label="Labels" button=${html`<${Glyph} name="plus" class="small" />Label`} buttonClass="quiet" isMany
      placeholder="Find or add a label" empty="No labels yet. Type one and press Enter."
      choices=${choices.map(([value, count]) => ({ value, label: value, ...(count > 0 ? { count } : {}) }))} chosen=${labels}
      onChoose=${set} onWrite=${(word: string) => set([...labels, word.slice(0, LIMITS.label)])} />`
}

function Assignee({ text: { assignee }, onChange }: PartProps) {
  const names = [...new Set([...knownAssignees.value.keys(), ...(assignee === null ? [] : [assignee])])]
  const button =
    assignee === null
      ? html`<${Glyph} name="person" class="small" />Assignee`
      : html`<span class="avatar" aria-hidden="true">${initials(assignee)}</span><span class="visually-hidden">Assignee: </span><span class="ellipsis"><${Words} text=${assignee} /></span>`
  const choices = [
    ...(assignee === null ? [] : [{ value: '', label: 'Unassigned' }]),
    ...names.map(name => ({ value: name, label: name })),
  ]
  return html`<${Choose} label="Assignee" button=${button} buttonClass="quiet card-assignee" choices=${choices}
    chosen=${assignee === null ? [] : [assignee]} placeholder="Find or type a name" empty="No names yet. Type one and press Enter."
    onChoose=${([name = '']: readonly string[]) => onChange({ assignee: name === '' ? null : name })}
    onWrite=${(name: string) => onChange({ assignee: name.slice(0, LIMITS.assignee) })} />`
}

interface LinksProps extends PartProps {
  events: readonly LinkedEvent[]
  problem: unknown
}

function Links({ text: { links }, events, onChange, problem }: LinksProps) {
  const [isAdding, setAdding] = useState(false)
  // The events of another board are in an unknown ledger.
  const ledger = boardName.value === '' ? otherProgramUrl : undefined
  const add = (key: string) => {
    onChange({ links: [...new Set([...links, key])].slice(0, LIMITS.links) })
    setAdding(false)
  }
  return html`<section class="panel-section card-events-part" aria-label="From the ledger">
    <header class="row">
      <h3>From the ledger</h3>
      ${links.length > 0 && html`<span class="quiet-text">${counted(links.length, 'event')}</span>`}
      <button type="button" class="button quiet small push" aria-expanded=${isAdding} onClick=${() => setAdding(!isAdding)}>
        <${Glyph} name="plus" class="small" />Link
      </button>
    </header>
    ${isAdding && html`<${LinkForm} onAdd=${add} />`}
    ${problem}
    ${
      links.length > 0 &&
      html`<ul class="card-links stack spaced" role="list">
        ${links.map(key => {
          const url = eventUrl(ledger, key)
          const event = events.find(event => event.key === key)
          const words = event
            ? html`<${Words} text=${event.sentence} />`
            : html`<span class="code"><${Words} text=${key} /></span>`
          const name = event ? event.sentence : key
          return html`<li key=${key} class="row anywhere">
            <${SourceGlyph} source=${sourceOf(key)} name=${sourceOf(key)} />
            ${event?.outcome && html`<${OutcomeMark} outcome=${event.outcome} />`}
            <span>${url === undefined ? words : html`<a href=${url} title=${plainText(key)} target="_blank" rel="noopener noreferrer">${words}</a>`}
              ${event && html` <span class="quiet-text card-event-time"><${Time} at=${event.captured_at} as="relative" /></span>`}</span>
            <button type="button" class="button quiet icon small push" aria-label=${`Remove ${plainText(name)}`}
              onClick=${() => onChange({ links: links.filter(other => other !== key) })}><${Glyph} name="close" /></button>
          </li>`
        })}
      </ul>`
    }
  </section>`
}

function LinkForm({ onAdd }: { onAdd: (key: string) => void }) {
  const [pasted, setPasted] = useState('')
  const [problem, setProblem] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  const submit = (event: Event) => {
    event.preventDefault()
    const key = readEventKey(pasted)
    if (key === undefined) setProblem('Enter the key of an event, or its address in the observatory.')
    else onAdd(key)
  }
  return html`<form class="card-link-form row spaced" onSubmit=${submit}>
      <input ref=${field} class="field" aria-label="Key or address of an event" placeholder="Key or address of an event" value=${pasted}
        aria-invalid=${problem !== '' || undefined} onInput=${(event: Event) => setPasted((event.target as HTMLInputElement).value)} />
      <button type="submit" class="button">Add</button>
    </form>
    ${problem && html`<p class="field-problem" role="alert">${problem}</p>`}`
}
