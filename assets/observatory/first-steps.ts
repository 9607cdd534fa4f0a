import { href } from '../shared/address.js'
import { CopyButton } from '../shared/copy.js'
import { html } from '../shared/html.js'
import { rootPath } from '../shared/root-path.js'

/** Shown while the ledger is empty: an introduction, and a first event to record. */
export function FirstSteps() {
  const url = `${location.origin}${rootPath}/api/events`
  const body = '{"kind":"message.created","subject_type":"message","subject_id":"1"}'
  const command = `curl ${url} -H 'content-type: application/json' \\\n  -d '${body}'`
  return html`<section class="first-steps" aria-labelledby="first-steps">
    <h1 id="first-steps">Nothing written down yet.</h1>
    <p>The ledger is ready. Send it a first event, point a webhook here, or watch a topic. What happens in chat, in
      forums and on code hosts is written down here once, in the order in which it came, and stays.</p>
    <pre class="wrap" tabindex="0" role="group" aria-label="Command that writes a first event"><code>${command}</code></pre>
    <div class="buttons">
      <${CopyButton} text=${() => command} label="Copy the command" />
      <a class="button" href=${href('/subscriptions')}>Watch a topic</a>
      <a class="button" href=${`${rootPath}/api/platforms`}>Webhook addresses</a>
    </div>
    <p class="hint">Sent again, an event is counted, not written twice. Programs read on from where they stopped:
      save <code>next_since</code>, send it as <code>since</code>, and nothing is missed.</p>
    <p class="hint"><a href=${`${rootPath}/api/openapi.json`}>API description</a> · <a href=${`${rootPath}/api/health`}>Health</a> · <a href=${`${rootPath}/metrics`}>Metrics</a></p>
  </section>`
}
