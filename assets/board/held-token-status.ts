import { Glyph } from '../shared/glyph.js'
import { html } from '../shared/html.js'
import { forgetTokens, heldTokens, ofBoard } from './executor-token.js'

/** Shows for which boards executor tokens are in memory, with a button to forget them. */
export function HeldTokenStatus() {
  const [first, ...others] = heldTokens.value
  if (first === undefined) return null
  const isOne = others.length === 0
  const what = isOne ? `Executor token${ofBoard(first)}` : 'Executor tokens of both boards'
  return html`<p class="held-token"><${Glyph} name="key" />${what} held in this page only
    <button type="button" class="link" onClick=${forgetTokens}>Forget ${isOne ? 'it' : 'them'}</button></p>`
}
