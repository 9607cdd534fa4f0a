import { useLayoutEffect, useRef } from 'preact/hooks'
import { type Children, classes, html } from '../html.js'
import { coverKeys, useKeys } from '../keys/keys.js'
import { isPhone, isWide } from '../media.js'
import { plainText } from '../words/text.js'
import { Words } from '../words/text-view.js'
import { CloseButton, closedBy } from './dialog.js'
import { Toasts } from './toast.js'

export interface PanelProps {
  /** Accessible name, and the heading unless `head` is given. */
  label: string
  /** Called for Esc, the close button and a click on the scrim; the parent then stops rendering it. */
  onClose: () => void
  /** Instead of the label: glyph, words, kind. */
  head?: Children
  /** Buttons in front of the close button. */
  actions?: Children
  /** Sticks to the bottom. */
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
  // Before the parent binds its keys, which belong to the panel's content.
  useLayoutEffect(() => (isModal ? coverKeys() : undefined), [isModal])
  useKeys('Everywhere', [{ keys: 'Escape', run: onClose, inFields: true }], !isModal)

  return html`<dialog ref=${element} class=${classes('panel', isModal && 'is-modal')} style=${{ '--panel-width': WIDTHS[size] }}
    aria-label=${plainText(label)} ...${closedBy(isModal ? onClose : () => {})}>
    <div class="panel-body">
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

function useFocusReturn(): void {
  useLayoutEffect(() => {
    const before = document.activeElement
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])
}

function focusFirst(dialog: HTMLElement): void {
  const first =
    dialog.querySelector<HTMLElement>('[autofocus]') ??
    dialog.querySelector<HTMLElement>('.panel-content :is(input, select, textarea, button, a[href])') ??
    dialog.querySelector<HTMLElement>('button')
  first?.focus()
}
