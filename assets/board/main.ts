import { render } from 'preact'
import { startAddress } from '../shared/address.js'
import { keepDrafts } from '../shared/drafts.js'
import { html } from '../shared/html.js'
import { loadAccess } from './access.js'
import { takeAskedCards } from './asked-card.js'
import { Board, PATHS } from './board.js'
import { keepFresh } from './refresh.js'

startAddress(PATHS)
takeAskedCards()
render(html`<${Board} />`, document.getElementById('app') as HTMLElement)
keepFresh()
void loadAccess()
// What is written outlasts a reload, too.
window.addEventListener('pagehide', keepDrafts)
