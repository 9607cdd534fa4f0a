import { Glyph } from '../shared/glyph.js'
import { html } from '../shared/html.js'
import { forgetToken, holdsToken } from './executor-token.js'

/** While the executor's token is held: where, and the way to forget it. */
export function HeldToken() {
  if (!holdsToken()) return null
  return html`<p class="held-token"><${Glyph} name="key" />Executor token held in this page only
    <button type="button" class="link" onClick=${() => forgetToken()}>Forget it</button></p>`
}
