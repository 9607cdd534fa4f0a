import { useEffect, useRef, useState } from 'preact/hooks'
import type { ApiToken, BrowserSession } from '#model/accounts/user'
import type { List } from '#model/ledger-answers'
import { announce } from '../../shared/announce.js'
import { AskButton } from '../../shared/controls/ask-button.js'
import { Glyph } from '../../shared/controls/glyph.js'
import { LoadProblem, ProblemNote } from '../../shared/controls/note.js'
import { html } from '../../shared/html.js'
import { api, deleteAt, segment, useResource, useSending } from '../../shared/server/api.js'
import { now } from '../../shared/words/now.js'
import { Time } from '../../shared/words/time-view.js'
import { forgetIssued, issuedToken, NewTokenForm, TokenBox } from './new-token-form.js'

/** Maximum number of tokens, as on the server. */
const MOST = 20

interface TokenListProps {
  /** Path of the owner: `/api/me`, `/api/users/…`. */
  path: string
  /** `you`, or a name. */
  owner: string
  onCounted?: (count: number) => void
}

/** A user's tokens: a new one, shown only once; the others by prefix, with buttons to revoke them. */
export function TokenList({ path, owner, onCounted }: TokenListProps) {
  const tokens = useResource(signal => api<List<ApiToken>>(`${path}/tokens`, { signal }), [path])
  const [isAsking, setAsking] = useState(false)
  const newButton = useRef<HTMLButtonElement>(null)
  const { items } = tokens.value.value ?? {}
  const amount = items?.length
  useEffect(() => {
    if (amount !== undefined) onCounted?.(amount)
  }, [amount])
  const issued = issuedToken(path)
  const oldest = items && items.length >= MOST ? items[0] : undefined

  // The button is disabled while a token is to be saved.
  const focusNew = () => requestAnimationFrame(() => newButton.current?.focus())
  const saved = () => {
    forgetIssued(path)
    focusNew()
  }
  const showIssued = () => {
    setAsking(false)
    void tokens.load()
  }
  const cancel = () => {
    setAsking(false)
    focusNew()
  }
  const gone = (token: ApiToken) => {
    if (issued?.id === token.id) forgetIssued(path)
    announce(`Revoked ${token.prefix}`)
    focusNew()
    void tokens.load()
  }
  return html`
    ${issued && html`<${TokenBox} issued=${issued} owner=${owner} onSaved=${saved} />`}
    <div class="tokens-head row">
      <h3>Tokens</h3>${items && html`<span class="hint">${items.length} of ${MOST}</span>`}
      <button ref=${newButton} type="button" class="button small push" aria-expanded=${isAsking} disabled=${issued !== undefined} onClick=${() => setAsking(!isAsking)}><${Glyph} name="plus" class="small" />New token…</button>
    </div>
    ${isAsking && html`<${NewTokenForm} path=${path} owner=${owner} onIssued=${showIssued} onCancel=${cancel} />`}
    <${LoadProblem} of=${tokens} what=${`${owner === 'you' ? 'Your' : 'The'} tokens could not be loaded.`} />
    ${oldest && html`<p class="hint">A new one revokes the oldest, <code>${oldest.prefix}…</code></p>`}
    ${items?.length === 0 && html`<p class="quiet-text">${owner === 'you' ? 'You have no tokens.' : 'No tokens.'} A token lets a program read or record events without a password.</p>`}
    ${
      items &&
      items.length > 0 &&
      html`<ul class="tokens">${[...items]
        .reverse()
        .map(
          token =>
            html`<${TokenRow} key=${token.id} token=${token} path=${path} isNew=${token.id === issued?.id} onGone=${() => gone(token)} />`,
        )}</ul>`
    }`
}

interface TokenRowProps {
  token: ApiToken
  path: string
  isNew: boolean
  onGone: () => void
}

/** Revoking asks for confirmation and then acts immediately: with a leaked token there is no time for an undo. */
function TokenRow({ token, path, isNew, onGone }: TokenRowProps) {
  const revoke = async () => {
    await deleteAt(`${path}/tokens/${segment(token.id)}`)
    onGone()
  }
  return html`<li class="token">
    <span class="token-times">${token.name && html`<strong>${token.name}</strong>`}<code>${token.prefix}…</code></span>
    <span class="token-times">${token.may === 'read' && html`<span>only reads</span>`}${token.may === 'write' && html`<span>only records <code>${token.sources.join(', ')}</code></span>`}<span>created <${Time} at=${token.created_at} as="relative" />${isNew && html` <span class="tag accent">new</span>`}</span>
      <span class="hint">${token.last_used_at ? html`used <${Time} at=${token.last_used_at} as="relative" />` : 'never used'}</span>
      ${token.expires_at && html`<${End} at=${token.expires_at} />`}</span>
    <${AskButton} label="Revoke" name=${`Revoke ${token.prefix}`} isDanger isQuiet answer="Revoke" run=${revoke}
      question="Programs that use it are refused immediately." failure="The token was not revoked." />
  </li>`
}

function End({ at }: { at: string }) {
  const isOver = Date.parse(at) <= now.value
  return html`<span class=${isOver ? 'field-problem' : 'hint'}>${isOver ? 'ended' : 'ends'} <${Time} at=${at} as="date" /></span>`
}

/** A user's browser sessions, with buttons to end them. @param path of the user: `/api/me`, `/api/users/…` */
export function SessionList({ path }: { path: string }) {
  const sessions = useResource(signal => api<List<BrowserSession>>(`${path}/sessions`, { signal }), [path])
  const { problem, send } = useSending()
  const heading = useRef<HTMLHeadingElement>(null)
  const { items = [] } = sessions.value.value ?? {}
  const hasCurrent = items.some(session => session.is_current)
  /** @param which none: all but the current one */
  const end = (which?: BrowserSession) =>
    send(async () => {
      await deleteAt(`${path}/sessions${which ? `/${segment(which.id)}` : ''}`)
      announce(which ? 'The session has ended' : 'The sessions have ended')
      // The button disappears.
      heading.current?.focus()
      await sessions.load()
    })
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
