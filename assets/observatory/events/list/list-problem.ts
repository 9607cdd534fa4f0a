import { CopyButton } from '../../../shared/controls/copy.js'
import { Glyph } from '../../../shared/controls/glyph.js'
import { html } from '../../../shared/html.js'
import { ApiProblem, reasonOf } from '../../../shared/server/api.js'
import { rootPath } from '../../../shared/server/root-path.js'
import { retryList } from './event-list-state.js'

/** Shown instead of rows if none could be loaded. */
export function ListProblem({ problem }: { problem: unknown }) {
  const known = problem instanceof ApiProblem ? problem : undefined
  const isAsked = known !== undefined && known.status >= 400 && known.status < 500
  const code = [known?.status || undefined, known?.code].filter(Boolean).join(' ')
  const small = [code, known?.requestId && `request ${known.requestId}`].filter(Boolean).join(' · ')
  return html`<section class="events-blank" aria-label="Events">
    <div class="events-state" role="alert">
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
