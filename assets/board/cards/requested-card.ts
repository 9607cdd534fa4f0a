import { address, go } from '../../shared/address.js'
import { showToast } from '../../shared/controls/toast.js'
import { NEW_CARD } from '../board-address.js'
import { cardDrafts, draftKey, keepDraft, newCardDraft } from './card-drafts.js'
import { readNewCardHash } from './new-card-hash.js'

/** Opens the form for a card that another page requested in the address, and removes it from there. */
export function openRequestedCards(): void {
  openRequestedCard()
  window.addEventListener('hashchange', openRequestedCard)
}

function openRequestedCard(): void {
  const asked = readNewCardHash(location.hash)
  if (!asked) return
  history.replaceState(null, '', location.pathname + location.search)
  const key = draftKey(NEW_CARD)
  const begun = cardDrafts.peek().get(key)?.mine
  if (begun) showToast({ words: 'Your draft was kept, and the event is linked to it.' })
  const links = [...new Set([...(begun?.links ?? []), ...asked.links])]
  keepDraft(key, newCardDraft({ ...begun, title: begun?.title || asked.title, links }))
  const query = new URLSearchParams(address.peek().query)
  query.set('card', NEW_CARD)
  go('/', query, 'replace')
}
