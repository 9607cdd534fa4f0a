import { Note } from '../controls/note.js'
import { keepDrafts } from '../drafts.js'
import { html } from '../html.js'
import { useSeconds } from '../words/now.js'
import { clockTime, fromMs } from '../words/time.js'
import { isOutdated, outage, tryNow } from './connection.js'

/** Shown above the view while the server does not respond, and once it has another version of the page. */
export function OutageNote() {
  const current = outage.value
  const present = useSeconds(current !== undefined)
  if (!current) return isOutdated.value ? html`<${OutdatedNote} />` : null
  const again = html`<button type="button" class="button small" onClick=${() => void tryNow()}>Try now</button>`
  const seconds = Math.ceil((current.retryAt - present) / 1000)
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
