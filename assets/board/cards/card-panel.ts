import { useEffect, useState } from 'preact/hooks'
import type { Card } from '#model/board/card'
import type { CardHistory, CardHistoryEntry } from '#model/board/card-history'
import { actionWords, actorWords } from '#model/board/card-history-words'
import type { LinkedEvents } from '#model/board/linked-items'
import type { Run } from '#model/board/run'
import { announce } from '../../shared/announce.js'
import { copyText } from '../../shared/controls/copy.js'
import { Panel, PanelKeys } from '../../shared/controls/dialog.js'
import { Glyph } from '../../shared/controls/glyph.js'
import { Menu } from '../../shared/controls/menu.js'
import { LoadProblem, Note, ProblemNote } from '../../shared/controls/note.js'
import { Segments } from '../../shared/controls/segments.js'
import { showToast } from '../../shared/controls/toast.js'
import { html } from '../../shared/html.js'
import type { KeyBinding } from '../../shared/keys/keys.js'
import { isWide } from '../../shared/media.js'
import { ApiProblem, reasonOf, segment, useResource } from '../../shared/server/api.js'
import { Time } from '../../shared/words/time-view.js'
import { boardApi, boardName, place } from '../board-address.js'
import { columnTitle } from '../columns/columns.js'
import { CardRuns } from '../runs/card-runs.js'
import { HeldTokenStatus } from '../runs/execution.js'
import { RunButtons } from '../runs/run-buttons.js'
import { shortId } from '../runs/run-words.js'
import { type CardDraft, type CardText, changesBetween, draftOf, draftState, mergeDraft, textOf } from './card-draft.js'
import { cardDrafts, draftKey, keepDraft } from './card-drafts.js'
import { CardFields } from './card-fields.js'
import { deleteCard, reloadCard, saveCard } from './cards.js'
import { ConflictNote, LostDraftNote } from './draft-notes.js'
import type { Tick } from './markdown.js'
import { countMarked, MINE_MARK } from './merge-lines.js'

interface CardPanelProps {
  card: Card
  isToWrite: boolean
  onClose: () => void
  onMove: () => void
}

