import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ProblemNote } from '../../shared/controls/problem-note.js'
import { html } from '../../shared/html.js'
import { ApiProblem } from '../../shared/server/api.js'
import { issueToken } from './issued-tokens.js'

export interface WriterTokenFormProps {
  /** Path of the owner: `/api/me`, `/api/users/…`. */
  path: string
  onIssued: () => void
  onCancel: () => void
}

/** Asks for the sources of a new writer token. */
export function WriterTokenForm({ path, onIssued, onCancel }: WriterTokenFormProps) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<unknown>(undefined)
  const [isIssuing, setIssuing] = useState(false)
  useLayoutEffect(() => field.current?.focus(), [])
  const sources = [...new Set(text.split(/[\s,]+/).filter(source => source !== ''))]
  const refusal = refusalOf(problem)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (isIssuing || sources.length === 0) return
    setIssuing(true)
    setProblem(undefined)
    try {
      await issueToken(path, { may: 'write', sources })
      onIssued()
    } catch (failure) {
      setProblem(failure)
    } finally {
      setIssuing(false)
    }
  }
  return html`<form class="form writer-token" novalidate onSubmit=${submit}>
    ${problem !== undefined && refusal === undefined && html`<${ProblemNote} what="No token was issued." problem=${problem} />`}
    <div class="form-part">
      <label class="field-label" for=${id}>Sources</label>
      <input ref=${field} id=${id} class="field code" type="text" value=${text} placeholder="ci" autocomplete="off" autocapitalize="none" spellcheck=${false}
        aria-invalid=${refusal !== undefined} aria-describedby=${`${id}-hint`} onInput=${(event: InputEvent) => setText((event.target as HTMLInputElement).value)} />
      <p id=${`${id}-hint`} class=${refusal === undefined ? 'field-hint' : 'field-problem'}>${refusal ?? 'The token can only record events of these sources. Separate several by spaces.'}</p>
    </div>
    <div class="buttons">
      <button type="submit" class="button small" disabled=${isIssuing || sources.length === 0}>${isIssuing ? 'Issuing…' : 'Issue token'}</button>
      <button type="button" class="button small quiet" onClick=${onCancel}>Cancel</button>
    </div>
  </form>`
}

function refusalOf(problem: unknown): string | undefined {
  if (!(problem instanceof ApiProblem)) return undefined
  return problem.errors.find(({ field }) => field.startsWith('/sources'))?.detail
}
