import { useLayoutEffect } from 'preact/hooks'
import { nextFrame } from './timing.js'

/** Once the page is rendered, focuses an element, or the view, if the control that had the focus has disappeared. */
export function focusAfter(find: () => HTMLElement | null | undefined): void {
  nextFrame(() => {
    if (document.activeElement === document.body) (find() ?? document.getElementById('view'))?.focus()
  })
}

/** Focuses an element if a render of the calling component removes the focused one from `place`. */
export function useKeptFocus(place: { current: HTMLElement | null }, find: () => HTMLElement | null | undefined): void {
  const hadFocus = place.current?.contains(document.activeElement)
  useLayoutEffect(() => {
    if (hadFocus && document.activeElement === document.body) find()?.focus()
  })
}
