import type { Card } from '#model/board/card'
import { count } from '#model/counted'
import { Glyph } from '../../shared/controls/glyph.js'
import { Note } from '../../shared/controls/note.js'
import { html } from '../../shared/html.js'
import { now } from '../../shared/words/now.js'
import { Words } from '../../shared/words/text-view.js'
import { relativeTime, toMs } from '../../shared/words/time.js'
import { NEW_CARD, place } from '../board-address.js'
import { type CardDraft, differences } from './card-draft.js'
import { cardDrafts, draftedCards, draftKey, keepDraft, newCardDraft } from './card-drafts.js'
import { areLoaded, isOnBoard } from './cards.js'
import { countDiffering, type DiffLine, excerpt } from './line-diff.js'

interface ConflictNoteProps {
  draft: CardDraft
  saved: Card
  onMerge: () => void
  onTake: () => void
  onOverwrite: () => void
}

/** Maximum lines of the difference; the fields show everything. */
const SHOWN = 60

/** An edit conflict: the differences, and three ways to resolve it. */
export function ConflictNote({ draft, saved, onMerge, onTake, onOverwrite }: ConflictNoteProps) {
  const lines = differences(draft.mine, saved)
  const shown = excerpt(lines)
  const differing = countDiffering(lines)
  const words = differing === 1 ? 'One line differs.' : `${count(differing)} lines differ.`
  return html`<section class="note box note-warn conflict" role="alert" aria-label="Conflict">
    <${Glyph} name="warning" />
    <div class="stack grow">
      <p><strong>Someone saved this card ${when(saved.updated_at)}, while you wrote.</strong></p>
      <p>${words} Yours is kept below, not saved yet.</p>
      <div class="conflict-lines box code" tabindex="0" role="group" aria-label="Lines that differ">
        ${shown.slice(0, SHOWN).map(diffLine)}
        ${shown.length > SHOWN && html`<p class="hint">${count(shown.length - SHOWN)} more lines</p>`}
      </div>
      <div class="buttons">
        <button type="button" class="button primary" onClick=${onMerge}>Merge</button>
        <button type="button" class="button" onClick=${onTake}>Use the saved version</button>
        <button type="button" class="button" onClick=${onOverwrite}>Overwrite with mine</button>
      </div>
    </div>
  </section>`
}

/** Limits the time to the present, because the page's clock advances in steps and may lag behind the server's. */
function when(instant: string): string {
  return relativeTime(instant, Math.max(now.value, toMs(instant)))
}

const SIGNS: Record<DiffLine['of'], string> = { both: ' ', mine: '−', saved: '+' }
const OWNERS: Record<DiffLine['of'], string> = { both: '', mine: 'yours', saved: 'saved' }

function diffLine(line: DiffLine | undefined) {
  if (!line) return html`<div class="conflict-line quiet-text">…</div>`
  const { of, text } = line
  return html`<div class=${`conflict-line is-${of}`}><span class="conflict-sign" aria-hidden="true">${SIGNS[of]}</span>
    <span class="conflict-words"><${Words} text=${text} limit=${400} /></span>
    ${OWNERS[of] && html`<span class="conflict-owner">${OWNERS[of]}</span>`}</div>`
}

/** Drafts of cards that another user deleted. Only this list leads to them. */
export function LostDrafts() {
  const { card: openId } = place.value.value
  if (!areLoaded.value) return null
  const lost = draftedCards().filter(id => id !== openId && !isOnBoard(id))
  return lost.map(id => html`<div key=${id} class="view-pad"><${LostDraftNote} id=${id} /></div>`)
}

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
