import type { Card } from '#model/board/card'
import type { Run, RunState } from '#model/board/run'
import { Glyph } from '../../shared/controls/glyph.js'
import { LoadProblem } from '../../shared/controls/note.js'
import { classes, html } from '../../shared/html.js'
import { useResource } from '../../shared/server/api.js'
import { Time } from '../../shared/words/time-view.js'
import type { RunPage } from '../wire.js'
import { RunDetail } from './run-detail.js'
import { MODE_NAMES, STATE_NAMES } from './run-words.js'
import { newestRuns, runsOfCard } from './runs.js'

export interface CardRunsProps {
  card: Card
  /** The selected run; falls back to the newest. */
  chosen: string
  onChoose: (id: string) => void
}

/** Number of older runs shown. */
const SHOWN = 12

/** The runs of a card, one of them in full. */
export function CardRuns({ card, chosen, onChoose }: CardRunsProps) {
  const older = useResource<RunPage>(signal => runsOfCard(card.id, signal), [card.id])
  const runs = joined(
    newestRuns.value?.items.filter(run => run.card_id === card.id) ?? [],
    older.value.value?.items ?? [],
  )
  const shown = chosen || runs[0]?.id
  if (older.problem.value !== undefined && runs.length === 0) {
    return html`<div class="panel-notes stack"><${LoadProblem} of=${older} what="The runs could not be loaded." /></div>`
  }
  if (older.value.value && runs.length === 0) {
    return html`<section class="panel-section stack empty-runs">
      <h3>No runs of this card yet.</h3>
      <p class="quiet-text">A dry run shows what a real run would start. A mock run simulates the states of a run. Neither starts anything.</p>
    </section>`
  }
  return html`<nav class="run-chips" aria-label="Runs of this card">
      ${runs.slice(0, SHOWN).map(
        run => html`<button type="button" key=${run.id} class=${classes('run-chip', `is-${run.state}`)} aria-current=${run.id === shown ? 'true' : undefined}
          onClick=${() => onChoose(run.id)}>
          <${RunMark} state=${run.state} />${MODE_NAMES[run.mode]}${' '}
          ${run.state === 'running' || run.state === 'queued' ? STATE_NAMES[run.state].toLowerCase() : html`<${Time} at=${run.created_at} as="relative" />`}
        </button>`,
      )}
    </nav>
    ${shown && html`<${RunDetail} key=${shown} id=${shown} onStarted=${({ id }: Run) => onChoose(id)} />`}`
}

/** The state of a run as a mark, next to words. */
export function RunMark({ state }: { state: RunState }) {
  if (state === 'running' || state === 'queued')
    return html`<span class=${classes('run-dot', state === 'queued' && 'is-open')}></span>`
  const glyph = state === 'done' ? 'check' : state === 'interrupted' ? 'warning' : 'close'
  return html`<${Glyph} name=${glyph} class="run-mark" /><span class="visually-hidden">${STATE_NAMES[state]}: </span>`
}

/** Merges two lists; a newer copy replaces an older one. */
function joined(newer: readonly Run[], older: readonly Run[]): Run[] {
  const known = new Set(newer.map(({ id }) => id))
  return [...newer, ...older.filter(({ id }) => !known.has(id))]
}
