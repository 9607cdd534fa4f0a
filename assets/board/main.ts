import { effect, untracked } from '@preact/signals'
import { render } from 'preact'
import { startAddress } from '../shared/address.js'
import { keepDrafts } from '../shared/drafts.js'
import { html } from '../shared/html.js'
import { onReturn, outage } from '../shared/server/connection.js'
import { accessMode, isIn, loadAccess } from './access.js'
import { Board, PATHS } from './board.js'
import { backends, boardName } from './board-address.js'
import { loadCards, resetCards } from './cards/cards.js'
import { openRequestedCards } from './cards/requested-card.js'
import { isBusy, loadRuns, resetRuns } from './runs/runs.js'

const EVERY_MS = 20_000
/** Interval of refreshes while a run is queued or running. */
const BUSY_EVERY_MS = 3_000
/** Several returns to the page within this time cause only one request. */
const SOON_MS = 2_000

let refreshedAt = 0

async function refresh(): Promise<void> {
  refreshedAt = Date.now()
  await Promise.all([loadCards(), loadRuns()])
}

function keepFresh(): void {
  let shown: string | undefined
  effect(() => {
    const board = boardName.value
    if (!isIn.value) return
    untracked(() => {
      if (shown !== undefined && shown !== board) {
        resetCards()
        resetRuns()
      }
      shown = board
      void refresh()
      void backends.load()
    })
  })
  onReturn(comeBack)
  const look = () => {
    if (document.visibilityState === 'visible' && Date.now() - refreshedAt > SOON_MS) comeBack()
  }
  document.addEventListener('visibilitychange', look)
  window.addEventListener('focus', look)
  window.setInterval(() => {
    if (document.visibilityState !== 'visible' || !isIn.peek() || outage.peek() !== undefined) return
    if (Date.now() - refreshedAt >= EVERY_MS) void refresh()
    else if (isBusy.peek()) void loadRuns()
  }, BUSY_EVERY_MS)
}

function comeBack(): void {
  if (accessMode.peek() === undefined) void loadAccess()
  else if (isIn.peek()) void refresh()
}

startAddress(PATHS)
openRequestedCards()
render(html`<${Board} />`, document.getElementById('app') as HTMLElement)
keepFresh()
void loadAccess()
// Drafts survive a reload, too.
window.addEventListener('pagehide', keepDrafts)