/** A card in the panel: reading, editing, running. Unsaved changes are kept. */
export function CardPanel({ card, isToWrite, onClose, onMove }: CardPanelProps) {
  const key = draftKey(card.id)
  const draft = cardDrafts.value.get(key) ?? draftOf(card)
  const state = draftState(draft, card)
  const [isWriting, setWriting] = useState(isToWrite)
  const [asksForText, setAsks] = useState(isToWrite ? 1 : 0)
  const [isSaving, setSaving] = useState(false)
  const [problem, setProblem] = useState<unknown>(undefined)
  /** The draft that was discarded for the saved version, for undo. */
  const [setAside, keepAside] = useState<CardDraft | undefined>(undefined)
  const [isMerged, setMerged] = useState(false)
  /** Whether saving was requested while the text contains conflict markers. */
  const [asksAboutMarks, askAboutMarks] = useState(false)
  /** Whether the draft differs only in ticked tasks, which are saved automatically. */
  const [isTicked, setTicked] = useState(false)
  const { show, run } = place.value.value
  const hasChanges = state === 'changed' || state === 'outdated'
  const marked = state === 'clean' ? 0 : countMarked(draft.mine.body)
  // The events of another board are in an unknown ledger.
  const areKnown = card.links.length > 0 && boardName.peek() === ''
  const path = `/cards/${segment(card.id)}/events`
  const events = useResource<LinkedEvents>(signal => boardApi(path, { signal }), [card.links.join('\n')], areKnown)
  useEffect(() => {
    if (isToWrite) write()
  }, [isToWrite])
  // Input may have arrived since the last render: effects and key handlers read the latest draft.
  const latestDraft = () => cardDrafts.peek().get(key) ?? draftOf(card)
  useEffect(() => {
    const latest = latestDraft()
    const latestState = draftState(latest, card)
    if (latestState === 'outdated') keepDraft(key, { ...latest, version: card.version })
    else if (latestState === 'clean') keepDraft(key, undefined)
  }, [state, key, card.version])

  const write = () => {
    setWriting(true)
    setAsks(asks => asks + 1)
  }
  const change = (change: Partial<CardText>) => {
    keepAside(undefined)
    askAboutMarks(false)
    setTicked(false)
    const latest = latestDraft()
    keepDraft(key, { ...latest, mine: { ...latest.mine, ...change } })
  }
  const save = async (draft: CardDraft, { base, version }: Pick<CardDraft, 'base' | 'version'>, withMarks = false) => {
    if (isSaving) return
    const sent = draft.mine
    const changes = changesBetween(base, sent)
    if (!withMarks && changes.body !== undefined && countMarked(changes.body) > 0) {
      askAboutMarks(true)
      setWriting(true)
      return
    }
    askAboutMarks(false)
    if (sent.title.trim() === '') {
      setProblem(noTitle())
      setWriting(true)
      return
    }
    setSaving(true)
    setProblem(undefined)
    try {
      const saved = await sendChanges(card.id, { version, changes, draft })
      const written = cardDrafts.peek().get(key)?.mine ?? sent
      // Input during the save becomes a draft on top of the saved version.
      keepDraft(key, written === sent ? undefined : { base: textOf(saved), version: saved.version, mine: written })
      setMerged(false)
      setWriting(false)
      announce('Saved')
    } catch (error) {
      setTicked(false)
      // A conflict is shown by its own note, which follows from the versions.
      if (!isConflict(error)) setProblem(error)
    }
    setSaving(false)
  }
  const saveMine = (withMarks = false) => {
    const latest = latestDraft()
    const latestState = draftState(latest, card)
    if (latestState === 'changed' || latestState === 'outdated') void save(latest, latest, withMarks)
  }
  const tick = (tick: Tick): boolean => {
    const latest = latestDraft()
    const body = tick(latest.mine.body)
    if (body === undefined) {
      showToast({ words: 'This task cannot be ticked here. Edit the text instead.' })
      return false
    }
    const areTicks = isTicked || draftState(latest, card) === 'clean'
    change({ body })
    setTicked(areTicks)
    return true
  }
  useEffect(() => {
    if (isTicked && !isSaving) saveMine()
  }, [isTicked, isSaving, draft.mine.body])
  const overwrite = (withMarks = false) => void save(latestDraft(), draftOf(card), withMarks)
  const keys: KeyBinding[] = [
    { keys: ['Mod+Enter', 'Mod+s'], does: 'save', run: () => saveMine(), inFields: true },
    { keys: 'e', does: 'edit', run: write },
    { keys: 'm', does: 'move', run: onMove },
    { keys: 'r', does: 'runs', run: () => place.set({ show: show === 'runs' ? 'card' : 'runs' }, 'replace') },
  ]

  const merge = () => {
    keepDraft(key, mergeDraft(draft, card))
    setMerged(true)
    write()
    announce('Merged, not saved yet')
  }
  const take = () => {
    keepAside(draft)
    keepDraft(key, undefined)
    announce('Using the saved version')
  }
  const started = ({ id }: Run) => place.set({ show: 'runs', run: id }, 'replace')
  const foot = html`<${RunButtons} card=${card} onStarted=${started} />
    <${HeldTokenStatus} />
    ${
      show === 'card' &&
      (hasChanges || state === 'conflict') &&
      html`<span class="push row">
        <span class="quiet-text">${state === 'conflict' ? `You have version ${draft.version}, saved is ${card.version}` : 'Not saved yet'}</span>
        <button type="button" class=${state === 'conflict' ? 'button' : 'button primary'} aria-disabled=${state === 'conflict' || isSaving || undefined}
          onClick=${() => saveMine()}>${isSaving ? 'Saving…' : 'Save'}</button>
      </span>`
    }`
  const head = html`<span class="code quiet-text" title=${card.id}>#${shortId(card.id)}</span>
    <button type="button" class="tag accent card-column reach" aria-label=${`Column ${columnTitle(card.column)}, move`} onClick=${onMove}>${columnTitle(card.column)}</button>
    <span class="push"></span>
    <${Segments} legend="Show" isLegendHidden value=${show} onChange=${(value: 'card' | 'runs') => place.set({ show: value }, 'replace')}
      choices=${[{ value: 'card', label: 'Card' }, { value: 'runs', label: 'Runs' }]} />`
  const menu = html`<${Menu} label="More" buttonClass="button quiet icon" button=${html`<${Glyph} name="more" />`}
    items=${[
      { label: 'Move…', note: 'm', onChoose: onMove },
      { label: 'Copy link', glyph: 'link', onChoose: () => void copyText(location.href) },
      {
        ...{ label: 'Delete', glyph: 'trash', isDanger: true },
        onChoose: () => {
          onClose()
          deleteCard(card)
        },
      },
    ]} />`
  return html`<${Panel} label=${`Card: ${card.title}`} size="card" head=${head} actions=${menu} foot=${foot} onClose=${onClose}>
    ${
      show === 'runs'
        ? html`<${CardRuns} card=${card} chosen=${run} onChoose=${(id: string) => place.set({ run: id }, 'replace')} />`
        : html`<div class="panel-notes stack">
          ${
            state === 'conflict' &&
            html`<${ConflictNote} draft=${draft} saved=${card} onMerge=${merge} onTake=${take} onOverwrite=${() => overwrite()} />`
          }
          ${
            setAside &&
            state === 'clean' &&
            html`<${Note} kind="info" what="This is the saved version."
              actions=${html`<button type="button" class="button small" onClick=${() => {
                keepDraft(key, setAside)
                keepAside(undefined)
              }}>Restore mine</button>`}>Your version is set aside.<//>`
          }
          ${isMerged && marked === 0 && hasChanges && html`<${Note} kind="ok" what="Merged.">No conflicts. Check the text, then save.<//>`}
          ${
            marked > 0 &&
            html`<${MarkedNote} count=${marked}
              onSave=${asksAboutMarks ? () => (state === 'conflict' ? overwrite(true) : saveMine(true)) : undefined} />`
          }
          ${problem !== undefined && html`<${ProblemNote} what="This card was not saved. Your text is kept." problem=${problem} />`}
        </div>
        <${CardFields} text=${draft.mine} isWriting=${isWriting} onWriting=${setWriting} asksForText=${asksForText} onChange=${change}
          onTick=${tick} events=${events.value.value?.items} problemOf=${(field: string) => (problem instanceof ApiProblem ? problem.of(field) : undefined)} />
        <p class="panel-section quiet-text">Created <${Time} at=${card.created_at} as="relative" />${card.version > 1 && html`, changed <${Time} at=${card.updated_at} as="relative" />`}. Version ${card.version}.</p>
        <${CardHistorySection} key=${card.id} id=${card.id} version=${card.version} />
        ${events.problem.value !== undefined && html`<p class="panel-section quiet-text">The linked events could not be read. ${reasonOf(events.problem.value)}</p>`}`
    }
  <//>
  <${PanelKeys} key=${isWide.value} scope="Card" bindings=${keys} />`
}

