import htm from 'htm'
import { type ComponentChild, h, type VNode } from 'preact'

/**
 * Markup as a template: `` html`<p class="hint">${text}</p>` ``, components as `<${Row} event=${event} />`. What is put
 * in is text, never markup.
 */
export const html = htm.bind(h) as (pieces: TemplateStringsArray, ...values: unknown[]) => VNode

/** Whatever may stand between tags. */
export type Children = ComponentChild | readonly ComponentChild[]

/** Class names that hold: `classes('row', isNew && 'is-new')`. */
export function classes(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(name => name).join(' ')
}
