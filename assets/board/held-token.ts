import { Glyph } from '../shared/glyph.js'
import { html } from '../shared/html.js'
import { forgetTokens, heldTokens, ofBoard } from './executor-token.js'

/** While executor's tokens are held that count here: where, and the way to forget them. */
export function HeldToken() {
  const [first, ...others] = heldTokens.value
  if (first === undefined) return null
  const isOne = others.length === 0
  const what = isOne ? `Executor token${ofBoard(first)}` : 'Executor tokens of both boards'
  return html`<p class="held-token"><${Glyph} name="key" />${what} held in this page only
    <button type="button" class="link" onClick=${forgetTokens}>Forget ${isOne ? 'it' : 'them'}</button></p>`
}
