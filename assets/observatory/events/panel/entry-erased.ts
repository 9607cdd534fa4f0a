import type { StoredEvent } from '#model/events/event'
import { html } from '../../../shared/html.js'
import { now } from '../../../shared/words/now.js'
import { Words } from '../../../shared/words/text-view.js'
import { clockTime, dateWords, exactTime } from '../../../shared/words/time.js'

const SHORT = 300

/** Who erased the content of an event, when and why. */
export function EntryErased({ event: { erased } }: { event: StoredEvent }) {
  if (!erased) return null
  const { at, by, reason } = erased
  return html`<section class="panel-section" aria-label="Erased">
    <h3>Erased</h3>
    <p>The content of this event was erased. Its key, kind, times and counts stay.</p>
    <dl class="entry-facts">
      <div><dt>Reason</dt><dd><${Words} text=${reason} limit=${SHORT * 2} /></dd></div>
      <div><dt>By</dt><dd><${Words} text=${by} limit=${SHORT} /></dd></div>
      <div><dt>On</dt><dd>${dateWords(at, now.value)} <time class="code" datetime=${at} title=${exactTime(at)}>${clockTime(at)}</time></dd></div>
    </dl>
  </section>`
}
