import { CopyButton } from '../../shared/copy.js'
import { html } from '../../shared/html.js'
import { isDemo } from '../../shared/root-path.js'
import { overview } from '../overview.js'

/** Shown instead of people while the ledger is open: how to create the first admin. */
export function FirstAdmin() {
  const { health } = overview.value.value ?? {}
  const database = health ? ` --db ${quoted(health.database)}` : ''
  const command = `daybook users create ada --role admin${database}`
  return html`<section class="view-scroll nothing-yet" aria-labelledby="open-mode">
    <h2 id="open-mode">This ledger is open.</h2>
    <p>No login is set up: whoever reaches this server may read every event and change every subscription. So it answers on
      this machine only. From the first person on, it asks for a login, for good.</p>
    ${
      isDemo
        ? html`<p>This is a demo in a throw-away ledger. Nobody needs an account here.</p>`
        : html`<p>The first admin is made on the machine of the ledger; the server may go on running. It asks for a password.</p>
          <pre class="wrap" tabindex="0" role="group" aria-label="Command that makes the first admin"><code>${command}</code></pre>
          <div class="buttons"><${CopyButton} text=${() => command} label="Copy the command" />
            <button type="button" class="button" onClick=${() => location.reload()}>I have done that</button></div>
          <p class="hint">Where nobody can log in to the machine, as in a container, <code>EVENT_BOOTSTRAP_USERNAME</code> and${' '}
            <code>EVENT_BOOTSTRAP_PASSWORD_FILE</code> let the server make it at its start.</p>`
    }
  </section>`
}

/** Quoted for a shell. */
function quoted(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
