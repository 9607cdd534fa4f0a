import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { closeByBack } from '../address.js'
import { isPhone } from '../media.js'

const GAP = 4
const MARGIN = 8

interface Ref {
  current: HTMLElement | null
}

/**
 * Shows an element with `popover` below its button, or above it if there is more room, while it is rendered. A press
 * elsewhere calls `onClose`.
 */
export function usePopover(popover: Ref, button: Ref, onClose: () => void): void {
  useCloseByBack(onClose)
  useLayoutEffect(() => {
    const { current: shown } = popover
    const { current: beside } = button
    if (!shown || !beside) return
    shown.showPopover()
    const place = () => placeBeside(shown, beside)
    const pressed = ({ target }: Event) => {
      if (target instanceof Node && !shown.contains(target) && !beside.contains(target)) onClose()
    }
    place()
    window.addEventListener('resize', place)
    document.addEventListener('pointerdown', pressed, true)
    return () => {
      window.removeEventListener('resize', place)
      document.removeEventListener('pointerdown', pressed, true)
      if (shown.isConnected) shown.hidePopover()
    }
  }, [])
}

/** A button that shows and hides a popover. */
export function useOpener() {
  const [isShown, setShown] = useState(false)
  const id = useId()
  const opener = useRef<HTMLButtonElement>(null)
  const onClose = () => setShown(false)
  /** Closes it and returns the focus to the button. */
  const onDone = () => {
    onClose()
    opener.current?.focus()
  }
  const attributes = {
    ref: opener,
    type: 'button',
    'aria-expanded': isShown,
    'aria-controls': isShown ? id : undefined,
  }
  return { isShown, setShown, attributes, shown: { id, opener, onClose, onDone } }
}

export interface ShownPopover {
  id: string
  opener: Ref
  onClose: () => void
  onDone: () => void
}

/** Uses the CSSOM, because the Content-Security-Policy forbids style attributes. */
function placeBeside(shown: HTMLElement, beside: HTMLElement): void {
  const at = beside.getBoundingClientRect()
  const below = innerHeight - at.bottom - GAP - MARGIN
  const above = at.top - GAP - MARGIN
  const isBelow = below >= Math.min(shown.scrollHeight, 320) || below >= above
  shown.style.maxHeight = `${Math.max(96, isBelow ? below : above)}px`
  const width = shown.offsetWidth
  const left = at.left + width + MARGIN <= innerWidth ? at.left : at.right - width
  shown.style.left = `${Math.max(MARGIN, Math.min(left, innerWidth - width - MARGIN))}px`
  shown.style.top = isBelow ? `${at.bottom + GAP}px` : `${at.top - GAP - shown.offsetHeight}px`
}

/** On phones, makes the Back button close an element that covers the view. */
export function useCloseByBack(onClose: () => void): void {
  const latest = useRef(onClose)
  latest.current = onClose
  useLayoutEffect(() => (isPhone.peek() ? closeByBack(() => latest.current()) : undefined), [])
}
