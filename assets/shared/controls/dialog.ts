import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { type Children, classes, html } from '../html.js'
import { coverKeys } from '../keys/keys.js'
import { Glyph } from './glyph.js'
import { useCloseByBack } from './popover.js'
import { Toasts } from './toast.js'

export interface DialogProps {
  title: string
  /** Called for Esc, the close button and a click outside; the parent then stops rendering it. */
  onClose: () => void
  children?: Children
  /** Buttons at the bottom. */
  foot?: Children
  class?: string
}

/** A modal dialog, for as long as it is rendered. Traps the focus and restores it. */
export function Dialog({ title, onClose, children, foot, class: more }: DialogProps) {
  const titleId = useId()
  const element = useRef<HTMLDialogElement>(null)
  useModal(element)
  useCloseByBack(onClose)
  return html`<dialog ref=${element} class=${classes('dialog', more)} aria-labelledby=${titleId}
    ...${closedBy(onClose)}>
    <div class="dialog-body">
      <header class="dialog-head">
        <h2 id=${titleId}>${title}</h2>
        <${CloseButton} label="Close" onClose=${onClose} />
      </header>
      <div class="dialog-content">${children}</div>
      ${foot && html`<footer class="dialog-foot row wrap">${foot}</footer>`}
    </div>
    <${Toasts} />
  </dialog>`
}

/** Esc and a press outside its content close a dialog element. */
export function closedBy(onClose: () => void) {
  return {
    onCancel: (event: Event) => {
      // The parent removes it; the browser would leave the closed element in place.
      event.preventDefault()
      onClose()
    },
    onMouseDown: ({ target, currentTarget }: Event) => target === currentTarget && onClose(),
  }
}

export function CloseButton({ label, onClose }: { label: 'Close' | 'Back'; onClose: () => void }) {
  return html`<button type="button" class="button quiet icon" aria-label=${label} title=${label === 'Close' ? 'Close (Esc)' : undefined}
    onClick=${onClose}><${Glyph} name=${label === 'Close' ? 'close' : 'chevron-left'} /></button>`
}

/** Opens a dialog element as modal while it is rendered. */
function useModal(element: { current: HTMLDialogElement | null }): void {
  useLayoutEffect(() => {
    const dialog = element.current
    const before = document.activeElement
    dialog?.showModal()
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [element])
  useLayoutEffect(() => coverKeys(), [])
}
