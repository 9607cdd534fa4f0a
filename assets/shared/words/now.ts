import { type ReadonlySignal, signal } from '@preact/signals'

const TICK_MS = 10_000

const ticking = signal(Date.now())
window.setInterval(() => {
  if (document.visibilityState === 'visible') ticking.value = Date.now()
}, TICK_MS)
document.addEventListener('visibilitychange', () => {
  ticking.value = Date.now()
})

/** Current time in epoch milliseconds, updated every ten seconds while the page is visible. */
export const now: ReadonlySignal<number> = ticking
