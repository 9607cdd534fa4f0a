import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { TextField } from '../shared/controls/field.js'
import { Glyph } from '../shared/controls/glyph.js'
import { Note } from '../shared/controls/note.js'
import { html } from '../shared/html.js'
import { reasonOf, useSending } from '../shared/server/api.js'
import { enterKey } from './access.js'
import { UNSAVED } from './runs/execution.js'

/** The login by API key only. The key stays in this page's memory and is sent with every call. */
export function KeyView() {
  const [key, setKey] = useState('')
  const [refusal, setRefusal] = useState('')
  const { isSending, problem, send } = useSending()
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => field.current?.focus(), [isSending])
  const enter = async () => {
    setRefusal('')
    if (await enterKey(key)) return
    setRefusal(key.trim() === '' ? 'Required.' : 'This key is not valid.')
    setKey('')
  }
  const submit = (event: Event) => {
    event.preventDefault()
    void send(enter)
  }
  const words = problem === undefined ? refusal : reasonOf(problem)
  return html`<div class="key-view">
    <form class="key-card form" autocomplete="off" onSubmit=${submit}>
      <h1>This board requires its API key.</h1>
      ${words && html`<${Note} kind="danger" what=${words} />`}
      <${TextField} label="API key" secret="the key" value=${key} onChange=${setKey} field=${field} ...${UNSAVED}
        hint="Kept only in this page’s memory, until you reload." />
      <button type="submit" class="button primary" aria-disabled=${isSending || undefined}><${Glyph} name="key" />Show the board</button>
    </form>
  </div>`
}
