import { useId, useState } from 'preact/hooks'
import { announce } from '../../shared/announce.js'
import { Panel, PanelKeys } from '../../shared/controls/dialog.js'
import { ProblemNote } from '../../shared/controls/note.js'
import { html } from '../../shared/html.js'
import { isWide } from '../../shared/media.js'
import { useSending } from '../../shared/server/api.js'
import { NEW_CARD } from '../board-address.js'
import { type Column, columnTitle } from '../columns/columns.js'
import { type CardText, changesBetween, NO_TEXT, textOf } from './card-draft.js'
import { cardDrafts, draftKey, keepDraft, newCardDraft } from './card-drafts.js'
import { CardFields } from './card-fields.js'
import { noTitle } from './card-panel.js'
import { createCard } from './cards.js'

interface NewCardPanelProps {
  columns: readonly Column[]
  onClose: () => void
  onMade: (id: string) => void
}

/** The form for a new card. Keeps the draft until it is created or discarded. */
export function NewCardPanel({ columns, onClose, onMade }: NewCardPanelProps) {
  const key = draftKey(NEW_CARD)
  const { mine } = cardDrafts.value.get(key) ?? newCardDraft()
  const names = columns.filter(({ isKnown }) => isKnown).map(({ name }) => name)
  const [chosen, setColumn] = useState('')
  const column = names.includes(chosen) ? chosen : (names[0] ?? '')
  const [isWriting, setWriting] = useState(true)
  const { isSending, problem, setProblem, send, refusalOf } = useSending()
  const id = useId()

  const create = () => {
    // Input may have arrived since the last render.
    const { mine } = cardDrafts.peek().get(key) ?? newCardDraft()
    if (mine.title.trim() === '') {
      setProblem(noTitle())
      setWriting(true)
      return
    }
    void send(async () => {
      const made = await createCard({ ...changesBetween(NO_TEXT, mine), column })
      const written = cardDrafts.peek().get(key)?.mine ?? mine
      keepDraft(key, undefined)
      // Input during the request becomes a draft on top of the new card.
      if (written !== mine) keepDraft(draftKey(made.id), { base: textOf(made), version: made.version, mine: written })
      announce(`Added ${mine.title}`)
      onMade(made.id)
    })
  }
  const discard = () => {
    keepDraft(key, undefined)
    onClose()
  }
  const foot = html`<label class="card-column-choice row" for=${id}>In
      <select id=${id} class="field" value=${column} onChange=${(event: Event) => setColumn((event.target as HTMLSelectElement).value)}>
        ${names.map(name => html`<option value=${name}>${columnTitle(name)}</option>`)}
      </select></label>
    <span class="push"></span>
    <button type="button" class="button quiet" onClick=${discard}>Discard draft</button>
    <button type="button" class="button primary" aria-disabled=${isSending || undefined} onClick=${create}>Create card</button>`
  return html`<${Panel} label="New card" size="card" foot=${foot} takesFocus onClose=${onClose}>
    <div class="panel-notes stack">
      ${
        problem !== undefined &&
        refusalOf('/title') === undefined &&
        html`<${ProblemNote} what="The card was not created. Your text is kept." problem=${problem} />`
      }
    </div>
    <${CardFields} text=${mine} isWriting=${isWriting} onWriting=${setWriting}
      onChange=${(change: Partial<CardText>) => keepDraft(key, newCardDraft({ ...mine, ...change }))}
      problemOf=${refusalOf} />
  <//>
  <${PanelKeys} key=${isWide.value} scope="Card" bindings=${[{ keys: ['Mod+Enter', 'Mod+s'], does: 'save', run: create, inFields: true }]} />`
}
