import { Dialog } from '../../shared/controls/dialog.js'
import { html } from '../../shared/html.js'
import { session } from '../../shared/server/session.js'
import { OwnPassword } from '../people/own-password.js'
import { noteTokenCount } from '../people/people-list.js'
import { SessionList } from '../people/session-list.js'
import { TokenList } from '../people/token-list.js'

/** The account of the logged-in user: tokens, sessions and password. */
export function OwnAccount({ onClose }: { onClose: () => void }) {
  const { user, is_bootstrap_admin: isByAdminToken } = session.value ?? {}
  return html`<${Dialog} title="Your account" onClose=${onClose} class="own-account">
    ${isByAdminToken && html`<p>You used the admin token, which is not an account. Create an account under People to issue tokens.</p>`}
    ${
      user &&
      html`<section aria-label="Tokens"><${TokenList} path="/api/me" owner="you" onCounted=${(count: number) => noteTokenCount(user.id, count)} /></section>
        <section aria-label="Sessions"><${SessionList} path="/api/me" /></section>
        <section aria-labelledby="own-password"><h3 id="own-password">Password</h3><${OwnPassword} username=${user.username} /></section>`
    }
  <//>`
}
