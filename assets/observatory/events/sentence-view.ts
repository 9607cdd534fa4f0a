import type { SentencePart } from '#model/sentences/event-sentence'
import { type Children, classes, html } from '../../shared/html.js'
import { Words } from '../../shared/words/text-view.js'

/** Longer names and breadcrumbs are truncated. */
const SHORT = 200
/** A shorter place is never truncated, so it needs no minimum width. Characters. */
const SHORT_PLACE = 12

export interface SentenceProps {
  parts: readonly SentencePart[]
  terms: readonly string[]
  role: string
  isProgram: boolean
  /** Before the first word. */
  mark?: Children
}

/** A sentence in three parts. If there is no room, the middle part (the place) is truncated. */
export function Sentence({ parts, mark, ...rest }: SentenceProps) {
  const at = parts.findIndex(part => part.kind === 'place')
  const head = at === -1 ? parts : parts.slice(0, at)
  const place = parts[at]
  const tail = at === -1 ? [] : parts.slice(at + 1)
  return html`
    ${head.length > 0 && html`<span class="event-head">${mark && html`${mark} `}${head.map(part => html`<${Piece} part=${part} ...${rest} />`)}</span>`}
    ${place?.kind === 'place' && html`<${Place} steps=${place.steps} terms=${rest.terms} />`}
    ${tail.length > 0 && html`<span class="event-tail">${tail.map(part => html`<${Piece} part=${part} ...${rest} />`)}</span>`}
  `
}

interface PieceProps extends Omit<SentenceProps, 'parts' | 'mark'> {
  part: SentencePart
}

function Piece({ part, terms, role, isProgram }: PieceProps) {
  switch (part.kind) {
    case 'doer':
      return html`<strong class="event-who"><${Words} text=${part.text} terms=${terms} limit=${SHORT} /></strong>${' '}
        ${role && html`<span class=${isProgram ? 'tag' : 'event-role'}><${Words} text=${role} limit=${SHORT} /></span> `}`
    case 'words':
      return html`<span class="event-verb"><${Words} text=${part.text} limit=${SHORT} /></span> `
    case 'name':
      return html`<span class="event-name"><${Words} text=${part.text} terms=${terms} limit=${SHORT} /></span> `
    case 'outcome':
      return html`<span class=${classes('event-outcome', part.isBad && 'is-danger')}><span class="event-colon">: </span><${Words} text=${part.text} terms=${terms} limit=${SHORT} /></span>`
    case 'place':
      return null
  }
}

function Place({ steps, terms }: { steps: readonly string[]; terms: readonly string[] }) {
  const isShort = steps.join().length < SHORT_PLACE
  return html`<span class=${classes('event-crumbs', isShort && 'is-short')}>
    ${steps.map(
      (step, at) => html`${at > 0 && html`<span class="event-step"> › </span>`}
        <span class=${at === steps.length - 1 ? 'event-object' : 'event-parent'}><${Words} text=${step} terms=${terms} limit=${SHORT} /></span>`,
    )}
  </span> `
}
