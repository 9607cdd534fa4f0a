import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Dialog } from '../../shared/controls/dialog.js'
import { Glyph } from '../../shared/controls/glyph.js'
import { Note } from '../../shared/controls/note.js'
import { showToast } from '../../shared/controls/toast.js'
import { type Children, html } from '../../shared/html.js'
import { reasonOf } from '../../shared/server/api.js'
import {
  type Execution,
  execute,
  HeldTokenStatus,
  holdsTokens,
  isRefusal,
  isToken,
  missingTokens,
  ofBoard,
  refusalWords,
} from './executor-token.js'

export interface ExecutionDialogProps<T> {
  title: string
  /** Label of the button that executes it. */
  action: string
  run: Execution<T>
  onDone: (done: T) => void
  onClose: () => void
  /** Describes what will be done, where, and how long. */
  children?: Children
}

/**
 * Executes with the held tokens; the dialog is needed if they are missing or refused. Other failures are shown.
 *
 * @param setAsking shows the dialog
 */
export function useExecution<T>(run: Execution<T>, onDone: (done: T) => void) {
  const [isAsking, setAsking] = useState(false)
  const [isInProgress, setInProgress] = useState(false)
  const start = async () => {
    if (isInProgress) return
    if (!holdsTokens()) {
      setAsking(true)
      return
    }
    setInProgress(true)
    try {
      onDone(await execute(run))
    } catch (error) {
      if (isRefusal(error)) setAsking(true)
      else showToast({ words: reasonOf(error) })
    }
    setInProgress(false)
  }
  return { start, isInProgress, isAsking, onClose: () => setAsking(false) }
}

interface Problem {
  words: string
  /** Board whose token the dialog concerns; all of them when absent. */
  board?: string
}

/**
 * Asks for missing executor tokens, then executes the action. Tokens stay in this page's memory.
 */
export function ExecutionDialog<T>({ title, action, run, onDone, onClose, children }: ExecutionDialogProps<T>) {
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map())
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const [isInProgress, setInProgress] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const id = useId()

  const missing = missingTokens.value

  // After the fields are rendered, which they are not until a held token is refused. The error comes last and may be
  // out of view on a phone.
  useLayoutEffect(() => {
    if (!problem) return
    form.current?.querySelector<HTMLInputElement>('input[aria-invalid]')?.focus()
    form.current?.lastElementChild?.scrollIntoView({ block: 'nearest' })
  }, [problem])

  const submit = async (event: Event) => {
    event.preventDefault()
    if (isInProgress) return
    const words = new Map(missing.map(board => [board, (typed.get(board) ?? '').trim()]))
    for (const [board, word] of words) {
      if (isToken(word)) continue
      setProblem({ words: word === '' ? 'Required.' : refusalWords(), board })
      return
    }
    setInProgress(true)
    setProblem(undefined)
    try {
      const done = await execute(run, words)
      onClose()
      onDone(done)
    } catch (error) {
      setInProgress(false)
      setProblem({ words: isRefusal(error) ? refusalWords() : reasonOf(error) })
      if (isRefusal(error)) setTyped(new Map())
    }
  }
  const foot = html`<button type="button" class="button quiet" onClick=${onClose}>Cancel</button>
    <button type="submit" form=${id} class="button danger primary" aria-disabled=${isInProgress || undefined}>${action}</button>`
  return html`<${Dialog} title=${title} class="execution-dialog" foot=${foot} onClose=${onClose}>
    <form ref=${form} id=${id} class="form" autocomplete="off" onSubmit=${submit}>
      <div class="execution-what">${children}</div>
      <${HeldTokenStatus} />
      ${missing.map(
        (board, index) => html`<${TokenField} key=${board} of=${ofBoard(board)} value=${typed.get(board) ?? ''}
          hint=${`${id}-hint`} isFirst=${index === 0} isInvalid=${problem !== undefined && (problem.board ?? board) === board}
          onType=${(text: string) => setTyped(new Map(typed).set(board, text))} />`,
      )}
      ${
        missing.length > 0 &&
        html`<p id=${`${id}-hint`} class="field-hint">Kept only in this page’s memory, until you reload or choose <strong>Forget ${missing.length === 1 ? 'it' : 'them'}</strong>.</p>`
      }
      ${problem && html`<${Note} kind="danger" what=${problem.words} />`}
    </form>
  <//>`
}

interface TokenFieldProps {
  /** Suffix after "token" that names the board. */
  of: string
  value: string
  /** Id of the element that describes the field. */
  hint: string
  isInvalid: boolean
  /** Whether it gets the initial focus. */
  isFirst: boolean
  onType: (text: string) => void
}

/** Input for a token, hidden from browser history and password managers. */
function TokenField({ of, value, hint, isInvalid, isFirst, onType }: TokenFieldProps) {
  const [isShown, setShown] = useState(false)
  const id = useId()
  return html`<div>
    <label class="field-label" for=${id}>Executor token${of}</label>
    <div class="inset-field">
      <input id=${id} class="field" type=${isShown ? 'text' : 'password'} autocomplete="off" autocapitalize="off"
        spellcheck=${false} data-1p-ignore data-lpignore="true" autofocus=${isFirst} value=${value}
        aria-describedby=${hint} aria-invalid=${isInvalid || undefined}
        onInput=${(event: Event) => onType((event.target as HTMLInputElement).value)} />
      <button type="button" class="button quiet icon" aria-label=${`Show the token${of}`} aria-pressed=${isShown}
        onClick=${() => setShown(!isShown)}><${Glyph} name="eye" /></button>
    </div>
  </div>`
}
