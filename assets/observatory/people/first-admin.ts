import { CopyButton } from '../../shared/controls/copy.js'
import { html } from '../../shared/html.js'
import { isDemo } from '../../shared/server/root-path.js'
import { overview } from '../overview.js'

/** Shown instead of people while the ledger is open: how to create the first admin. */
export function FirstAdmin() {
  const { health } = overview.value.value ?? {}
  const database = health ? ` --db ${quoted(health.database)}` : ''
  const command = `daybook users create ada --role admin${database}`
  return html`<section class="view-scroll nothing-yet" aria-labelledby="open-mode">
    <h2 id="open-mode">This ledger is open.</h2>
    <p>No login is set up: every local user may read all events and change all subscriptions. The server therefore accepts
      local connections only. Once a user exists, it permanently requires a login.</p>
    ${
      isDemo
        ? html`<p>This is a demo with a temporary ledger. It needs no accounts.</p>`
        : html`<p>Create the first admin on the server; it can keep running. The command asks for a password.</p>
          <pre class="wrap" tabindex="0" role="group" aria-label="Command that creates the first admin"><code>${command}</code></pre>
          <div class="buttons"><${CopyButton} text=${() => command} label="Copy the command" />
            <button type="button" class="button" onClick=${() => location.reload()}>Done, reload</button></div>
          <p class="hint">Without a shell on the server, as in a container, set <code>EVENT_BOOTSTRAP_USERNAME</code> and${' '}
            <code>EVENT_BOOTSTRAP_PASSWORD_FILE</code>: the server then creates the admin when it starts.</p>`
    }
  </section>`
}

/** Quoted for a shell. */
function quoted(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
