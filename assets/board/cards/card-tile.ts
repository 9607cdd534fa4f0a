import type { Card } from '#model/board/card'
import type { Run } from '#model/board/run'
import { counted } from '#model/counted'
import { href } from '../../shared/address.js'
import { Glyph, SourceGlyph } from '../../shared/controls/glyph.js'
import { classes, html } from '../../shared/html.js'
import { useSeconds } from '../../shared/words/now.js'
import { initials, plainText } from '../../shared/words/text.js'
import { Words } from '../../shared/words/text-view.js'
import { place } from '../board-address.js'
import { MODE_NAMES, ranMs, STATE_NAMES, stopwatch } from '../runs/run-words.js'
import { runByCard } from '../runs/runs.js'
import { hasDraft } from './card-drafts.js'
import { countsBySource } from './event-links.js'
import { LabelTag } from './label-tag.js'

interface CardTileProps {
  card: Card
  isOpen: boolean
  isTabStop: boolean
  terms: readonly string[]
  onFocus: () => void
  onKeyDown: (event: KeyboardEvent) => void
  onPointerDown: (event: PointerEvent) => void
  onMove: () => void
}

export function tileId(id: string): string {
  return `tile-${id}`
}

/** One card in its column: a link to it, and on touch screens a button to move it. */
export function CardTile(props: CardTileProps) {
  const { card, isOpen, isTabStop, terms, onFocus, onKeyDown, onPointerDown, onMove } = props
  const query = place.query({ card: card.id, show: 'card', run: '' })
  return html`<li class="card-place" data-id=${card.id}>
    <a id=${tileId(card.id)} class=${classes('card', isOpen && 'is-open')} href=${href('/', query)} draggable=${false}
      tabindex=${isTabStop ? 0 : -1} aria-current=${isOpen ? 'true' : undefined}
      onFocus=${onFocus} onKeyDown=${onKeyDown} onPointerDown=${onPointerDown}>
      <${TileContent} card=${card} terms=${terms} />
    </a>
    <button type="button" class="button quiet icon small card-more" tabindex="-1" aria-label=${`Move ${plainText(card.title)}`}
      title="Move (m)" onClick=${onMove}><${Glyph} name="more" /></button>
  </li>`
}

/** Content of a card, also during a drag. */
export function TileContent({ card, terms = [] }: { card: Card; terms?: readonly string[] }) {
  const { title, labels, links, assignee } = card
  const run = runByCard.value.get(card.id)
  const sources = countsBySource(links)
  return html`<span class="card-title"><${Words} text=${title} terms=${terms} /></span>
    ${labels.length > 0 && html`<span class="card-labels row wrap">${labels.map(label => html`<${LabelTag} key=${label} label=${label} />`)}</span>`}
    ${
      (sources.length > 0 || run || assignee !== null || hasDraft(card)) &&
      html`<span class="card-foot row wrap">
        ${sources.map(
          ({ source, count }) => html`<span class="card-events" key=${source}>
            <${SourceGlyph} source=${source} name=${`${counted(count, 'event')} from ${source}:`} />${count}
          </span>`,
        )}
        ${run && html`<${RunBadge} run=${run} />`}
        ${hasDraft(card) && html`<span class="run-badge is-warn"><${Glyph} name="pencil" class="small" />Not saved</span>`}
        ${
          assignee !== null &&
          html`<span class="avatar push" title=${plainText(assignee)} role="img" aria-label=${`Assigned to ${plainText(assignee)}`}>${initials(assignee)}</span>`
        }
      </span>`
    }`
}

function RunBadge({ run }: { run: Run }) {
  const { state, mode } = run
  if (state === 'running') {
    return html`<span class="run-badge is-accent"><span class="status-dot is-accent"></span><span class="visually-hidden">Running for </span><${Stopwatch} run=${run} /></span>`
  }
  if (state === 'queued')
    return html`<span class="run-badge is-accent"><span class="status-dot is-accent is-open"></span>Queued</span>`
  if (state === 'done') {
    return html`<span class="run-badge is-ok"><${Glyph} name="check" /><span class="visually-hidden">Done: </span>${MODE_NAMES[mode]}</span>`
  }
  if (state === 'failed') return html`<span class="run-badge is-danger"><${Glyph} name="close" />Run failed</span>`
  return html`<span class="run-badge quiet-text">${STATE_NAMES[state]}</span>`
}

export function Stopwatch({ run }: { run: Run }) {
  return html`<span>${stopwatch(ranMs(run, useSeconds(run.state === 'running')))}</span>`
}
