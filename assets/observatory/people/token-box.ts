import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { IssuedToken } from '#model/accounts/user'
import { CopyButton } from '../../shared/controls/copy.js'
import { Glyph } from '../../shared/controls/glyph.js'
import { html } from '../../shared/html.js'

export interface TokenBoxProps {
  issued: IssuedToken
  /** Owner: `nightly-import`, `you`. */
  owner: string
  onSaved: () => void
}

/** A new token in full, until the user confirms having saved it. Asks if it was not copied here. */
export function TokenBox({ issued, owner, onSaved }: TokenBoxProps) {
  const box = useRef<HTMLElement>(null)
  const [copied, setCopied] = useState(false)
  const [isAsked, setAsked] = useState(false)
  useLayoutEffect(() => box.current?.querySelector<HTMLElement>('.copy-token')?.focus(), [issued.id])
  const select = (event: Event) => (event.target as HTMLInputElement).select()
  const sources = issued.sources.join(', ')
  const account = owner === 'you' ? 'your account' : owner
  const may = {
    all: `It has the same rights as ${account}.`,
    read: `It reads what ${account} may read, and changes nothing.`,
    write: `It allows a program to record events of ${sources}, and nothing else.`,
  }[issued.may]
  return html`<section ref=${box} class="token-box" aria-label="New token, shown only once">
    <h3><${Glyph} name="key" />New token, shown only once</h3>
    <textarea class="field code token-whole" readonly rows="2" aria-label="Token" spellcheck=${false} onFocus=${select} onClick=${select} onCopy=${() => setCopied(true)}
      value=${issued.token}></textarea>
    <p>Copy it now. Daybook keeps only a digest and cannot show it again. ${may}</p>
    ${isAsked && !copied && html`<p role="alert"><strong>You have not copied the token.</strong> Closing this box discards it from the page.</p>`}
    <div class="buttons">
      <${CopyButton} text=${() => issued.token} label="Copy token" class="primary copy-token" onCopied=${() => setCopied(true)} />
      <button type="button" class="button" onClick=${() => (copied || isAsked ? onSaved() : setAsked(true))}>${isAsked && !copied ? 'Close anyway' : 'I have saved it'}</button>
    </div>
  </section>`
}
