import { useId, useRef, useState } from 'preact/hooks'
import { Dialog } from '../shared/dialog.js'
import { Glyph } from '../shared/glyph.js'
import { type Children, html } from '../shared/html.js'
import { Note } from '../shared/note.js'
import { reasonOf } from './cards.js'
import { type Execution, execute, holdsToken, isRefusal, isToken, REFUSED } from './executor-token.js'
import { HeldToken } from './held-token.js'

export interface ExecutionDialogProps<T> {
  title: string
  /** What the button says; it is the one that does it. */
  action: string
  run: Execution<T>
  onDone: (done: T) => void
  onClose: () => void
  /** What will be done, where, how long. */
  children?: Children
}

/**
 * Asks for the executor's token unless it is held, and does what needs it. The token stays in this page's memory.
 */
export function ExecutionDialog<T>({ title, action, run, onDone, onClose, children }: ExecutionDialogProps<T>) {
  const [token, setToken] = useState('')
  const [problem, setProblem] = useState('')
  const [isUnderWay, setUnderWay] = useState(false)
  const [isShown, setShown] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const id = useId()

  const isHeld = holdsToken()

  const submit = async (event: Event) => {
    event.preventDefault()
    if (isUnderWay) return
    const word = token.trim()
    if (!isHeld && !isToken(word)) {
      setProblem(word === '' ? 'This is needed.' : REFUSED)
      field.current?.focus()
      return
    }
    setUnderWay(true)
    setProblem('')
    try {
      const done = await execute(run, isHeld ? undefined : word)
      onClose()
      onDone(done)
    } catch (error) {
      setUnderWay(false)
      setProblem(isRefusal(error) ? REFUSED : reasonOf(error))
      if (isRefusal(error)) setToken('')
      field.current?.focus()
    }
  }
  const foot = html`<button type="button" class="button quiet" onClick=${onClose}>Cancel</button>
    <button type="submit" form=${id} class="button danger primary" aria-disabled=${isUnderWay || undefined}>${action}</button>`
  return html`<${Dialog} title=${title} class="execution-dialog" foot=${foot} onClose=${onClose}>
    <form id=${id} class="form" autocomplete="off" onSubmit=${submit}>
      <div class="execution-what">${children}</div>
      ${
        isHeld
          ? html`<${HeldToken} />`
          : html`<div>
        <label class="field-label" for=${`${id}-token`}>Executor token</label>
        <div class="token-field">
          <input ref=${field} id=${`${id}-token`} class="field" type=${isShown ? 'text' : 'password'} autocomplete="off"
            autocapitalize="off" spellcheck=${false} data-1p-ignore data-lpignore="true" autofocus value=${token}
            aria-describedby=${`${id}-hint`} aria-invalid=${problem !== '' || undefined}
            onInput=${(event: Event) => setToken((event.target as HTMLInputElement).value)} />
          <button type="button" class="button quiet icon" aria-label="Show the token" aria-pressed=${isShown}
            onClick=${() => setShown(!isShown)}><${Glyph} name="eye" /></button>
        </div>
        <p id=${`${id}-hint`} class="field-hint">Kept in this page’s memory only. Gone when you reload, or on <strong>Forget it</strong>.</p>
      </div>`
      }
      ${problem && html`<${Note} kind="danger" what=${problem} />`}
    </form>
  <//>`
}
