import { plainText } from './text.js'

let region: HTMLElement | undefined

/** Says something to those who listen to the page, when they are not busy. Nothing is shown. */
export function announce(text: string): void {
  const words = plainText(text)
  if (!region) {
    region = document.createElement('div')
    region.className = 'visually-hidden'
    region.setAttribute('role', 'status')
    document.body.append(region)
  }
  // A text that is the same as before would not be read out.
  const isRepeat = region.textContent === words
  region.textContent = isRepeat ? `${words}\u00a0` : words
}
