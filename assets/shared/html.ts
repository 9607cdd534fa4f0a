import htm from 'htm'
import { type ComponentChild, h, type VNode } from 'preact'

/**
 * Markup as a template: `` html`<p class="hint">${text}</p>` ``, components as `<${Row} event=${event} />`. Values
 * become text, never markup.
 */
export const html = htm.bind(h) as (pieces: TemplateStringsArray, ...values: unknown[]) => VNode

export type Children = ComponentChild | readonly ComponentChild[]

/** Joins the truthy class names: `classes('row', isNew && 'is-new')`. */
export function classes(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(name => name).join(' ')
}
