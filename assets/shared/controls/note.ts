import { type Children, html } from '../html.js'
import { Glyph, type GlyphName } from './glyph.js'

export type NoteKind = 'info' | 'warn' | 'danger' | 'ok'

const GLYPHS: Record<NoteKind, GlyphName> = { info: 'info', warn: 'warning', danger: 'warning', ok: 'check' }

export interface NoteProps {
  kind: NoteKind
  /** The fact, in a few words. */
  what: string
  /** Its meaning, and what to do. */
  children?: Children
  /** Buttons. */
  actions?: Children
}

/** A note with actions. Errors are announced immediately. */
export function Note({ kind, what, children, actions }: NoteProps) {
  return html`<div class="note note-${kind}" role=${kind === 'danger' ? 'alert' : undefined}>
    <${Glyph} name=${GLYPHS[kind]} />
    <p><strong>${what}</strong> ${children}</p>
    ${actions && html`<div class="note-actions">${actions}</div>`}
  </div>`
}
