import { effect, signal } from '@preact/signals'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { IssuedToken, NewToken } from '#model/accounts/user'
import { CopyButton } from '../../shared/controls/copy.js'
import { FieldNote, TextField, textOf } from '../../shared/controls/field.js'
import { Glyph } from '../../shared/controls/glyph.js'
import { ProblemNote } from '../../shared/controls/note.js'
import { Segments } from '../../shared/controls/segments.js'
import { html } from '../../shared/html.js'
import { api, useSending } from '../../shared/server/api.js'
import { DAY, fromMs } from '../../shared/words/time.js'

type May = Required<NewToken>['may']

const RIGHTS: readonly { value: May; label: string }[] = [
  { value: 'all', label: 'Everything' },
  { value: 'read', label: 'Read' },
  { value: 'write', label: 'Record' },
]

const ENDS = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: '', label: 'No end' },
] as const

interface NewTokenFormProps {
  /** Path of the owner: `/api/me`, `/api/users/…`. */
  path: string
  /** `you`, or a name. */
  owner: string
  onIssued: () => void
  onCancel: () => void
}

export function NewTokenForm({ path, owner, onIssued, onCancel }: NewTokenFormProps) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [name, setName] = useState('')
  const [may, setMay] = useState<May>('all')
  const [text, setText] = useState('')
  const [days, setDays] = useState<(typeof ENDS)[number]['value']>('')
  const { isSending, problem, send, refusalOf } = useSending()
  useLayoutEffect(() => field.current?.focus(), [])
  const sources = [...new Set(text.split(/[\s,]+/).filter(source => source !== ''))]
  const cannotIssue = isSending || (may === 'write' && sources.length === 0)
  const [ofName, ofSources] = [refusalOf('/name'), refusalOf('/sources')]
  const submit = (event: Event) => {
    event.preventDefault()
    if (cannotIssue) return
    const end = days === '' ? null : fromMs(Date.now() + Number(days) * DAY)
    const terms = { may, name: name.trim() || null, expires_at: end, ...(may === 'write' ? { sources } : {}) }
    void send(() => issueToken(path, terms).then(onIssued))
  }
  const rights: Record<May, string> = {
    all: owner === 'you' ? 'The same rights as your account.' : `The same rights as ${owner}.`,
    read: 'Reads events and subscriptions; records and changes nothing.',
    write: 'Records events of these sources, and nothing else. Separate several by spaces.',
  }
  return html`<form class="form token-form" novalidate onSubmit=${submit}>
    ${problem !== undefined && ofName === undefined && ofSources === undefined && html`<${ProblemNote} what="No token was issued." problem=${problem} />`}
    <${TextField} label="Name" value=${name} onChange=${setName} field=${field} refusal=${ofName} maxlength="64" hint="What it is for. Optional." />
    <div>
      <${Segments} legend="May" choices=${RIGHTS} value=${may} onChange=${setMay} />
      ${
        may === 'write' &&
        html`<input class="field code" type="text" aria-label="Sources" value=${text} placeholder="ci" autocomplete="off" autocapitalize="none" spellcheck=${false}
        aria-invalid=${ofSources !== undefined} aria-describedby=${id} onInput=${(event: Event) => setText(textOf(event))} />`
      }
      <${FieldNote} id=${id} hint=${rights[may]} refusal=${ofSources} />
    </div>
    <${Segments} legend="Ends after" choices=${ENDS} value=${days} onChange=${setDays} />
    <div class="buttons">
      <button type="submit" class="button small" disabled=${cannotIssue}>${isSending ? 'Issuing…' : 'Issue token'}</button>
      <button type="button" class="button small quiet" onClick=${onCancel}>Cancel</button>
    </div>
  </form>`
}

/**
 * Issued tokens not yet confirmed as saved, by the path of their owner. Only in this page's memory: they survive
 * closing a panel but not leaving the page.
 */
const unsaved = signal<ReadonlyMap<string, IssuedToken>>(new Map())

// The browser asks before the page is left or reloaded.
effect(() => {
  if (unsaved.value.size === 0) return undefined
  const ask = (event: Event) => event.preventDefault()
  window.addEventListener('beforeunload', ask)
  return () => window.removeEventListener('beforeunload', ask)
})

/** @param path of the owner, such as `/api/me` */
export function issuedToken(path: string): IssuedToken | undefined {
  return unsaved.value.get(path)
}

/** @throws ApiProblem */
async function issueToken(path: string, terms: NewToken): Promise<void> {
  const issued = await api<IssuedToken>(`${path}/token`, { body: terms })
  unsaved.value = new Map([...unsaved.value, [path, issued]])
}

/** The token cannot be shown again. */
export function forgetIssued(path: string): void {
  unsaved.value = new Map([...unsaved.value].filter(([other]) => other !== path))
}

interface TokenBoxProps {
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
    <h3 class="row is-accent"><${Glyph} name="key" />New token, shown only once</h3>
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
