import type { EventPage } from '#model/ledger-answers'
import { CopyButton } from '../shared/controls/copy.js'
import { html } from '../shared/html.js'
import { href } from '../shared/server/address.js'
import { api } from '../shared/server/api.js'
import { rootPath } from '../shared/server/root-path.js'
import { fromMs } from '../shared/words/time.js'
import { overview } from './overview.js'

/** Shown while the ledger is empty: an introduction, and a first event to record. */
export function FirstSteps() {
  const url = `${location.origin}${rootPath}/api/events`
  const body = '{"kind":"message.created","subject_type":"message","subject_id":"1"}'
  const command = `curl ${url} -H 'content-type: application/json' \\\n  -d '${body}'`
  return html`<section class="first-steps" aria-labelledby="first-steps">
    <h1 id="first-steps">No events yet.</h1>
    <p>The ledger is ready. Send a first event, point a webhook here, or watch a topic. Each event from chat, forums and
      code hosts is recorded exactly once, in order, and stays searchable.</p>
    <pre class="wrap" tabindex="0" role="group" aria-label="Command that records a first event"><code>${command}</code></pre>
    <div class="buttons">
      <${CopyButton} text=${() => command} label="Copy the command" />
      <a class="button" href=${href('/subscriptions')}>Watch a topic</a>
      <a class="button" href=${`${rootPath}/api/platforms`}>Webhook addresses</a>
    </div>
    <p class="hint">A repeated event is counted, not stored twice. To continue where a program stopped reading, save
      <code>next_since</code> and send it as <code>since</code>: it misses nothing.</p>
    <p class="hint"><a href=${`${rootPath}/api/openapi.json`}>API description</a> · <a href=${`${rootPath}/api/health`}>Health</a> · <a href=${`${rootPath}/metrics`}>Metrics</a></p>
  </section>`
}

/** How long the server holds a request. Seconds. */
const WAIT = 30
const AGAIN_MS = 5_000

/** Waits for the first event of an empty ledger and reloads the overview, until the returned function is called. */
export function awaitFirstEvent(): () => void {
  const leave = new AbortController()
  void wait(leave.signal)
  return () => leave.abort()
}

async function wait(ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    try {
      const query = { since: fromMs(0), wait: WAIT, limit: 1 }
      const { count } = await api<EventPage>('/api/events', { query, signal: ended, timeoutMs: (WAIT + 15) * 1000 })
      if (count > 0) {
        await overview.load()
        return
      }
    } catch {
      // The shell already shows an outage; keep asking.
      if (!ended.aborted) await new Promise(resolve => window.setTimeout(resolve, AGAIN_MS))
    }
  }
}
