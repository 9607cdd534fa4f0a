import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { useKeptFocus } from '../focus.js'
import { type Children, classes, html } from '../html.js'
import { coverKeys, type KeyBinding, useKeys } from '../keys/keys.js'
import { isPhone, isWide } from '../media.js'
import { plainText } from '../words/text.js'
import { Words } from '../words/text-view.js'
import { Glyph } from './glyph.js'
import { useCloseByBack } from './popover.js'
import { Toasts } from './toast.js'

interface DialogProps {
  title: string
  /** Called for Esc, the close button and a click outside; the parent then stops rendering it. */
  onClose: () => void
  children?: Children
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
    <div class="dialog-body fill">
      <header class="dialog-head row">
        <h2 id=${titleId}>${title}</h2>
        <${CloseButton} label="Close" onClose=${onClose} />
      </header>
      <div class="dialog-content">${children}</div>
      ${foot && html`<footer class="dialog-foot row wrap">${foot}</footer>`}
    </div>
    <${Toasts} />
  </dialog>`
}

/** Handlers that close a dialog element on Esc, and on a press outside its content. */
function closedBy(onClose: () => void) {
  return {
    onCancel: (event: Event) => {
      // The parent removes it; the browser would leave the closed element in place.
      event.preventDefault()
      onClose()
    },
    onMouseDown: ({ target, currentTarget }: Event) => target === currentTarget && onClose(),
  }
}

function CloseButton({ label, onClose }: { label: 'Close' | 'Back'; onClose: () => void }) {
  return html`<button type="button" class="button quiet icon" aria-label=${label} title=${label === 'Close' ? 'Close (Esc)' : undefined}
    onClick=${onClose}><${Glyph} name=${label === 'Close' ? 'close' : 'chevron-left'} /></button>`
}

/** Returns the focus to the element that had it when a dialog closes. */
function useFocusReturn(): void {
  useLayoutEffect(() => {
    const before = document.activeElement
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])
}

/** Opens a dialog element as modal while it is rendered. */
function useModal(element: { current: HTMLDialogElement | null }): void {
  useFocusReturn()
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [element])
  useLayoutEffect(() => coverKeys(), [])
}

interface PanelProps {
  /** Accessible name, and the heading unless `head` is given. */
  label: string
  /** Called for Esc, the close button and a click on the scrim; the parent then stops rendering it. */
  onClose: () => void
  /** Instead of the label: glyph, words, kind. */
  head?: Children
  /** Buttons in front of the close button. */
  actions?: Children
  foot?: Children
  children?: Children
  size?: keyof typeof WIDTHS
  /** Moves the focus into the panel even if it opens next to the list: for forms. */
  takesFocus?: boolean
}

const WIDTHS = { event: '33.75rem', form: '32.5rem', person: '31.25rem', card: '38.75rem' } as const

/**
 * The side panel: next to the list, narrowing it, from 1200 px; below that over it with a scrim; on phones the whole
 * page. Over the list it is modal. Restores the focus when it closes.
 */
export function Panel(props: PanelProps) {
  const { label, onClose, head, actions, foot, children, size = 'event', takesFocus = false } = props
  const element = useRef<HTMLDialogElement>(null)
  const isModal = !isWide.value
  useKeptFocus(element, () => element.current?.querySelector<HTMLElement>('.panel-content'))
  useFocusReturn()
  useLayoutEffect(() => {
    const dialog = element.current
    if (!dialog) return
    const had = dialog.contains(document.activeElement)
    if (isModal) dialog.showModal()
    else dialog.setAttribute('open', '')
    // On phones focusing a field would open the keyboard over the form.
    if (takesFocus ? !isPhone.peek() : !isModal && had) focusFirst(dialog)
    return () => dialog.close()
  }, [isModal, takesFocus])
  // Runs before the parent binds its keys, which belong to the panel's content.
  useLayoutEffect(() => (isModal ? coverKeys() : undefined), [isModal])
  useKeys('Everywhere', [{ keys: 'Escape', run: onClose, inFields: true }], !isModal)

  return html`<dialog ref=${element} class=${classes('panel', isModal && 'is-modal')} style=${{ '--panel-width': WIDTHS[size] }}
    aria-label=${plainText(label)} ...${closedBy(isModal ? onClose : () => {})}>
    <div class="panel-body fill">
      <header class="panel-head row">
        ${isPhone.value && html`<${CloseButton} label="Back" onClose=${onClose} />`}
        <div class="panel-title row grow">${head ?? html`<h2><${Words} text=${label} /></h2>`}</div>
        ${actions}
        ${!isPhone.value && html`<${CloseButton} label="Close" onClose=${onClose} />`}
      </header>
      <div class="panel-content" tabindex=${0} role="group" aria-label=${`${plainText(label)}, content`}>${children}</div>
      ${foot && html`<footer class="panel-foot row wrap">${foot}</footer>`}
    </div>
    ${isModal && html`<${Toasts} />`}
  </dialog>`
}

/** Shortcuts of a panel. Render it after the panel, with the key `isWide.value`: a panel that becomes modal covers the keys bound before. */
export function PanelKeys({ scope, bindings }: { scope: string; bindings: readonly KeyBinding[] }) {
  useKeys(scope, bindings)
  return null
}

function focusFirst(dialog: HTMLElement): void {
  const first =
    dialog.querySelector<HTMLElement>('[autofocus]') ??
    dialog.querySelector<HTMLElement>('.panel-content :is(input, select, textarea, button, a[href])') ??
    dialog.querySelector<HTMLElement>('button')
  first?.focus()
}
