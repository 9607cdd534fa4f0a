import { useId, useMemo, useState } from 'preact/hooks'
import type { Subscription } from '#model/subscriptions/subscription'
import { Panel, PanelKeys } from '../../../shared/controls/dialog.js'
import { Note, ProblemNote } from '../../../shared/controls/note.js'
import { Segments } from '../../../shared/controls/segments.js'
import { takeDraft, useDraft } from '../../../shared/drafts.js'
import { html } from '../../../shared/html.js'
import { isWide } from '../../../shared/media.js'
import { ApiProblem, useSending } from '../../../shared/server/api.js'
import { isOpen } from '../../../shared/server/session.js'
import { platforms } from '../../overview.js'
import { deleteSubscription, ownerName, saveSubscription, subscriptions, whyReadOnly } from '../subscription-changes.js'
import { nameOf } from '../target-view.js'
import { CaptureField } from './capture-field.js'
import {
  type Draft,
  isChanged,
  kindsOf,
  metadataOf,
  readDraft,
  sourceOf,
  targetOf,
  toDraft,
  toSave,
  withKinds,
  withMetadata,
  withSource,
  withTarget,
  writeDraft,
} from './draft.js'
import { EndField, KindsField, SourceField } from './form-fields.js'
import { PreviewView, usePreview } from './preview-view.js'
import { TargetField } from './target-field.js'
import { readTarget } from './target-reading.js'

interface SubscriptionFormProps {
  stored?: Subscription | undefined
  begin: Draft
  onClose: () => void
}

type View = 'form' | 'json'

/** The draft, and the JSON text while it is invalid. */
interface Written {
  draft: Draft
  json?: string
}

