import { plainText } from './words/text.js'

let region: HTMLElement | undefined

/** Announces a text to screen readers, politely. Shows nothing. */
export function announce(text: string): void {
  const words = plainText(text)
  if (!region) {
    region = document.createElement('div')
    region.className = 'visually-hidden'
    region.setAttribute('role', 'status')
    document.body.append(region)
  }
  // Screen readers do not announce an unchanged text.
  const isRepeat = region.textContent === words
  region.textContent = isRepeat ? `${words}\u00a0` : words
}
