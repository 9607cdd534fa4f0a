import type { Run } from '#model/board/run'
import { announce } from '../../shared/announce.js'
import { Glyph } from '../../shared/controls/glyph.js'
import { LoadProblem } from '../../shared/controls/note.js'
import { classes, html } from '../../shared/html.js'
import { segment, useResource } from '../../shared/server/api.js'
import { Words } from '../../shared/words/text-view.js'
import { Time } from '../../shared/words/time-view.js'
import { Stopwatch } from '../cards/card-tile.js'
import { boardApi } from '../place.js'
import { ExecutionDialog, useExecution } from './execution-dialog.js'
import { type Execution, whyTokens } from './executor-token.js'
import { LogView } from './log-view.js'
import { RunAgain } from './run-buttons.js'
import {
  isOver,
  MODE_NAMES,
  programWords,
  ranMs,
  STATE_NAMES,
  shortId,
  stopwatch,
  waitedMs,
  whyNotDone,
} from './run-words.js'
import { loadRuns, newestRuns, noteRun } from './runs.js'

export interface RunDetailProps {
  id: string
  /** Called with the new run when it is run again. */
  onStarted: (run: Run) => void
}

/** One run: its state, its plan or log, and a button to cancel it or to run it again. */
export function RunDetail({ id, onStarted }: RunDetailProps) {
  const listed = newestRuns.value?.items.find(run => run.id === id)
  const single = useResource<Run>(signal => boardApi(`/runs/${segment(id)}`, { signal }), [], !listed)
  const run = later(listed, single.value.value)
  if (!run) {
    return html`<section class="panel-section"><${LoadProblem} of=${single} what="This run could not be loaded." /></section>`
  }
  const ended = (last: Run) => {
    single.set(last)
    announce(`Run ${STATE_NAMES[last.state]}`)
    void loadRuns()
  }
  return html`<section class="run-detail" aria-label=${`${MODE_NAMES[run.mode]} ${shortId(run.id)}`}>
    <${RunHead} run=${run} onStarted=${onStarted} />
    <${RunSteps} run=${run} />
    ${whyNotDone(run) && html`<p class="run-why">${whyNotDone(run)}</p>`}
    ${run.plan && html`<${Plan} run=${run} />`}
    ${(run.mode !== 'dry_run' || run.log_bytes > 0) && html`<${LogView} key=${run.id} run=${run} onEnd=${ended} />`}
  </section>`
}

/** The later of two states of a run. */
function later(listed: Run | undefined, single: Run | undefined): Run | undefined {
  if (!listed || !single) return single ?? listed
  return isOver(listed) || !isOver(single) ? listed : single
}

function RunHead({ run, onStarted }: { run: Run; onStarted: (run: Run) => void }) {
  const isTimed = run.mode === 'real'
  return html`<header class="run-head row wrap">
    <h3>${MODE_NAMES[run.mode]}</h3><span class="code quiet-text" title=${run.id}>${shortId(run.id)}</span>
    <span class="quiet-text"><${Time} at=${run.created_at} as="relative" /></span>
    <span class="push run-time">
      ${run.started_at && html`<strong><${Stopwatch} run=${run} /></strong>`}
      ${isTimed && html` <span class="quiet-text">of ${stopwatch(run.timeout_seconds * 1000)} at most</span>`}
    </span>
    ${isOver(run) ? html`<${RunAgain} run=${run} onStarted=${onStarted} />` : html`<${CancelButton} run=${run} />`}
  </header>`
}

/** Longer than ending a run by force takes. */
const CANCEL_WITHIN_MS = 60_000

function CancelButton({ run }: { run: Run }) {
  const cancel: Execution<Run> = headers =>
    boardApi(`/runs/${segment(run.id)}/cancel`, { method: 'POST', headers, timeoutMs: CANCEL_WITHIN_MS })
  const cancelled = (run: Run) => {
    noteRun(run)
    void loadRuns()
  }
  const { start, isInProgress, isAsking, onClose } = useExecution(cancel, cancelled)
  return html`<button type="button" class="button danger" aria-disabled=${isInProgress || undefined} onClick=${() => void start()}>
      ${isInProgress ? 'Cancelling…' : 'Cancel run'}
    </button>
    ${
      isAsking &&
      html`<${ExecutionDialog} title="Cancel this run?" action="Cancel run" run=${cancel} onClose=${onClose} onDone=${cancelled}>
        This stops the program and every process that it started. ${whyTokens()}
      <//>`
    }`
}

/** What a real run would do. */
function Plan({ run: { plan } }: { run: Run }) {
  if (!plan) return null
  const { folder, environment, timeout_seconds } = plan
  const isConfigured = plan.command !== null
  return html`<div class="run-plan stack">
    <p>${isConfigured ? 'Nothing was started. A real run would start this, with the card as JSON on standard input:' : 'Nothing was started: no command is configured on this board.'}</p>
    <dl class="facts box">
      <div><dt>Program</dt><dd class="code"><${Words} text=${programWords(plan)} /></dd></div>
      <div><dt>In</dt><dd class="code"><${Words} text=${folder} /></dd></div>
      <div><dt>Variables</dt><dd class="code"><${Words} text=${environment.join(', ') || 'none'} /></dd></div>
      <div><dt>At most</dt><dd>${stopwatch(timeout_seconds * 1000)}</dd></div>
    </dl>
  </div>`
}

/** Queued, running, and the outcome, as three steps. */
function RunSteps({ run }: { run: Run }) {
  const { state, started_at } = run
  const isEnded = isOver(run)
  const end = isEnded ? STATE_NAMES[state] : 'Done'
  const present = Date.now()
  return html`<ol class="row hint" aria-label="Steps">
    ${step({ label: 'Queued', time: state === 'queued' ? '' : stopwatch(waitedMs(run, present)), is: state === 'queued' ? 'now' : 'past' })}
    ${step({ label: 'Running', time: isEnded && started_at ? stopwatch(ranMs(run, present)) : '', is: state === 'running' ? 'now' : isEnded && started_at ? 'past' : 'ahead' })}
    ${step({ label: end, time: '', is: isEnded ? 'past' : 'ahead', state: isEnded ? state : undefined })}
  </ol>`
}

interface Step {
  label: string
  time: string
  is: 'past' | 'now' | 'ahead'
  state?: Run['state'] | undefined
}

function step({ label, time, is, state }: Step) {
  const isBad = state !== undefined && state !== 'done'
  return html`<li class=${classes('run-step', `is-${is}`, state && `is-${state}`)} aria-current=${is === 'now' ? 'step' : undefined}>
    ${is === 'now' && html`<span class="run-dot"></span>`}
    ${is === 'past' && html`<${Glyph} name=${isBad ? 'close' : 'check'} />`}
    ${label}${time && html` <span class="run-step-time">${time}</span>`}
  </li>`
}