/** @param props.onSave saves the text with its markers: offered once saving was requested */
function MarkedNote({ count, onSave }: { count: number; onSave: (() => void) | undefined }) {
  const what = count === 1 ? 'One passage conflicts.' : `${count} passages conflict.`
  const words = 'Both versions are marked, yours first. Edit the text and remove the markers, then save.'
  if (!onSave) return html`<${Note} kind="info" what=${what}>${words}<//>`
  return html`<${Note} kind="danger" what="The card was not saved."
    actions=${html`<button type="button" class="button small" onClick=${onSave}>Save with the markers</button>`}>
    The text still contains conflict markers, such as <code>${MINE_MARK}</code>. Remove them, then save.
  <//>`
}

interface Sending {
  version: number
  changes: Partial<CardText>
  draft: CardDraft
}

/** Sends the changes, and repeats them if a later version differs only in position, which is not a conflict. */
async function sendChanges(id: string, { version, changes, draft }: Sending): Promise<Card> {
  try {
    return await saveCard(id, changes, version)
  } catch (error) {
    if (!isConflict(error)) throw error
    const saved = await reloadCard(id)
    if (draftState({ ...draft, version }, saved) !== 'outdated') throw error
    return saveCard(id, changes, saved.version)
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiProblem && error.code === 'version_conflict'
}

export function noTitle(): ApiProblem {
  return new ApiProblem(0, { errors: [{ field: '/title', detail: 'A card needs a title.' }] })
}

export function LostCardPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const hasDraft = cardDrafts.value.has(draftKey(id))
  return html`<${Panel} label="Card" size="card" onClose=${onClose}>
    <div class="panel-notes stack">
      ${
        hasDraft
          ? html`<${LostDraftNote} id=${id} />`
          : html`<${Note} kind="warn" what="There is no such card.">It was deleted, or it is on another board.<//>`
      }
    </div>
    <${CardHistorySection} id=${id} />
  <//>`
}

/** Maximum number of entries that the board keeps of one card. */
const LIMIT = 500

/** The changes of a card, and who made them. Loaded when the section is opened, and again when the card changes. */
function CardHistorySection({ id, version }: { id: string; version?: number }) {
  const [isOpen, setOpen] = useState(false)
  const path = `/cards/${segment(id)}/history?limit=${LIMIT}`
  const history = useResource<CardHistory>(signal => boardApi(path, { signal }), [version], isOpen)
  const items = history.value.value?.items
  return html`<details class="panel-section card-history" open=${isOpen} onToggle=${(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
    <summary class="reach">History</summary>
    <${LoadProblem} of=${history} what="The history could not be loaded." />
    ${items?.length === 0 && html`<p class="quiet-text">No changes are recorded.</p>`}
    <ol class="stack anywhere">${items?.map(entry => html`<${Entry} entry=${entry} />`)}</ol>
  </details>`
}

function Entry({ entry }: { entry: CardHistoryEntry }) {
  return html`<li><strong>${actorWords(entry.by)}</strong> ${actionWords(entry, columnTitle)} <span class="quiet-text"><${Time} at=${entry.at} as="relative" /></span></li>`
}
