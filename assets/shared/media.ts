import { type ReadonlySignal, signal } from '@preact/signals'

function matches(query: string): ReadonlySignal<boolean> {
  const list = window.matchMedia(query)
  const matching = signal(list.matches)
  list.addEventListener('change', () => {
    matching.value = list.matches
  })
  return matching
}

/** The panel is next to the list and narrows it. */
export const isWide = matches('(min-width: 75rem)')
/** One column, tabs at the bottom. */
export const isPhone = matches('(max-width: 39.9375rem)')
/** Touch: targets of 44 px, always comfortable. */
export const isCoarse = matches('(pointer: coarse)')

const printing = signal(false)
// A change of the media query would come too late for the print layout.
window.addEventListener('beforeprint', () => {
  printing.value = true
})
window.addEventListener('afterprint', () => {
  printing.value = false
})

/** While the page is printed. */
export const isPrinted: ReadonlySignal<boolean> = printing
