import { useEffect, useRef, useState } from 'preact/hooks'
import { count } from '#model/counted'
import type { Subscription } from '#model/subscriptions/subscription'
import { href, queryState } from '../../shared/address.js'
import { CopyButton } from '../../shared/controls/copy.js'
import { Dialog } from '../../shared/controls/dialog.js'
import { Glyph } from '../../shared/controls/glyph.js'
import { Unloaded } from '../../shared/controls/note.js'
import { SearchField } from '../../shared/controls/search-field.js'
import { showToast } from '../../shared/controls/toast.js'
import { html } from '../../shared/html.js'
import { useKeys } from '../../shared/keys/keys.js'
import { isPhone } from '../../shared/media.js'
import { isAdmin, session } from '../../shared/server/session.js'
import { usePhoneActions, ViewTitle } from '../../shared/shell.js'
import { now } from '../../shared/words/now.js'
import { capital } from '../../shared/words/text.js'
import { bySource, loadPlatforms, overview, platforms } from '../overview.js'
import { newDraft, toDraft, withTarget } from '../subscriptions/form/draft.js'
import { SubscriptionForm } from '../subscriptions/form/subscription-form.js'
import { byPlace, IS_SHOWN, isFound, SHOWN, type Shown, SUBSCRIPTION_PARAMS } from '../subscriptions/list-filters.js'
import { loadOwners, ownerName, subscriptions } from '../subscriptions/subscription-changes.js'
import { SubscriptionTable } from '../subscriptions/subscription-table.js'
import { nameOf } from '../subscriptions/target-view.js'

const state = queryState(SUBSCRIPTION_PARAMS)
const CLOSED = { new: false, like: '', source: '', target: '', edit: '' }

export function SubscriptionsView() {
  const all = subscriptions.value
  const { show, find, edit, new: isNew } = state.value.value
  const [triedId, setTriedId] = useState<string | undefined>(undefined)
  const view = useRef<HTMLDivElement>(null)
  const isAdminHere = isAdmin()
  useEffect(loadPlatforms, [])
  useEffect(() => void loadOwners(), [isAdminHere])
  const open = (change: { new: true } | { edit: string }) => state.set({ ...CLOSED, ...change })
  const close = () => state.set(CLOSED)
  const link = newLink()
  usePhoneActions(
    () => html`<a class="button primary icon" href=${link} aria-label="New subscription"><${Glyph} name="plus" /></a>`,
    [link],
  )
  useUnknownSaid(all !== undefined, edit)
  useKeys('Subscriptions', [
    { keys: 'n', does: 'new', run: () => open({ new: true }) },
    { keys: 'j', does: 'next', run: () => walk(view.current, 1) },
    { keys: 'k', does: 'previous', run: () => walk(view.current, -1) },
    { keys: 'e', does: 'edit the focused one', run: () => withFocused(view.current, id => open({ edit: id })) },
  ])
  const isShown = (one: Subscription, show: Shown) => IS_SHOWN[show](one, now.value, session.value?.user?.id)
  const shown = (all ?? [])
    .filter(one => isShown(one, show) && isFound(one, find.trim(), ownerName(one)))
    .sort(byPlace(bySource))
  const edited = edit === '' ? undefined : all?.find(({ id }) => id === edit)
  const tried = all?.find(({ id }) => id === triedId)
  return html`<div class="view-main fill table-view" ref=${view}>
    <div class="view-head row wrap">
      <${ViewTitle} title="Subscriptions" />
      ${all && all.length > 0 && html`<${Chips} all=${all} shown=${show} isShown=${isShown} />`}
      <span class="push row view-tools">
        ${
          all &&
          all.length > 0 &&
          html`<${SearchField} class="search-field" label="Find a subscription" scope="Subscriptions" does="find" words=${find} longest=${200}
            onSearch=${(find: string) => state.set({ find }, 'replace')} />`
        }
        ${!isPhone.value && html`<a class="button primary" href=${link}><${Glyph} name="plus" />New subscription</a>`}
      </span>
    </div>
    <${Content} all=${all} shown=${shown} selectedId=${edit} find=${find} onTry=${(one: Subscription) => setTriedId(one.id)}
      onEdit=${(one: Subscription) => open({ edit: one.id })} />
  </div>
  ${
    (isNew || edited) &&
    platforms.value.value !== undefined &&
    session.value !== undefined &&
    html`<${SubscriptionForm} key=${edited?.id ?? 'new'} stored=${edited} begin=${beginning(all)} onClose=${close} />`
  }
  ${tried && html`<${TryNow} subscription=${tried} onClose=${() => setTriedId(undefined)} />`}`
}

interface ContentProps {
  all: readonly Subscription[] | undefined
  shown: readonly Subscription[]
  selectedId: string
  find: string
  onEdit: (subscription: Subscription) => void
  onTry: (subscription: Subscription) => void
}

