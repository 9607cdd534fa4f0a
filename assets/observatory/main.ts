import { effect } from '@preact/signals'
import { render } from 'preact'
import { startAddress } from '../shared/address.js'
import { html } from '../shared/html.js'
import { session, sessionLoad } from '../shared/server/session.js'
import { notifyOfSearches } from './events/saved-searches.js'
import { Observatory, PATHS } from './observatory.js'
import { keepFresh, overview } from './overview.js'

const SESSION_RETRY_MS = 5_000

startAddress(PATHS)
render(html`<${Observatory} />`, document.getElementById('app') as HTMLElement)
// Asks until the session is known. The views show why it is not.
const endAsking = keepFresh(sessionLoad, SESSION_RETRY_MS)
effect(() => session.value && endAsking())
keepFresh(overview)
notifyOfSearches()
