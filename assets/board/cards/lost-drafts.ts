import { Note } from '../../shared/controls/note.js'
import { html } from '../../shared/html.js'
import { Words } from '../../shared/words/text-view.js'
import { NEW_CARD, place } from '../place.js'
import { cardDrafts, draftedCards, draftKey, keepDraft, newCardDraft } from './card-drafts.js'
import { areLoaded, isOnBoard } from './cards.js'

/** Drafts of cards that someone else deleted: nothing else leads to them. */
export function LostDrafts() {
  const { card: openId } = place.value.value
  if (!areLoaded.value) return null
  const lost = draftedCards().filter(id => id !== openId && !isOnBoard(id))
  return lost.map(id => html`<div key=${id} class="board-problem"><${LostDraftNote} id=${id} /></div>`)
}

/** One such draft, and two ways to continue. */
export function LostDraftNote({ id }: { id: string }) {
  const key = draftKey(id)
  const draft = cardDrafts.value.get(key)
  if (!draft) return null
  const isInTheWay = cardDrafts.value.has(draftKey(NEW_CARD))
  const openNew = () => place.set({ card: NEW_CARD, show: 'card', run: '' })
  const rescue = () => {
    keepDraft(draftKey(NEW_CARD), newCardDraft(draft.mine))
    keepDraft(key, undefined)
    openNew()
  }
  const discard = html`<button type="button" class="button quiet" onClick=${() => keepDraft(key, undefined)}>Discard</button>`
  const actions = isInTheWay
    ? html`<button type="button" class="button" onClick=${openNew}>Open the draft</button>${discard}`
    : html`<button type="button" class="button" onClick=${rescue}>Create a new card from it</button>${discard}`
  return html`<${Note} kind="warn" what="A card that you were editing was deleted." actions=${actions}>
    Your text for “<${Words} text=${draft.mine.title || draft.base.title} />” is kept.
    ${isInTheWay && ' You also started a new card: create or discard that one first.'}
  <//>`
}
