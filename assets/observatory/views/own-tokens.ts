import { Dialog } from '../../shared/controls/dialog.js'
import { html } from '../../shared/html.js'
import { session } from '../../shared/server/session.js'
import { noteTokenCount } from '../people/people-list.js'
import { TokenList } from '../people/token-list.js'

/** The tokens of the logged-in user. */
export function OwnTokens({ onClose }: { onClose: () => void }) {
  const { user } = session.value ?? {}
  return html`<${Dialog} title="Your tokens" onClose=${onClose} class="own-tokens">
    ${
      session.value?.is_bootstrap_admin
        ? html`<p>You used the admin token, which is not an account. Create an account under People to issue tokens.</p>`
        : html`<${TokenList} path="/api/me" owner="you" onCounted=${(count: number) => user && noteTokenCount(user.id, count)} />`
    }
  <//>`
}
