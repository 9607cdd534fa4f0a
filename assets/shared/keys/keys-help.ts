import { Dialog } from '../controls/dialog.js'
import { html } from '../html.js'
import { type KeyBinding, listedKeys } from './keys.js'

/** The list of active keyboard shortcuts. */
export function KeysHelp({ onClose }: { onClose: () => void }) {
  return html`<${Dialog} title="Keys" onClose=${onClose} class="keys-help">
    ${listedKeys().map(
      ({ scope, bindings }) => html`<section>
        <h3>${scope}</h3>
        <dl class="keys stack">${bindings.map(toEntry)}</dl>
      </section>`,
    )}
    <p class="hint">Single-letter shortcuts are off while you type. Switch them off completely in Appearance.</p>
  <//>`
}

const NAMES: Readonly<Record<string, string>> = { ArrowUp: '↑', ArrowDown: '↓', Enter: '↵', Escape: 'Esc', Mod: 'Ctrl' }

function toEntry({ keys, does }: KeyBinding) {
  const first = typeof keys === 'string' ? keys : (keys[0] ?? '')
  const names = first.split(/[ +](?=.)/).map(name => NAMES[name] ?? name)
  return html`<div class="row"><dt>${names.map(name => html`<kbd>${name}</kbd>`)}</dt><dd>${does}</dd></div>`
}
