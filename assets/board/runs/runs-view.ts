import { useState } from 'preact/hooks'
import type { Run } from '#model/board/run'
import { href } from '../../shared/address.js'
import { Panel } from '../../shared/controls/dialog.js'
import { LoadProblem, ProblemNote, Unloaded } from '../../shared/controls/note.js'
import { classes, html } from '../../shared/html.js'
import { useSending } from '../../shared/server/api.js'
import { ViewTitle } from '../../shared/shell.js'
import { Words } from '../../shared/words/text-view.js'
import { Time } from '../../shared/words/time-view.js'
import { boardQuery, place } from '../board-address.js'
import { BoardSwitch } from '../board-switch.js'
import { Stopwatch } from '../cards/card-tile.js'
import { areLoaded, shownCard } from '../cards/cards.js'
import { joined, RunDetail, RunMark } from './card-runs.js'
import { ExecutorBar, HeldTokenStatus } from './execution.js'
import { MODE_NAMES, STATE_NAMES, shortId } from './run-words.js'
import { newest, newestRuns, olderRuns } from './runs.js'

/** All runs of the board, newest first, with one of them in the panel. */
export function RunsView() {
  const { run: openId } = place.value.value
  const page = newestRuns.value
  const close = () => place.set({ run: '' })
  return html`<div class="view-main fill">
      <header class="view-head row wrap">
        <${ViewTitle} title="Runs" /><span class="push"></span><${ExecutorBar} /><${BoardSwitch} />
      </header>
      ${page && html`<div class="view-pad"><${LoadProblem} of=${newest} what="The runs may be outdated." /></div>`}
      <div class="view-scroll" tabindex="0" role="group" aria-label="Runs, list">
        ${!page && html`<${Unloaded} of=${newest} name="runs" />`}
        ${page?.items.length === 0 && html`<${NoRuns} />`}
        ${page && page.items.length > 0 && html`<${RunTable} key=${String(boardQuery.value)} newest=${page.items} next=${page.next} openId=${openId} />`}
      </div>
    </div>
    ${
      openId !== '' &&
      html`<${Panel} label=${`Run ${shortId(openId)}`} size="card" onClose=${close} foot=${html`<${RunFoot} id=${openId} />`}>
        <${RunDetail} key=${openId} id=${openId} onStarted=${({ id }: Run) => place.set({ run: id })} />
      <//>`
    }`
}

function NoRuns() {
  return html`<div class="empty-state stack">
    <h2>No runs yet.</h2>
    <p class="quiet-text">Open a card and choose Dry run: it shows what a real run would start, without starting it.</p>
  </div>`
}

interface RunTableProps {
  newest: readonly Run[]
  next: number | null
  openId: string
}

function RunTable({ newest, next, openId }: RunTableProps) {
  const [older, setOlder] = useState<readonly Run[]>([])
  /** Start of the next page; undefined until one was requested. */
  const [after, setAfter] = useState<number | null | undefined>(undefined)
  const { problem, send } = useSending()
  const from = after === undefined ? next : after
  const runs = joined(newest, older)
  const more = async () => {
    if (from === null) return
    const page = await olderRuns(from)
    setOlder([...older, ...page.items])
    setAfter(page.next)
  }
  return html`<table class="table run-table">
      <thead><tr><th scope="col">State</th><th scope="col">Card</th><th scope="col">Mode</th><th scope="col" class="run-asked">Requested</th><th scope="col" class="number">Took</th></tr></thead>
      <tbody>${runs.map(run => html`<${RunRow} key=${run.id} run=${run} isOpen=${run.id === openId} />`)}</tbody>
    </table>
    ${from !== null && html`<p class="list-more"><button type="button" class="button" onClick=${() => void send(more)}>Show older runs</button></p>`}
    ${problem !== undefined && html`<div class="view-pad"><${ProblemNote} what="The older runs could not be loaded." problem=${problem} /></div>`}`
}

function RunRow({ run, isOpen }: { run: Run; isOpen: boolean }) {
  const card = shownCard(run.card_id)
  return html`<tr class=${classes(isOpen && 'is-selected')}>
    <td><a class="row-name touch" href=${href('/runs', place.query({ run: run.id }))}><span class="row" aria-hidden="true"><${RunMark} state=${run.state} /></span><span class="anywhere">${STATE_NAMES[run.state]}</span></a></td>
    <td>${
      card
        ? html`<a class="reach" href=${href('/', place.query({ card: card.id, show: 'runs', run: run.id }))}><${Words} text=${card.title} /></a>`
        : html`<span class="quiet-text">${areLoaded.value ? 'deleted' : ''}</span>`
    }</td>
    <td>${MODE_NAMES[run.mode]}</td>
    <td class="run-asked"><${Time} at=${run.created_at} as="relative" /></td>
    <td class="number">${run.started_at && html`<${Stopwatch} run=${run} />`}</td>
  </tr>`
}

function RunFoot({ id }: { id: string }) {
  const run = newestRuns.value?.items.find(run => run.id === id)
  const card = run && shownCard(run.card_id)
  return html`${card && html`<a class="button" href=${href('/', place.query({ card: card.id, show: 'runs', run: id }))}>Open the card</a>`}
    <${HeldTokenStatus} />`
}
