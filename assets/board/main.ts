import { render } from 'preact'
import { startAddress } from '../shared/address.js'
import { keepDrafts } from '../shared/drafts.js'
import { html } from '../shared/html.js'
import { loadAccess } from './access.js'
import { Board, PATHS } from './board.js'
import { keepFresh } from './refresh.js'
import { openRequestedCards } from './requested-card.js'

startAddress(PATHS)
openRequestedCards()
render(html`<${Board} />`, document.getElementById('app') as HTMLElement)
keepFresh()
void loadAccess()
// Drafts survive a reload, too.
window.addEventListener('pagehide', keepDrafts)
