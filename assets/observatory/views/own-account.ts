import type { Session } from '#model/ledger-answers'
import { Dialog } from '../../shared/controls/dialog.js'
import { showToast } from '../../shared/controls/toast.js'
import { html } from '../../shared/html.js'
import { api, rememberCsrfToken } from '../../shared/server/api.js'
import { session } from '../../shared/server/session.js'
import { SessionList, TokenList } from '../people/credentials.js'
import { PasswordForm } from '../people/password-field.js'
import { noteTokenCount } from '../people/people-list.js'

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

function OwnPassword({ username }: { username: string }) {
  const change = async (body: object) => {
    rememberCsrfToken((await api<Pick<Session, 'csrf_token'>>('/api/me/password', { body })).csrf_token)
    showToast({ words: 'Your password is changed. Your other sessions have ended.' })
  }
  return html`<${PasswordForm} label="Change your password…" answer="Change password" username=${username} change=${change}
    hint="Ends your sessions in other browsers; tokens stay valid." />`
}
