import type { Run } from '#model/board/run'
import { Glyph } from '../../shared/controls/glyph.js'
import { classes, html } from '../../shared/html.js'
import { isOver, ranMs, STATE_NAMES, stopwatch, waitedMs } from './run-words.js'

/** Queued, running, and the outcome, as three steps. */
export function RunSteps({ run }: { run: Run }) {
  const { state, started_at } = run
  const isEnded = isOver(run)
  const end = isEnded ? STATE_NAMES[state] : 'Done'
  const present = Date.now()
  return html`<ol class="run-steps" aria-label="Steps">
    ${step({ label: 'Queued', time: state === 'queued' ? '' : stopwatch(waitedMs(run, present)), is: state === 'queued' ? 'now' : 'past' })}
    ${step({ label: 'Running', time: isEnded && started_at ? stopwatch(ranMs(run, present)) : '', is: state === 'running' ? 'now' : isEnded && started_at ? 'past' : 'ahead' })}
    ${step({ label: end, time: '', is: isEnded ? 'past' : 'ahead', state: isEnded ? state : undefined })}
  </ol>`
}

function step({
  label,
  time,
  is,
  state,
}: {
  label: string
  time: string
  is: 'past' | 'now' | 'ahead'
  state?: Run['state'] | undefined
}) {
  const isBad = state !== undefined && state !== 'done'
  return html`<li class=${classes('run-step', `is-${is}`, state && `is-${state}`)} aria-current=${is === 'now' ? 'step' : undefined}>
    ${is === 'now' && html`<span class="run-dot"></span>`}
    ${is === 'past' && html`<${Glyph} name=${isBad ? 'close' : 'check'} />`}
    ${label}${time && html` <span class="run-step-time">${time}</span>`}
  </li>`
}
