import { api } from '../../shared/server/api.js'
import type { EventPage } from '../../shared/server/wire.js'
import { fromMs } from '../../shared/words/time.js'
import { overview } from '../overview.js'

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
