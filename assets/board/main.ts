import { render } from 'preact'
import { keepDrafts } from '../shared/drafts.js'
import { html } from '../shared/html.js'
import { startAddress } from '../shared/server/address.js'
import { loadAccess } from './access.js'
import { Board, PATHS } from './board.js'
import { openRequestedCards } from './cards/requested-card.js'
import { keepFresh } from './refresh.js'

startAddress(PATHS)
openRequestedCards()
render(html`<${Board} />`, document.getElementById('app') as HTMLElement)
keepFresh()
void loadAccess()
// Drafts survive a reload, too.
window.addEventListener('pagehide', keepDrafts)
