import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { href } from '../../shared/address.js'
import { CopyButton } from '../../shared/controls/copy.js'
import { html } from '../../shared/html.js'
import { type KeyBinding, useKeys } from '../../shared/keys/keys.js'
import { lazily } from '../../shared/lazy.js'
import { rootPath } from '../../shared/server/root-path.js'
import { usePhoneActions } from '../../shared/shell.js'
import type { ListHandle } from '../../shared/virtual-list.js'
import { FilterBar } from '../events/filters/filter-bar.js'
import { copyLink, hasFilters } from '../events/filters/filters.js'
import { useRowMenu } from '../events/filters/value-menu.js'
import { Histogram } from '../events/histogram/histogram.js'
import { EventList } from '../events/list/event-list.js'
import {
  closeSelection,
  followFilters,
  loaded,
  reload,
  selectedEvent,
  selectedKey,
} from '../events/list/event-list-state.js'
import { liveState, runLive, setReading, showPending } from '../events/list/live.js'
import { LiveSwitch, toggleLive } from '../events/list/live-switch.js'
import { keepPlace, unfoldSelected, walk } from '../events/list/shown-rows.js'
import { keepFresh, overview } from '../overview.js'

const loadPanel = () => import('../events/panel/event-panel.js').then(module => module.EventPanel)
const EventPanel = lazily(loadPanel)
const FilterSheet = lazily(() => import('../events/filters/filter-sheet.js').then(module => module.FilterSheet))

/** Time limit for preloading the panel, in case Live keeps the page busy. */
const PANEL_WITHIN_MS = 3_000

export function EventsView() {
  const isEmpty = overview.value.value?.stats.event_count === 0 && loaded.value.items.length === 0 && !hasFilters()
  return isEmpty ? html`<${EmptyLedger} />` : html`<${Events} />`
}

/** How often an empty ledger is asked whether it has an event. */
const FIRST_EVENT_MS = 2_000

function EmptyLedger() {
  useEffect(() => keepFresh(overview, FIRST_EVENT_MS), [])
  return html`<div class="view-main fill"><div class="view-scroll"><${FirstSteps} /></div></div>`
}

function Events() {
  const list = useRef<ListHandle>(null)
  const active = useRef<string | undefined>(undefined)
  const isAtTop = useSignal(true)
  const isPointerInList = useSignal(false)
  const [isFiltering, setFiltering] = useState(false)
  const event = selectedEvent.value
  const rowMenu = useRowMenu()
  const key = selectedKey.value

  useEffect(unfoldSelected, [])
  useEffect(followFilters, [])
  useEffect(runLive, [])
  useEffect(() => keepPlace(isAtTop), [])
  const isListed = loaded.value.key !== undefined
  useEffect(() => {
    if (!isListed) return
    // Preloads the panel, so that loaded rows can be opened during an outage. Safari has no idle callbacks.
    const preload = () => void loadPanel().catch(() => undefined)
    if ('requestIdleCallback' in window) requestIdleCallback(preload, { timeout: PANEL_WITHIN_MS })
    else setTimeout(preload, PANEL_WITHIN_MS)
  }, [isListed])
  const { hasNewer } = loaded.value
  useEffect(
    () => setReading(!isAtTop.value || hasNewer || (key !== undefined && isPointerInList.value)),
    [isAtTop.value, hasNewer, isPointerInList.value, key],
  )
  // Before the next key is pressed, which may move to another row.
  useLayoutEffect(() => {
    if (key !== undefined) list.current?.activate(key)
  }, [key])
  usePhoneActions(() => html`<${LiveSwitch} isShort />`)

  const pointed = (isInList: boolean) => () => {
    isPointerInList.value = isInList
  }
  const newest = () => {
    list.current?.scrollToTop()
    isAtTop.value = true
    if (loaded.peek().hasNewer || liveState.peek() === 'off') void reload()
    else showPending()
  }
  const step = (by: 1 | -1) => {
    if (selectedKey.peek() !== undefined) walk(by)
    else {
      list.current?.focus()
      list.current?.walk(by)
    }
  }
  const keys: KeyBinding[] = [
    { keys: 'j', does: 'next', run: () => step(1) },
    { keys: 'k', does: 'previous', run: () => step(-1) },
    { keys: 'l', does: 'Live on or off', run: toggleLive },
    { keys: '.', does: 'newest', run: newest },
    { keys: 'c', does: 'copy link', run: () => void copyLink(selectedKey.peek() ?? active.current ?? '') },
  ]
  useKeys('Events', keys)

  return html`<div class="view-main fill">
      <h1 class="visually-hidden">Events</h1>
      <${FilterBar} onFilters=${() => setFiltering(true)} />
      <${Histogram} />
      <div class="fill" onPointerEnter=${pointed(true)} onPointerLeave=${pointed(false)} onKeyDown=${(pressed: KeyboardEvent) => pressed.key === 'Home' && newest()} onContextMenu=${rowMenu.open}>
        <${EventList} handle=${list} isAtTop=${isAtTop} onNewest=${newest}
          onActive=${(now: string) => {
            active.current = now
          }} />
      </div>
    </div>
    ${rowMenu.menu}
    ${key !== undefined && !isFiltering && html`<${EventPanel} key="panel" event=${event} onClose=${closeSelection} />`}
    ${isFiltering && html`<${FilterSheet} onClose=${() => setFiltering(false)} />`}`
}

/** Shown while the ledger is empty: an introduction, and a first event to record. */
function FirstSteps() {
  const url = `${location.origin}${rootPath}/api/events`
  const body = '{"kind":"message.created","subject_type":"message","subject_id":"1"}'
  const command = `curl ${url} -H 'content-type: application/json' \\\n  -d '${body}'`
  return html`<section class="first-steps" aria-labelledby="first-steps">
    <h1 id="first-steps">No events yet.</h1>
    <p>The ledger is ready. Send a first event, point a webhook here, or watch a topic. Each event from chat, forums and
      code hosts is recorded exactly once, in order, and stays searchable.</p>
    <pre class="wrap" tabindex="0" role="group" aria-label="Command that records a first event"><code>${command}</code></pre>
    <div class="buttons">
      <${CopyButton} text=${() => command} label="Copy the command" />
      <a class="button" href=${href('/subscriptions')}>Watch a topic</a>
      <a class="button" href=${`${rootPath}/api/platforms`}>Webhook addresses</a>
    </div>
    <p class="hint">A repeated event is counted, not stored twice. To continue where a program stopped reading,${' '}
      save <code>next_since</code> and send it as <code>since</code>: it misses nothing.</p>
    <p class="hint"><a href=${`${rootPath}/api/openapi.json`}>API description</a> · <a href=${`${rootPath}/api/health`}>Health</a> · <a href=${`${rootPath}/metrics`}>Metrics</a></p>
  </section>`
}
