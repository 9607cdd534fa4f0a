import { render } from 'preact'
import { startAddress } from '../shared/address.js'
import { html } from '../shared/html.js'
import { loadSession } from '../shared/session.js'
import { Observatory, PATHS } from './observatory.js'
import { keepOverviewFresh } from './overview.js'
import { loadSources } from './sources.js'

startAddress(PATHS)
render(html`<${Observatory} />`, document.getElementById('app') as HTMLElement)
// Failures stand where what could not be loaded would: an outage above the view, the rest in the parts themselves.
void Promise.allSettled([loadSession(), loadSources()])
keepOverviewFresh()
