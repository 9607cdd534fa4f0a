import type { Outcome } from '#model/sentences/event-outcome'
import type { GlyphName } from '../../shared/controls/glyph.js'
import { html } from '../../shared/html.js'

const MARKS: Readonly<Record<Outcome, { name: GlyphName; words: string }>> = {
  failed: { name: 'failed', words: 'Failed' },
  succeeded: { name: 'succeeded', words: 'Succeeded' },
  running: { name: 'running', words: 'Running' },
  cancelled: { name: 'cancelled', words: 'Cancelled' },
}

export function outcomeWord(outcome: Outcome): string {
  return MARKS[outcome].words
}

/** The shape and colour of an outcome. @param isQuiet its word is beside it */
export function OutcomeMark({ outcome, isQuiet }: { outcome: Outcome; isQuiet?: boolean }) {
  const { name, words } = MARKS[outcome]
  return html`<svg class=${`glyph outcome-${outcome}`} viewBox="0 0 16 16" role=${isQuiet ? undefined : 'img'}
    aria-hidden=${isQuiet ? 'true' : undefined} aria-label=${isQuiet ? undefined : words}>${!isQuiet && html`<title>${words}</title>`}<use href=${`#g-${name}`} /></svg>`
}
