import { effect, untracked } from '@preact/signals'
import { outage } from '../shared/server/connection.js'
import { accessMode, isIn, loadAccess } from './access.js'
import { loadCards, resetCards } from './cards/cards.js'
import { backends, boardName } from './place.js'
import { isBusy, loadRuns, resetRuns } from './runs/runs.js'

const EVERY_MS = 20_000
/** While a run is queued or running. */
const BUSY_EVERY_MS = 3_000
/** Two returns to the page within this time cause one request. */
const SOON_MS = 2_000

let refreshedAt = 0

/** Loads cards and runs from the server. */
export async function refresh(): Promise<void> {
  refreshedAt = Date.now()
  await Promise.all([loadCards(), loadRuns()])
}

/** Loads the shown data and keeps it up to date. */
export function keepFresh(): void {
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
  let wasOut = false
  effect(() => {
    const isOut = outage.value !== undefined
    if (wasOut && !isOut) untracked(comeBack)
    wasOut = isOut
  })
  const look = () => {
    if (document.visibilityState === 'visible' && Date.now() - refreshedAt > SOON_MS) comeBack()
  }
  document.addEventListener('visibilitychange', look)
  window.addEventListener('focus', look)
  window.setInterval(() => {
    if (!mayAsk()) return
    if (Date.now() - refreshedAt >= EVERY_MS) void refresh()
    else if (isBusy.peek()) void loadRuns()
  }, BUSY_EVERY_MS)
}

function comeBack(): void {
  if (accessMode.peek() === undefined) void loadAccess()
  else if (isIn.peek()) void refresh()
}

function mayAsk(): boolean {
  return document.visibilityState === 'visible' && isIn.peek() && outage.peek() === undefined
}
