import { effect } from '@preact/signals'
import { render } from 'preact'
import { startAddress } from '../shared/address.js'
import { html } from '../shared/html.js'
import { outage } from '../shared/server/connection.js'
import { loadSession, session } from '../shared/server/session.js'
import { notifyOfSearches } from './events/saved-searches.js'
import { Observatory, PATHS } from './observatory.js'
import { keepFresh, overview } from './overview.js'

startAddress(PATHS)
render(html`<${Observatory} />`, document.getElementById('app') as HTMLElement)
// Failures are ignored here: an outage is shown above the view, others in the parts that failed.
effect(() => {
  // Tries again whenever the server is back, until the session is known.
  if (outage.value === undefined && session.peek() === undefined) loadSession().catch(() => undefined)
})
keepFresh(overview)
notifyOfSearches()
