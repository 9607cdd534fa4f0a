import type { Card } from '#model/board/card'
import type { Run, RunState } from '#model/board/run'
import { announce } from '../../shared/announce.js'
import { Glyph } from '../../shared/controls/glyph.js'
import { LoadProblem } from '../../shared/controls/note.js'
import { classes, html } from '../../shared/html.js'
import { segment, useResource } from '../../shared/server/api.js'
import { Time } from '../../shared/words/time-view.js'
import { boardApi } from '../board-address.js'
import { Stopwatch } from '../cards/card-tile.js'
import { useExecution, whyTokens } from './execution.js'
import { LogView } from './log-view.js'
import { PlanFacts, RunAgain } from './run-buttons.js'
import { isOver, MODE_NAMES, ranMs, runFailureReason, STATE_NAMES, shortId, stopwatch, waitedMs } from './run-words.js'
import { loadRuns, newestRuns, noteRun, type RunPage } from './runs.js'

interface CardRunsProps {
  card: Card
  /** The selected run; falls back to the newest. */
  chosen: string
  onChoose: (id: string) => void
}

const SHOWN = 12

export function CardRuns({ card, chosen, onChoose }: CardRunsProps) {
  const query = { card_id: card.id, limit: 50 }
  const older = useResource<RunPage>(signal => boardApi('/runs', { query, signal }), [card.id])
  const newest = newestRuns.value?.items.filter(run => run.card_id === card.id) ?? []
  const runs = joined(newest, older.value.value?.items ?? [])
  const shown = chosen || runs[0]?.id
  if (older.problem.value !== undefined && runs.length === 0) {
    return html`<div class="panel-notes stack"><${LoadProblem} of=${older} what="The runs could not be loaded." /></div>`
  }
  if (older.value.value && runs.length === 0) {
    return html`<section class="panel-section stack">
      <h3>No runs of this card yet.</h3>
      <p class="quiet-text">A dry run shows what a real run would start. A mock run simulates the states of a run. Neither starts anything.</p>
    </section>`
  }
  return html`<nav class="run-chips row" aria-label="Runs of this card">
      ${runs.slice(0, SHOWN).map(
        run => html`<button type="button" key=${run.id} class="run-chip chip quiet" aria-current=${run.id === shown ? 'true' : undefined}
          onClick=${() => onChoose(run.id)}>
          <${RunMark} state=${run.state} />${MODE_NAMES[run.mode]}${' '}
          ${run.state === 'running' || run.state === 'queued' ? STATE_NAMES[run.state].toLowerCase() : html`<${Time} at=${run.created_at} as="relative" />`}
        </button>`,
      )}
    </nav>
    ${shown && html`<${RunDetail} key=${shown} id=${shown} onStarted=${({ id }: Run) => onChoose(id)} />`}`
}

const COLOURS: Partial<Record<RunState, string>> = { done: 'is-ok', failed: 'is-danger', interrupted: 'is-warn' }

/** The state of a run as a mark, next to words. */
export function RunMark({ state }: { state: RunState }) {
  if (state === 'running' || state === 'queued')
    return html`<span class=${classes('status-dot is-accent', state === 'queued' && 'is-open')}></span>`
  const glyph = state === 'done' ? 'check' : state === 'interrupted' ? 'warning' : 'close'
  return html`<${Glyph} name=${glyph} class=${COLOURS[state] ?? ''} /><span class="visually-hidden">${STATE_NAMES[state]}: </span>`
}

/** Merges two lists; a newer copy replaces an older one. */
export function joined(newer: readonly Run[], older: readonly Run[]): Run[] {
  const known = new Set(newer.map(({ id }) => id))
  return [...newer, ...older.filter(({ id }) => !known.has(id))]
}

/** One run: its state, its plan or log, and a button to cancel it or to start another like it. */
export function RunDetail({ id, onStarted }: { id: string; onStarted: (run: Run) => void }) {
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
    ${runFailureReason(run) && html`<p class="dim-text">${runFailureReason(run)}</p>`}
    ${run.plan && html`<${Plan} run=${run} />`}
    ${(run.mode !== 'dry_run' || run.log_bytes > 0) && html`<${LogView} key=${run.id} run=${run} onEnd=${ended} />`}
  </section>`
}

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

/** Time limit of a cancellation. Ending a run by force takes less. */
const CANCEL_WITHIN_MS = 60_000

function CancelButton({ run }: { run: Run }) {
  const path = `/runs/${segment(run.id)}/cancel`
  const { start, isInProgress, dialog } = useExecution<Run>({
    ...{ title: 'Cancel this run?', action: 'Cancel run' },
    run: headers => boardApi(path, { method: 'POST', headers, timeoutMs: CANCEL_WITHIN_MS }),
    onDone: cancelled => {
      noteRun(cancelled)
      void loadRuns()
    },
    children: `This stops the program and every process that it started. ${whyTokens()}`,
  })
  return html`<button type="button" class="button danger" aria-disabled=${isInProgress || undefined} onClick=${() => void start()}>
      ${isInProgress ? 'Cancelling…' : 'Cancel run'}
    </button>${dialog}`
}

function Plan({ run: { plan } }: { run: Run }) {
  if (!plan) return null
  const isConfigured = plan.command !== null
  return html`<div class="run-plan stack">
    <p>${isConfigured ? 'Nothing was started. A real run would start this, with the card as JSON on standard input:' : 'Nothing was started: no command is configured on this board.'}</p>
    <${PlanFacts} plan=${plan} />
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
  return html`<li class=${classes('run-step row', is === 'now' ? 'is-now' : is === 'past' && ((state && COLOURS[state]) ?? 'dim-text'))} aria-current=${is === 'now' ? 'step' : undefined}>
    ${is === 'now' && html`<span class="status-dot is-accent"></span>`}
    ${is === 'past' && html`<${Glyph} name=${isBad ? 'close' : 'check'} />`}
    ${label}${time && html` <span class="run-step-time">${time}</span>`}
  </li>`
}