function Content({ all, shown, selectedId, find, onEdit, onTry }: ContentProps) {
  if (!all) return html`<${Unloaded} of=${overview} name="subscriptions" />`
  if (all.length === 0) {
    return html`<section class="view-scroll nothing-yet" aria-labelledby="nothing-watched">
      <h2 id="nothing-watched">Nothing is watched yet.</h2>
      <p>A subscription marks the events of one place: a topic, a repository, an issue. Readers of the ledger can then
        request only those. Events are recorded with or without one.</p>
      <div class="buttons"><a class="button" href=${newLink()}><${Glyph} name="plus" />New subscription</a></div>
    </section>`
  }
  if (shown.length === 0) {
    const what = find.trim() === '' ? 'No subscription matches.' : `No subscription matches “${find.trim()}”.`
    return html`<div class="view-scroll nothing-yet"><p>${what}</p>
      <div class="buttons"><a class="button" href=${href('/subscriptions')}>Show all ${count(all.length)}</a></div></div>`
  }
  return html`<${SubscriptionTable} subscriptions=${shown} selectedId=${selectedId} onEdit=${onEdit} onTry=${onTry} />`
}

interface ChipsProps {
  all: readonly Subscription[]
  shown: Shown
  isShown: (one: Subscription, show: Shown) => boolean
}

/** Number of subscriptions per state; empty states are omitted unless selected. */
function Chips({ all, shown, isShown }: ChipsProps) {
  const counted = SHOWN.map(value => ({ value, amount: all.filter(one => isShown(one, value)).length }))
  const seen = counted.filter(
    ({ value, amount }) =>
      value === shown || value === 'all' || (amount > 0 && !(value === 'mine' && amount === all.length)),
  )
  return html`<div class="chips" role="group" aria-label="Filter subscriptions">
    ${seen.map(
      ({ value, amount }) => html`<button type="button" class="chip" aria-pressed=${value === shown}
        onClick=${() => state.set({ show: value })}>
        ${value === 'failing' && html`<span class="status-dot is-danger"></span>`}${capital(value)} <span>${count(amount)}</span>
      </button>`,
    )}
  </div>`
}

function newLink(): string {
  return href('/subscriptions', state.query({ ...CLOSED, new: true }))
}

/** A new draft, or a copy of another subscription. Sets the owner only for admins; for members, the server does. */
function beginning(all: readonly Subscription[] | undefined) {
  const own = isAdmin() ? session.value?.user?.id : undefined
  const { like: likeId, source, target } = state.value.peek()
  const like = all?.find(({ id }) => id === likeId)
  const known = platforms.value.value ?? []
  const [first] = [...known].sort((a, b) => bySource(a.source, b.source))
  const begun = withTarget(newDraft(source || (first?.source ?? ''), own), target)
  if (!like) return begun
  const { id: _, ...copy } = toDraft(like)
  return { ...begun, ...copy }
}

/** Reports a link that leads to a deleted subscription. */
function useUnknownSaid(isLoaded: boolean, edit: string): void {
  useEffect(() => {
    if (!isLoaded || edit === '' || subscriptions.peek()?.some(({ id }) => id === edit)) return
    showToast({ words: 'There is no such subscription. It may have been deleted.' })
    state.set(CLOSED, 'replace')
  }, [isLoaded, edit])
}

const NAMES = '.subscription-name'

function walk(view: HTMLElement | null, by: 1 | -1): void {
  const names = [...(view?.querySelectorAll<HTMLElement>(NAMES) ?? [])]
  const row = document.activeElement?.closest('tr')
  const at = names.findIndex(name => name.closest('tr') === row)
  names[at === -1 ? 0 : Math.max(0, Math.min(names.length - 1, at + by))]?.focus()
}

/** Acts on the row with the focus, if there is one. */
function withFocused(view: HTMLElement | null, then: (id: string) => void): void {
  const row = document.activeElement?.closest<HTMLElement>('tr[data-id]')
  const id = view?.contains(row ?? null) ? row?.dataset.id : undefined
  if (id !== undefined) then(id)
}

/** How to capture it now: only a command on the server's machine can, because it uses an account of the chat. */
function TryNow({ subscription, onClose }: { subscription: Subscription; onClose: () => void }) {
  // Ids contain neither blanks nor quotes and begin with a letter or digit.
  const command = `daybook capture subscription-once ${subscription.id}`
  const look = () => {
    void overview.load()
    onClose()
  }
  return html`<${Dialog} title="Try now" onClose=${onClose}
    foot=${html`<${CopyButton} text=${() => command} label="Copy the command" class="primary" />
      <button type="button" class="button" onClick=${look}>Reload</button>`}>
    <p>A capture can only be started on the server, not from a page. To try${' '}
      <code>${nameOf(subscription)}</code> now, run there:</p>
    <pre class="wrap try-command" tabindex="0" role="group" aria-label="Command"><code>${command}</code></pre>
    <p class="hint">The command prints the result; reload to see it in the list. Nothing is read twice.</p>
  <//>`
}
