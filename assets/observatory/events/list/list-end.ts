import { CopyButton } from '../../../shared/controls/copy.js'
import { Glyph } from '../../../shared/controls/glyph.js'
import { html } from '../../../shared/html.js'
import { ApiProblem, reasonOf } from '../../../shared/server/api.js'
import { rootPath } from '../../../shared/server/root-path.js'
import { now } from '../../../shared/words/now.js'
import { dateWords, dayHeading, dayOf, toMs } from '../../../shared/words/time.js'
import { overview } from '../../overview.js'
import { rangeOf } from '../filters/filters.js'
import { loaded, loading, retryList } from './event-list-state.js'

/** Below the last row: more to load, or the end. Part of a list box, so it cannot contain buttons. */
export function ListEnd() {
  if (loading.value === 'older' || loaded.value.hasOlder) return html`<${SkeletonRows} count=${3} />`
  return html`<div class="events-end hint"><${Beginning} /></div>`
}

function Beginning() {
  const first = overview.value.value?.stats.first_captured_at
  const { from } = rangeOf(now.value)
  if (from === undefined || (first && toMs(first) >= toMs(from))) {
    return html`<p>This is the first event of the ledger${first && `, ${longDate(first)}`}.</p>`
  }
  const earlier = first ? `Earlier events go back to ${longDate(first)}` : 'There are earlier events'
  return html`<p>The range starts on ${dateWords(from, now.value)}. ${earlier}: choose a longer range.</p>`
}

/** `3 March 2026` */
function longDate(instant: string): string {
  const words = dayHeading(dayOf(instant), 0)
  return words.slice(words.indexOf(' ') + 1)
}

/** Shown instead of rows if none could be loaded. */
export function ListProblem({ problem }: { problem: unknown }) {
  const known = problem instanceof ApiProblem ? problem : undefined
  const isAsked = known !== undefined && known.status >= 400 && known.status < 500
  const code = [known?.status || undefined, known?.code].filter(Boolean).join(' ')
  const small = [code, known?.requestId && `request ${known.requestId}`].filter(Boolean).join(' · ')
  return html`<section class="events-blank" aria-label="Events">
    <div class="events-state stack" role="alert">
      <${Glyph} name="warning" />
      <h2>${isAsked ? 'This search is not valid' : 'The events could not be loaded'}</h2>
      <p>${reasonOf(problem)} Recorded events are safe.</p>
      <div class="buttons">
        <button type="button" class="button primary" onClick=${retryList}>Try again</button>
        <a class="button" href=${`${rootPath}/api/health`}>See health</a>
      </div>
      ${small && html`<p class="hint"><span class="code">${small}</span> <${CopyButton} text=${() => small} label="Copy" /></p>`}
    </div>
  </section>`
}

/** Placeholder rows during loading. */
export function SkeletonRows({ count }: { count: number }) {
  return html`<div aria-hidden="true">
    ${Array.from(
      { length: count },
      (_, at) => html`<div key=${at} class="event-row is-skeleton">
        <span class="event-time"><span class="skeleton"></span></span>
        <span class="event-glyph"><span class="skeleton"></span></span>
        <div class="event-sentence">
          <p class="event-line"><span class="skeleton"></span></p>
          <p class="event-said"><span class="skeleton"></span></p>
        </div>
      </div>`,
    )}
  </div>`
}
