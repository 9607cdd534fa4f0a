import type { Outcome } from '#model/sentences/event-outcome'
import { html } from '../html.js'

export function outcomeWord(outcome: Outcome): string {
  return `${outcome.charAt(0).toUpperCase()}${outcome.slice(1)}`
}

/** The shape and colour of an outcome. @param isQuiet its word is beside it */
export function OutcomeMark({ outcome, isQuiet }: { outcome: Outcome; isQuiet?: boolean }) {
  const words = outcomeWord(outcome)
  return html`<svg class=${`glyph outcome-${outcome}`} viewBox="0 0 16 16" role=${isQuiet ? undefined : 'img'}
    aria-hidden=${isQuiet ? 'true' : undefined} aria-label=${isQuiet ? undefined : words}>${!isQuiet && html`<title>${words}</title>`}<use href=${`#g-${outcome}`} /></svg>`
}
