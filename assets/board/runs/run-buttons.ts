import { useState } from 'preact/hooks'
import type { Card } from '#model/board/card'
import type { Run, RunMode } from '#model/board/run'
import { Glyph } from '../../shared/controls/glyph.js'
import { html } from '../../shared/html.js'
import { reasonOf } from '../../shared/server/api.js'
import { shownCard } from '../cards/cards.js'
import { RealRunDialog } from './real-run-dialog.js'
import { executor, startRun } from './runs.js'

export interface RunButtonsProps {
  card: Card
  onStarted: (run: Run) => void
}

/** Buttons for the three run modes of a card. */
export function RunButtons({ card, onStarted }: RunButtonsProps) {
  const { start, whyNotReal, shown } = useStart(card, onStarted)
  return html`<div class="buttons run-buttons" role="group" aria-label="Run this card">
    <button type="button" class="button" onClick=${() => void start('dry_run')}>Dry run</button>
    <button type="button" class="button" onClick=${() => void start('mock')}>Mock run</button>
    <button type="button" class="button danger" aria-disabled=${whyNotReal !== undefined || undefined}
      title=${whyNotReal} onClick=${() => void start('real')}>Real run…</button>
    ${shown}
  </div>`
}

export interface RunAgainProps {
  run: Run
  onStarted: (run: Run) => void
}

/** Starts another run of the same card in the same mode; a real one asks again. Nothing if the card was deleted. */
export function RunAgain({ run, onStarted }: RunAgainProps) {
  const card = shownCard(run.card_id)
  return card && html`<${AgainButton} card=${card} mode=${run.mode} onStarted=${onStarted} />`
}

function AgainButton({ card, mode, onStarted }: RunButtonsProps & { mode: RunMode }) {
  const { start, shown } = useStart(card, onStarted)
  return html`<button type="button" class="button" onClick=${() => void start(mode)}>
      <${Glyph} name="play" />Run again${mode === 'real' && '…'}
    </button>${shown}`
}

/** Starts runs of a card, and shows the dialog and the problem of a start. */
function useStart(card: Card, onStarted: (run: Run) => void) {
  const [isAsking, setAsking] = useState(false)
  const [problem, setProblem] = useState('')
  const whyNotReal = executor.value?.real === false ? 'Real runs are not set up on this board.' : undefined
  const start = async (mode: RunMode) => {
    setProblem('')
    if (mode === 'real') {
      if (whyNotReal === undefined) setAsking(true)
      else setProblem(whyNotReal)
      return
    }
    try {
      onStarted(await startRun(card.id, mode))
    } catch (error) {
      setProblem(`The run was not started. ${reasonOf(error)}`)
    }
  }
  const shown = html`${problem && html`<p class="field-problem" role="alert">${problem}</p>`}
    ${isAsking && html`<${RealRunDialog} card=${card} onStarted=${onStarted} onClose=${() => setAsking(false)} />`}`
  return { start, whyNotReal, shown }
}
