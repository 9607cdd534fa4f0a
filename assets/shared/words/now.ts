import { type ReadonlySignal, signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'

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

/** Current time, updated every second while it is needed. */
export function useSeconds(isNeeded: boolean): number {
  const [present, setPresent] = useState(Date.now())
  useEffect(() => {
    if (!isNeeded) return
    setPresent(Date.now())
    const timer = window.setInterval(() => setPresent(Date.now()), 1000)
    return () => window.clearInterval(timer)
  }, [isNeeded])
  return present
}
