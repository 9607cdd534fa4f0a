import type { SentencePart } from '#model/sentences/event-sentence'
import { type Children, classes, html } from '../../shared/html.js'
import { Words } from '../../shared/words/text-view.js'

/** Longer names and breadcrumbs are truncated. */
const SHORT = 200
/** A shorter name or place is never truncated, so it needs no minimum width. Characters. */
const NEVER_CUT = 12

interface SentenceProps {
  parts: readonly SentencePart[]
  terms: readonly string[]
  role: string
  isProgram: boolean
  /** Before the first word. */
  mark?: Children
}

/** A sentence in two parts: actor and verb, and the rest, on phones in a second line. The place is truncated first. */
export function Sentence({ parts, mark, ...rest }: SentenceProps) {
  const place = parts.findIndex(part => part.kind === 'place')
  const at = parts[0]?.kind === 'actor' ? 2 : place === -1 ? parts.length : place
  const pieces = (some: readonly SentencePart[]) => some.map(part => html`<${Piece} part=${part} ...${rest} />`)
  return html`
    ${at > 0 && html`<span class="event-head">${mark && html`${mark} `}${pieces(parts.slice(0, at))}</span>`}
    ${at < parts.length && html`<span class="event-tail">${pieces(parts.slice(at))}</span>`}
  `
}

interface PieceProps extends Omit<SentenceProps, 'parts' | 'mark'> {
  part: SentencePart
}

function Piece({ part, terms, role, isProgram }: PieceProps) {
  switch (part.kind) {
    case 'actor':
      return html`<strong class=${classes('event-who', isShort(part.text) && 'is-short')}><${Words} text=${part.text} terms=${terms} limit=${SHORT} /></strong>${' '}
        ${role && html`<span class=${isProgram ? 'tag' : 'event-role'}><${Words} text=${role} limit=${SHORT} /></span> `}`
    case 'words':
      return html`<span class="event-verb"><${Words} text=${part.text} limit=${SHORT} /></span> `
    case 'name':
      return html`<span class=${classes('event-name', isShort(part.text) && 'is-short')}><${Words} text=${part.text} terms=${terms} limit=${SHORT} /></span> `
    case 'outcome':
      return html`<span class=${classes('event-outcome', part.isBad && 'is-danger')}><span class="event-colon">: </span><${Words} text=${part.text} terms=${terms} limit=${SHORT} /></span>`
    case 'place':
      return html`<${Place} steps=${part.steps} terms=${terms} />`
  }
}

function isShort(text: string): boolean {
  return text.length < NEVER_CUT
}

function Place({ steps, terms }: { steps: readonly string[]; terms: readonly string[] }) {
  return html`<span class=${classes('event-crumbs', isShort(steps.join()) && 'is-short')}>
    ${steps.map(
      (step, at) => html`${at > 0 && html`<span class="event-step"> › </span>`}
        <span class=${at === steps.length - 1 ? 'event-object' : 'event-parent'}><${Words} text=${step} terms=${terms} limit=${SHORT} /></span>`,
    )}
  </span> `
}
