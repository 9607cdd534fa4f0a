import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { announce } from '../../shared/announce.js'
import { html } from '../../shared/html.js'
import { isCoarse } from '../../shared/media.js'
import { reasonOf } from '../../shared/server/api.js'
import { columnTitle } from '../columns/columns.js'
import { createCard } from './cards.js'

export interface QuickAddProps {
  column: string
  onLeave: () => void
  /** Opens the created card. */
  onOpen: (id: string) => void
}

/** A field at the end of a column: Enter adds and stays, Shift+Enter adds and opens, Esc leaves. */
export function QuickAdd({ column, onLeave, onOpen }: QuickAddProps) {
  const [title, setTitle] = useState('')
  const [problem, setProblem] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  // A layout effect, so that the field has the focus before the next key press.
  useLayoutEffect(() => {
    field.current?.focus()
    field.current?.scrollIntoView({ block: 'nearest' })
  }, [])

  const add = async (isToOpen: boolean) => {
    const words = title.replace(/\s+/g, ' ').trim()
    if (words === '') return
    setTitle('')
    setProblem('')
    try {
      const { id } = await createCard({ title: words, column })
      announce(`Added ${words}`)
      if (isToOpen) onOpen(id)
      else field.current?.scrollIntoView({ block: 'nearest' })
    } catch (error) {
      // Keeps newer input, and restores what could not be added.
      setTitle(typed => (typed === '' ? words : typed))
      setProblem(`“${words}” was not added. ${reasonOf(error)}`)
    }
  }
  const press = (event: KeyboardEvent) => {
    if (event.isComposing) return
    if (event.key === 'Escape') onLeave()
    else if (event.key === 'Enter') void add(event.shiftKey)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return html`<div class="quick-add">
    <textarea ref=${field} class="quick-add-field touch" rows="1" maxlength="200" value=${title} enterkeyhint="done"
      aria-label=${`Title of a new card in ${columnTitle(column)}`} aria-invalid=${problem !== '' || undefined}
      onInput=${(event: Event) => setTitle((event.target as HTMLTextAreaElement).value)}
      onKeyDown=${press} onBlur=${() => title === '' && problem === '' && !isCoarse.value && onLeave()}></textarea>
    ${problem && html`<p class="field-problem" role="alert">${problem}</p>`}
    ${
      isCoarse.value
        ? html`<div class="quick-add-foot row wrap">
            <button type="button" class="button small primary" onClick=${() => void add(false)}>Add</button>
            <button type="button" class="button small" onClick=${() => void add(true)}>Add and open</button>
            <button type="button" class="button small quiet" onClick=${onLeave}>Close</button>
          </div>`
        : html`<p class="quick-add-foot row wrap hint">
            <span><kbd>↵</kbd> add</span><span><kbd>⇧↵</kbd> add and open</span><kbd class="push" title="leave">Esc</kbd>
          </p>`
    }
  </div>`
}
