import type { Verification } from '#model/events/event'
import type { Outcome } from '#model/sentences/event-outcome'
import { classes, html } from '../html.js'
import { capital, plainText } from '../words/text.js'

type DirectionGlyph =
  | 'arrow-down'
  | 'arrow-up'
  | 'chevron-down'
  | 'chevron-left'
  | 'chevron-right'
  | 'external'
  | 'undo'
type StateGlyph = Outcome | 'check' | 'flake' | 'flame' | 'info' | 'key' | 'shield' | 'unverified' | 'warning'
type ActionGlyph = 'close' | 'copy' | 'download' | 'eye' | 'filter' | 'more' | 'pause' | 'pencil' | 'play' | 'plus'
type ThingGlyph = 'book' | 'card' | 'clock' | 'database' | 'link' | 'list' | 'person' | 'search' | 'terminal' | 'trash'
export type GlyphName = DirectionGlyph | StateGlyph | ActionGlyph | ThingGlyph | 'zoom-out'

/** A decorative glyph: the word next to it, or its parent, has the accessible name. */
export function Glyph({ name, class: more }: { name: GlyphName; class?: string }) {
  return html`<svg class=${classes('glyph', more)} viewBox="0 0 16 16" aria-hidden="true"><use href="#g-${name}" /></svg>`
}

const SOURCES: Readonly<Record<string, string>> = { chat: 'chat', forum: 'forum', code_a: 'code-a', code_b: 'code-b' }

/** `chat`, `forum`, `code-a`, `code-b` or `other`: suffix of a source's classes, properties and glyph. */
export function sourceStyle(source: string): string {
  return (Object.hasOwn(SOURCES, source) && SOURCES[source]) || 'other'
}

/** Silhouette and colour of a source; its name is next to it, or given. */
export function SourceGlyph({ source, name }: { source: string; name?: string }) {
  const style = sourceStyle(source)
  return html`<svg class="glyph source-${style}" viewBox="0 0 16 16" role=${name ? 'img' : undefined}
    aria-label=${name && plainText(name)} aria-hidden=${name ? undefined : 'true'}><use href="#g-source-${style}" /></svg>`
}

const VERIFIED: Readonly<Record<Verification, { name: GlyphName; words: string }>> = {
  signature: { name: 'shield', words: 'by signature' },
  token: { name: 'key', words: 'by token' },
  login: { name: 'person', words: 'by login' },
  none: { name: 'unverified', words: 'not verified' },
}

/** `by signature`, `not verified`: how the sender was verified. */
export function verifiedWords(verified: Verification): string {
  return VERIFIED[verified].words
}

export function VerifiedMark({ verified }: { verified: Verification }) {
  const { name, words } = VERIFIED[verified]
  return html`<svg class=${classes('glyph verified', verified === 'none' && 'is-unverified')} viewBox="0 0 16 16"
    role="img" aria-label=${words}><title>${words}</title><use href="#g-${name}" /></svg>`
}

/** The shape and colour of an outcome. @param isQuiet set if its word is next to it */
export function OutcomeMark({ outcome, isQuiet }: { outcome: Outcome; isQuiet?: boolean }) {
  const words = capital(outcome)
  return html`<svg class=${`glyph outcome-${outcome}`} viewBox="0 0 16 16" role=${isQuiet ? undefined : 'img'}
    aria-hidden=${isQuiet ? 'true' : undefined} aria-label=${isQuiet ? undefined : words}>${!isQuiet && html`<title>${words}</title>`}<use href=${`#g-${outcome}`} /></svg>`
}
