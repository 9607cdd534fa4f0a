import type { Subscription } from '#model/subscriptions/subscription'
import { CopyButton } from '../../shared/controls/copy.js'
import { Dialog } from '../../shared/controls/dialog.js'
import { html } from '../../shared/html.js'
import { overview } from '../overview.js'
import { nameOf } from './target-view.js'

/** How to capture it now: only a command on the server's machine can, because it uses an account of the chat. */
export function TryNow({ subscription, onClose }: { subscription: Subscription; onClose: () => void }) {
  // Ids contain neither blanks nor quotes and begin with a letter or digit.
  const command = `daybook capture subscription-once ${subscription.id}`
  const look = () => {
    void overview.load()
    onClose()
  }
  return html`<${Dialog} title="Try now" onClose=${onClose}
    foot=${html`<${CopyButton} text=${() => command} label="Copy the command" class="primary" />
      <button type="button" class="button" onClick=${look}>Reload</button>`}>
    <p>A capture can only be started on the server, not from a page. To try${' '}
      <code>${nameOf(subscription)}</code> now, run there:</p>
    <pre class="wrap try-command" tabindex="0" role="group" aria-label="Command"><code>${command}</code></pre>
    <p class="hint">The command prints the result; reload to see it in the list. Nothing is read twice.</p>
  <//>`
}
