import type { Card } from '#model/board/card'
import type { Run } from '#model/board/run'
import { html } from '../../shared/html.js'
import { Words } from '../../shared/words/text-view.js'
import { duration } from '../../shared/words/time.js'
import { boardLabel } from '../board-switch.js'
import { ExecutionDialog } from './execution-dialog.js'
import { type Execution, whyTokens } from './executor-token.js'
import { programWords } from './run-words.js'
import { executor, startRun } from './runs.js'

export interface RealRunDialogProps {
  card: Card
  onStarted: (run: Run) => void
  onClose: () => void
}

/** Shows what will run, where, and its time limit, and asks for the required token. */
export function RealRunDialog({ card, onStarted, onClose }: RealRunDialogProps) {
  const plan = executor.value?.plan
  const run: Execution<Run> = headers => startRun(card.id, 'real', headers)
  return html`<${ExecutionDialog} title="Start a real run?" action="Start real run" run=${run} onDone=${onStarted} onClose=${onClose}>
    <p>It starts a program on ${boardLabel() === 'This machine' ? 'this machine' : boardLabel()} for
      ${' '}<strong><${Words} text=${card.title} /></strong>. ${whyTokens()}</p>
    ${
      plan &&
      html`<dl class="facts is-boxed">
        <div><dt>Program</dt><dd class="code"><${Words} text=${programWords(plan)} /></dd></div>
        <div><dt>In</dt><dd class="code"><${Words} text=${plan.folder} /></dd></div>
        <div><dt>On</dt><dd>${boardLabel()}</dd></div>
        <div><dt>At most</dt><dd>${duration(plan.timeout_seconds * 1000)}, one at a time</dd></div>
      </dl>`
    }
  <//>`
}
