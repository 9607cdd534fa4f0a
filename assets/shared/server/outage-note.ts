import { useEffect, useState } from 'preact/hooks'
import { Note } from '../controls/note.js'
import { keepDrafts } from '../drafts.js'
import { html } from '../html.js'
import { clockTime, fromMs } from '../words/time.js'
import { isOutdated, outage, tryNow } from './connection.js'

/** Shown above the view while the server does not respond, and once it has another version of the page. */
export function OutageNote() {
  const current = outage.value
  const seconds = useSecondsUntil(current?.retryAt)
  if (!current) return isOutdated.value ? html`<${OutdatedNote} />` : null
  const again = html`<button type="button" class="button small" onClick=${() => void tryNow()}>Try now</button>`
  const words = seconds > 0 ? `Trying again in ${seconds}\u202fs.` : 'Trying again…'
  return html`<section class="outage" aria-label="Connection">
    <${Note} kind="warn" what=${`The server has not answered since ${clockTime(fromMs(current.since))}.`} actions=${again}>
      You can read on. ${words}
    <//>
  </section>`
}

/** The address holds the state of the view. */
function OutdatedNote() {
  const reload = () => {
    keepDrafts()
    location.reload()
  }
  const action = html`<button type="button" class="button small" onClick=${reload}>Reload</button>`
  return html`<section class="outage" aria-label="Version">
    <${Note} kind="info" what="A new version of Daybook is running." actions=${action}>Reload the page to use it.<//>
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
