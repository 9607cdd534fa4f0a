import { useEffect, useState } from 'preact/hooks'
import { Note } from '../controls/note.js'
import { html } from '../html.js'
import { clockTime, fromMs } from '../words/time.js'
import { outage, tryNow } from './connection.js'

/** Shown above the view while the server does not respond. */
export function OutageNote() {
  const current = outage.value
  const seconds = useSecondsUntil(current?.retryAt)
  if (!current) return null
  const again = html`<button type="button" class="button small" onClick=${() => void tryNow()}>Try now</button>`
  const words = seconds > 0 ? `Trying again in ${seconds}\u202fs.` : 'Trying again…'
  return html`<section class="outage" aria-label="Connection">
    <${Note} kind="warn" what=${`The server has not answered since ${clockTime(fromMs(current.since))}.`} actions=${again}>
      You can read on. ${words}
    <//>
  </section>`
}

function useSecondsUntil(instant: number | undefined): number {
  const [present, setPresent] = useState(Date.now())
  useEffect(() => {
    if (instant === undefined) return
    setPresent(Date.now())
    const timer = window.setInterval(() => setPresent(Date.now()), 1000)
    return () => window.clearInterval(timer)
  }, [instant])
  return instant === undefined ? 0 : Math.max(0, Math.ceil((instant - present) / 1000))
}
