import { useRef, useState } from 'preact/hooks'
import type { BrowserSession } from '#model/accounts/user'
import type { List } from '#model/ledger-answers'
import { announce } from '../../shared/announce.js'
import { LoadProblem, ProblemNote } from '../../shared/controls/note.js'
import { html } from '../../shared/html.js'
import { ApiProblem, api, segment, useResource } from '../../shared/server/api.js'
import { Time } from '../../shared/words/time-view.js'

/** A user's browser sessions, with buttons to end them. @param path of the user: `/api/me`, `/api/users/…` */
export function SessionList({ path }: { path: string }) {
  const sessions = useResource(signal => api<List<BrowserSession>>(`${path}/sessions`, { signal }), [path])
  const [problem, setProblem] = useState<unknown>(undefined)
  const heading = useRef<HTMLHeadingElement>(null)
  const { items = [] } = sessions.value.value ?? {}
  const hasCurrent = items.some(session => session.is_current)
  /** @param which none: all but the current one */
  const end = async (which?: BrowserSession) => {
    setProblem(undefined)
    try {
      await api(`${path}/sessions${which ? `/${segment(which.id)}` : ''}`, { method: 'DELETE' })
      announce(which ? 'The session has ended' : 'The sessions have ended')
      // Its button goes.
      heading.current?.focus()
    } catch (failure) {
      // Ended already.
      if (!(failure instanceof ApiProblem && failure.status === 404)) setProblem(failure)
    }
    await sessions.load()
  }
  return html`<div class="tokens-head row">
      <h3 ref=${heading} tabindex=${-1}>Sessions</h3>
      ${items.length > 1 && html`<button type="button" class="button small push" onClick=${() => end()}>${hasCurrent ? 'End all others' : 'End all'}</button>`}
    </div>
    <${LoadProblem} of=${sessions} what="The sessions could not be loaded." />
    ${problem !== undefined && html`<${ProblemNote} what="The session was not ended." problem=${problem} />`}
    ${sessions.value.value && items.length === 0 && html`<p class="quiet-text">Not logged in anywhere.</p>`}
    <ul class="tokens">${items.map(
      session => html`<li key=${session.id} class="token">
        <span class="token-times">${session.address ?? 'unknown address'}${session.is_current && html`<span><span class="tag accent">this browser</span></span>`}</span>
        <span class="token-times"><span>began <${Time} at=${session.created_at} as="relative" /></span>
          <span class="hint">used <${Time} at=${session.last_used_at} as="relative" /></span></span>
        ${
          !session.is_current &&
          html`<button type="button" class="button small quiet danger" aria-label=${`End the session from ${session.address ?? 'an unknown address'}`}
                onClick=${() => end(session)}>End</button>`
        }
      </li>`,
    )}</ul>`
}
