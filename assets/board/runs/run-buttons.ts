import { useState } from 'preact/hooks'
import type { Card } from '#model/board/card'
import type { Run, RunMode, RunPlan } from '#model/board/run'
import { Glyph } from '../../shared/controls/glyph.js'
import { html } from '../../shared/html.js'
import { reasonOf } from '../../shared/server/api.js'
import { Words } from '../../shared/words/text-view.js'
import { duration } from '../../shared/words/time.js'
import { boardLabel } from '../board-switch.js'
import { shownCard } from '../cards/cards.js'
import { type Execution, ExecutionDialog, whyTokens } from './execution.js'
import { programWords } from './run-words.js'
import { executor, startRun } from './runs.js'

interface RunButtonsProps {
  card: Card
  onStarted: (run: Run) => void
}

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

/** Starts another run of the same card and mode. A real run asks again. Renders nothing if the card was deleted. */
export function RunAgain({ run, onStarted }: { run: Run; onStarted: (run: Run) => void }) {
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

/** Shows what will run, where, and its time limit, and asks for the required token. */
function RealRunDialog({ card, onStarted, onClose }: RunButtonsProps & { onClose: () => void }) {
  const plan = executor.value?.plan
  const run: Execution<Run> = headers => startRun(card.id, 'real', headers)
  return html`<${ExecutionDialog} title="Start a real run?" action="Start real run" run=${run} onDone=${onStarted} onClose=${onClose}>
    <p>It starts a program on ${boardLabel() === 'This machine' ? 'this machine' : boardLabel()} for
      ${' '}<strong><${Words} text=${card.title} /></strong>. ${whyTokens()}</p>
    ${plan && html`<${PlanFacts} plan=${plan} board=${boardLabel()} />`}
  <//>`
}

/** The command of a real run. @param props.board the board that starts it */
export function PlanFacts({ plan, board }: { plan: RunPlan; board?: string }) {
  const { folder, environment, timeout_seconds: seconds } = plan
  return html`<dl class="facts box spaced">
    <div><dt>Program</dt><dd class="code"><${Words} text=${programWords(plan)} /></dd></div>
    <div><dt>In</dt><dd class="code"><${Words} text=${folder} /></dd></div>
    <div><dt>Variables</dt><dd class="code"><${Words} text=${environment.join(', ') || 'none'} /></dd></div>
    ${board && html`<div><dt>On</dt><dd>${board}</dd></div>`}
    <div><dt>At most</dt><dd>${duration(seconds * 1000)}, one at a time</dd></div>
  </dl>`
}