/** A subscription in the panel, as a form and as JSON: two views of one draft. */
export function SubscriptionForm({ stored: current, begin, onClose }: SubscriptionFormProps) {
  // The state when editing began: concurrent changes by others are not changes of this draft.
  const stored = useMemo(() => current, [])
  const name = `subscription:${stored?.id ?? 'new'}`
  const first = useMemo(() => readWritten(takeDraft(name)) ?? { draft: stored ? toDraft(stored) : begin }, [])
  const [written, setWritten] = useState<Written>(first)
  const [view, setView] = useState<View>(first.json === undefined ? 'form' : 'json')
  const { isSending, problem, setProblem, send } = useSending()
  const formId = useId()
  const { draft } = written
  const whyOff = stored && whyReadOnly(stored)
  const hasChanged = isChanged(draft, stored) || written.json !== undefined
  const isBegun = stored !== undefined || written.json !== undefined || writeDraft(draft) !== writeDraft(begin)
  const settle = useDraft(name, written, hasChanged && isBegun)

  const change = (next: Draft) => {
    setWritten({ draft: next })
    setProblem(undefined)
  }
  const source = sourceOf(draft)
  const isReadable = readTarget(source, targetOf(draft)).kind !== 'problem'
  const whyNoPreview =
    written.json !== undefined
      ? 'Correct the JSON to see what would match.'
      : source === ''
        ? 'Add a source to see what would match.'
        : isReadable
          ? undefined
          : 'Correct the target to see what would match.'
  const previewed = usePreview(whyNoPreview === undefined ? toSave(draft, stored) : undefined)
  const refusals = [problem, previewed.isCurrent ? previewed.problem : undefined].filter(
    each => each instanceof ApiProblem,
  )
  const refusal = (field: string) => refusals.map(each => each.of(field)).find(words => words !== undefined)

  const canSave = written.json === undefined && isReadable && source !== '' && hasChanged && whyOff === undefined
  const finish = () => {
    settle()
    onClose()
  }
  const save = () => {
    if (canSave) void send(() => saveSubscription(toSave(draft, stored)).then(finish))
  }
  const submit = (event: Event) => {
    event.preventDefault()
    save()
  }
  const title = stored ? `Edit ${nameOf(stored)}` : 'New subscription'
  const known = (subscriptions.value ?? [])
    .filter(other => other.source === source && other.id !== stored?.id)
    .map(({ target }) => target)
  return html`<${Panel} label=${title} size="form" takesFocus onClose=${onClose} head=${html`<h2 class="ellipsis">${title}</h2>`}
    actions=${html`<${Segments} legend="View" isLegendHidden choices=${VIEWS} value=${view} onChange=${setView} />`}
    foot=${html`
      ${
        stored &&
        html`<button type="button" class="button danger" disabled=${whyOff !== undefined}
          onClick=${() => {
            deleteSubscription(stored)
            finish()
          }}>Delete</button>`
      }
      <span class="hint form-owner">${whyOff ?? ownerWords(stored, draft)}</span>
      <button type="button" class="button quiet" onClick=${onClose}>Cancel</button>
      <button type="submit" form=${formId} class="button primary" disabled=${!canSave || isSending}>
        ${isSending ? 'Saving…' : stored ? 'Save' : 'Create subscription'}
      </button>`}>
    <form id=${formId} class="form subscription-form" novalidate onSubmit=${submit}>
      ${problem !== undefined && html`<${SaveProblem} problem=${problem} isEdit=${stored !== undefined} />`}
      ${
        view === 'json' &&
        html`<${JsonField} written=${written} onWrite=${(next: Written) => {
          setWritten(next)
          setProblem(undefined)
        }} />`
      }
      ${
        view === 'form' &&
        written.json !== undefined &&
        html`<${Note} kind="warn" what="This is not JSON yet," actions=${html`<button type="button" class="button" onClick=${() => setView('json')}>Show the JSON</button>`}>
          so the form cannot show it.<//>`
      }
      ${
        view === 'form' &&
        written.json === undefined &&
        html`<${Fields} draft=${draft} onChange=${change} known=${known} refusal=${refusal}
          isSeen=${previewed.isCurrent ? previewed.preview?.seen : undefined} />`
      }
      <${PreviewView} ...${previewed} source=${source} whyNot=${whyNoPreview} />
    </form>
  <//>
  <${PanelKeys} key=${isWide.value} scope="Subscriptions" bindings=${[{ keys: 'Mod+Enter', does: 'save', run: save, inFields: true }]} />`
}

const VIEWS: readonly { value: View; label: string }[] = [
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
]

interface FieldsProps {
  draft: Draft
  onChange: (draft: Draft) => void
  known: readonly string[]
  isSeen: boolean | undefined
  refusal: (field: string) => string | undefined
}

function Fields({ draft, onChange, known, isSeen, refusal }: FieldsProps) {
  const id = useId()
  const source = sourceOf(draft)
  const platform = platforms.value.value?.find(platform => platform.source === source)
  const { reason } = metadataOf(draft)
  return html`
    <${SourceField} source=${source} refusal=${refusal('/source')} onChange=${(next: string) => onChange(withSource(draft, next))} />
    <${TargetField} source=${source} target=${targetOf(draft)} known=${known} isSeen=${isSeen} refusal=${refusal('/target')}
      onChange=${(target: string) => onChange(withTarget(draft, target))} />
    <${KindsField} source=${source} kinds=${kindsOf(draft)} onChange=${(kinds: readonly string[]) => onChange(withKinds(draft, kinds))} />
    <${CaptureField} draft=${draft} onChange=${onChange} platform=${platform} refusal=${refusal('/metadata/interval_seconds')} />
    <${EndField} draft=${draft} onChange=${onChange} refusal=${refusal('/metadata/expires_at')} />
    <div class="form-part">
      <div class="form-label row wrap"><label class="field-label" for=${id}>Why</label><span class="hint">optional, shown in the list</span></div>
      <input id=${id} class="field" type="text" maxlength="500" value=${typeof reason === 'string' ? reason : ''}
        onInput=${(event: InputEvent) => onChange(withMetadata(draft, { reason: (event.target as HTMLInputElement).value || undefined }))} />
    </div>`
}

function JsonField({ written, onWrite }: { written: Written; onWrite: (written: Written) => void }) {
  const id = useId()
  // Keeps the typed text; the form cannot change while this view is visible.
  const [text, setText] = useState(written.json ?? writeDraft(written.draft))
  const [wrong, setWrong] = useState<string | undefined>(() => whyNoDraft(text))
  const type = (next: string) => {
    setText(next)
    const why = whyNoDraft(next)
    setWrong(why)
    onWrite(why === undefined ? { draft: readDraft(next) } : { draft: written.draft, json: next })
  }
  return html`<div class="form-part">
    <div class="form-label row wrap"><label class="field-label" for=${id}>The subscription as JSON</label><span class="hint">unknown members are kept</span></div>
    <textarea id=${id} class="field code json-field" spellcheck=${false} autocomplete="off" autocapitalize="none" rows="18" maxlength="65536"
      value=${text} aria-invalid=${wrong !== undefined} aria-describedby=${`${id}-said`}
      onInput=${(event: InputEvent) => type((event.target as HTMLTextAreaElement).value)}></textarea>
    <div id=${`${id}-said`} role="status">${wrong !== undefined && html`<p class="field-problem">${wrong}</p>`}</div>
  </div>`
}

function SaveProblem({ problem, isEdit }: { problem: unknown; isEdit: boolean }) {
  // A partial update cannot create a subscription, so the stored one is gone.
  const isGone =
    isEdit && problem instanceof ApiProblem && problem.status === 400 && problem.of('/source') !== undefined
  if (!isGone)
    return html`<${ProblemNote} what="Nothing was saved; what you wrote is still here." problem=${problem} />`
  return html`<${Note} kind="danger" what="It has been deleted.">Nothing was saved. Copy its JSON to create it again.<//>`
}

function ownerWords(stored: Subscription | undefined, draft: Draft): string {
  if (isOpen()) return 'No owner: no login is set up'
  const owner = stored
    ? ownerName(stored)
    : ownerName({ owner_user_id: typeof draft.owner_user_id === 'string' ? draft.owner_user_id : null })
  if (stored) return owner ? `Owned by ${owner}` : 'Owned by the admins'
  return draft.owner_user_id === null ? 'Owned by the admins' : 'Owned by you'
}

function whyNoDraft(json: string): string | undefined {
  try {
    readDraft(json)
    return undefined
  } catch (error) {
    if (error instanceof SyntaxError) return error.message
    throw error
  }
}

/** A kept draft; may come from an older release. */
function readWritten(kept: unknown): Written | undefined {
  const { draft, json } = Object(kept) as { draft?: unknown; json?: unknown }
  if (typeof draft !== 'object' || draft === null || Array.isArray(draft)) return undefined
  return { draft: draft as Draft, ...(typeof json === 'string' ? { json } : {}) }
}
