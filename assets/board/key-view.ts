import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Glyph } from '../shared/controls/glyph.js'
import { Note } from '../shared/controls/note.js'
import { html } from '../shared/html.js'
import { reasonOf } from '../shared/server/api.js'
import { enterKey } from './access.js'

/** The login by API key only. The key stays in this page's memory and is sent with every call. */
export function KeyView() {
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState('')
  const [isInProgress, setInProgress] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  useLayoutEffect(() => field.current?.focus(), [])
  const submit = async (event: Event) => {
    event.preventDefault()
    if (isInProgress) return
    setProblem('')
    setInProgress(true)
    try {
      if (await enterKey(key)) return
      setProblem(key.trim() === '' ? 'Required.' : 'This key is not valid.')
      setKey('')
    } catch (error) {
      setProblem(reasonOf(error))
    }
    setInProgress(false)
    field.current?.focus()
  }
  return html`<div class="key-view">
    <form class="key-card form" autocomplete="off" onSubmit=${submit}>
      <h1>This board requires its API key.</h1>
      ${problem && html`<${Note} kind="danger" what=${problem} />`}
      <div>
        <label class="field-label" for=${id}>API key</label>
        <input ref=${field} id=${id} class="field" type="password" autocomplete="off" autocapitalize="off" spellcheck=${false}
          data-1p-ignore data-lpignore="true" value=${key} aria-describedby=${`${id}-hint`}
          onInput=${(event: Event) => setKey((event.target as HTMLInputElement).value)} />
        <p id=${`${id}-hint`} class="field-hint">Kept only in this page’s memory, until you reload.</p>
      </div>
      <button type="submit" class="button primary" aria-disabled=${isInProgress || undefined}><${Glyph} name="key" />Show the board</button>
    </form>
  </div>`
}
