import { useEffect, useMemo } from 'preact/hooks'
import { api } from '../../shared/api.js'
import { Dialog } from '../../shared/dialog.js'
import { html } from '../../shared/html.js'
import { ProblemNote } from '../../shared/problem-note.js'
import { createResource } from '../../shared/resource.js'
import { Time } from '../../shared/time-view.js'
import type { ApiToken, List } from '../../shared/wire.js'

/** The tokens of whoever is logged in. */
export function OwnTokens({ onClose }: { onClose: () => void }) {
  const tokens = useMemo(() => createResource(signal => api<List<ApiToken>>('/api/me/tokens', { signal })), [])
  useEffect(() => void tokens.load(), [tokens])
  const { items } = tokens.value.value ?? {}
  return html`<${Dialog} title="Your tokens" onClose=${onClose}>
    ${tokens.problem.value && html`<${ProblemNote} what="Your tokens could not be loaded." problem=${tokens.problem.value} onRetry=${tokens.load} />`}
    ${items?.length === 0 && html`<p>You have no tokens.</p>`}
    <ul>${items?.map(token => html`<li><code>${token.prefix}…</code> since <${Time} at=${token.created_at} as="date" /></li>`)}</ul>
  <//>`
}
