import { useState } from 'preact/hooks'
import type { Card } from '#model/board/card'
import type { Run, RunMode } from '#model/board/run'
import { html } from '../../shared/html.js'
import { reasonOf } from '../../shared/server/api.js'
import { RealRunDialog } from './real-run-dialog.js'
import { executor, startRun } from './runs.js'

export interface RunButtonsProps {
  card: Card
  onStarted: (run: Run) => void
}

/** Buttons for the three run modes of a card. */
export function RunButtons({ card, onStarted }: RunButtonsProps) {
  const [isAsking, setAsking] = useState(false)
  const [problem, setProblem] = useState('')
  const whyNotReal = executor.value?.real === false ? 'Real runs are not set up on this board.' : undefined
  const start = async (mode: RunMode) => {
    setProblem('')
    try {
      onStarted(await startRun(card.id, mode))
    } catch (error) {
      setProblem(`The run was not started. ${reasonOf(error)}`)
    }
  }
  return html`<div class="buttons run-buttons" role="group" aria-label="Run this card">
    <button type="button" class="button" onClick=${() => void start('dry_run')}>Dry run</button>
    <button type="button" class="button" onClick=${() => void start('mock')}>Mock run</button>
    <button type="button" class="button danger" aria-disabled=${whyNotReal !== undefined || undefined}
      title=${whyNotReal}
      onClick=${() => (whyNotReal === undefined ? setAsking(true) : setProblem(whyNotReal))}>Real run…</button>
    ${problem && html`<p class="field-problem" role="alert">${problem}</p>`}
    ${isAsking && html`<${RealRunDialog} card=${card} onStarted=${onStarted} onClose=${() => setAsking(false)} />`}
  </div>`
}
