import type { TargetNode } from '#model/events/event'
import { classes, html } from '../../../shared/html.js'
import { Words } from '../../../shared/words/text-view.js'
import { chainOf, placeWords } from '../event-words.js'
import { ValueMenu } from '../filters/value-menu.js'
import type { EntryProps } from './entry-card.js'

const SHORT = 300

/** The whole target chain, outermost first. Nodes with a key are filters. */
export function EntryAbout({ event, terms }: EntryProps) {
  const chain = chainOf(event).filter(({ type, key, display }) => type || key || display)
  if (chain.length === 0) return null
  return html`<section class="panel-section" aria-label="About">
    <h3>About</h3>
    <dl class="entry-about">
      ${chain.map((node, at) => html`<${Step} node=${node} terms=${terms} isLast=${at === chain.length - 1} />`)}
    </dl>
  </section>`
}

interface StepProps {
  node: TargetNode
  terms: readonly string[]
  isLast: boolean
}

function Step({ node, terms, isLast }: StepProps) {
  const { type, key, display } = node
  const id = type && key?.startsWith(`${type}:`) ? key.slice(type.length + 1) : key
  const name = html`<${Words} text=${display || id || '(no name)'} terms=${terms} limit=${SHORT} />`
  return html`<div class=${classes(isLast && 'is-last')}>
    <dt><${Words} text=${(type || 'target').replaceAll('_', ' ')} limit=${SHORT} /></dt>
    <dd class="entry-name">${key ? html`<${ValueMenu} value=${{ name: 'target', value: key, words: placeWords(node, display || key) }}>${name}<//>` : name}</dd>
    <dd class="entry-key code">${key && html`<${Words} text=${key} terms=${terms} limit=${SHORT} />`}</dd>
  </div>`
}
