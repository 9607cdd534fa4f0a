import type { Signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { appearance } from '../../../shared/appearance.js'
import { Glyph } from '../../../shared/controls/glyph.js'
import { ProblemNote } from '../../../shared/controls/note.js'
import { type Children, classes, html } from '../../../shared/html.js'
import { lazily } from '../../../shared/lazy.js'
import { isCoarse, isPhone, isPrinted } from '../../../shared/media.js'
import { useSlow } from '../../../shared/server/api.js'
import { type ListHandle, VirtualList } from '../../../shared/virtual-list.js'
import { filters, queryKey } from '../filters/filters.js'
import { DayHeading, ListEnd, ListProblem, SkeletonRows } from './between-rows.js'
import {
  listProblem,
  loaded,
  loading,
  loadNewer,
  loadOlder,
  retryList,
  select,
  selectedKey,
  showEarlier,
} from './event-list-state.js'
import { BurstRow, EventRow, PrintedEvents } from './event-row.js'
import { isBurst, isEvent, isLine, type ListRow, rowDay, rowKey } from './list-rows.js'
import { freshKeys, pendingCount } from './live.js'
import { shownBranches, shownKey, shownRows, shownTerms, toggleBurst } from './shown-rows.js'

const NothingMatches = lazily(() => import('../filters/nothing-matches.js').then(module => module.NothingMatches))

interface EventListProps {
  handle: { current: ListHandle | null }
  isAtTop: Signal<boolean>
  /** The active event, where keyboard moves start. */
  onActive: (key: string) => void
  onNewest: () => void
}

const FAILED = {
  reload: 'The newest events could not be loaded.',
  search: 'The search failed. These events are from the previous one.',
  older: 'Older events could not be loaded.',
  newer: 'Newer events could not be loaded.',
} as const

/** Maximum number of new rows that fade in. With more, all rows change many times a second. */
const MOST_FADING = 100

export function EventList({ handle: list, isAtTop, onActive, onNewest }: EventListProps) {
  const { items, key, hasNewer, openedAt } = loaded.value
  const failed = listProblem.value
  const isSlow = useSlow(key === undefined)
  const asked = useRef(filters.peek())
  const askedKey = useRef<string | undefined>(undefined)
  if (key !== askedKey.current && key === queryKey.value) {
    askedKey.current = key
    asked.current = filters.value
  }
  const isList = items.length > 0
  useLayoutEffect(() => {
    // A new search starts at its newest event. Without a list, there is no scroll position.
    list.current?.scrollToTop()
    isAtTop.value = true
    if (openedAt !== undefined) list.current?.activate(shownKey(openedAt))
  }, [key, isList, openedAt])
  const isShort = isPhone.value
  const fresh = freshKeys.value

  if (key === undefined || items.length === 0) {
    if (failed) return html`<${ListProblem} problem=${failed.problem} />`
    if (key !== undefined) return html`<${NothingMatches} asked=${asked.current} />`
    return html`<section class="events-blank" aria-label="Events" aria-busy="true">
      ${isSlow && html`<${SkeletonRows} count=${14} />`}
    </section>`
  }
  const rows = shownRows.value
  const terms = shownTerms.value
  const branches = shownBranches.value
  const inBursts = new Set<ListRow>(rows.flatMap(row => (isBurst(row) ? row.burst : [])))
  const renderRow = (row: ListRow): Children => {
    if (isLine(row)) return html`<div class="events-line row"><p>${row.text}</p></div>`
    if (isBurst(row))
      return html`<${BurstRow} row=${row} isNew=${row.burst.some(event => fresh.has(event.key))} isShort=${isShort} />`
    return html`<${EventRow} event=${row} terms=${terms} isNew=${fresh.has(row.key)} isShort=${isShort} isInBurst=${inBursts.has(row)} />`
  }
  const earlier = () => {
    list.current?.focus()
    showEarlier()
  }
  const isCompact = appearance.value.density === 'compact' && !isCoarse.value
  return html`<section class=${classes('events-list', fresh.size > MOST_FADING && 'is-busy')} aria-label="Events" aria-busy=${loading.value === 'reload'}>
    <${VirtualList} label="Events, newest first" items=${rows} keyOf=${rowKey} heightOf=${isShort ? phoneHeight : isCompact ? compactHeight : rowHeight}
      dayOf=${rowDay} renderItem=${renderRow} renderDay=${(day: string) => html`<${DayHeading} day=${day} />`} isLine=${isLine} branchOf=${(row: ListRow) => branches.get(row)}
      before=${hasNewer && html`<${SkeletonRows} count=${3} />`} after=${html`<${ListEnd} onEarlier=${earlier} />`} hasMoreAbove=${hasNewer}
      selected=${selectedKey.value} handle=${list}
      onOpen=${(row: ListRow) => {
        if (isBurst(row)) toggleBurst(row)
        else if (isEvent(row)) {
          onActive(row.key)
          select(row.key)
        }
      }}
      onWalk=${(row: ListRow) => {
        if (!isEvent(row)) return
        onActive(row.key)
        if (selectedKey.peek() !== undefined) select(row.key)
      }}
      onNearEnd=${() => void loadOlder()} onNearStart=${() => void loadNewer()}
      onAtTop=${(isTop: boolean) => {
        isAtTop.value = isTop
      }} />
    <${Pill} onNewest=${onNewest} />
  </section>
  ${isPrinted.value && html`<${PrintedEvents} />`}
  ${failed && html`<div class="list-more"><${ProblemNote} what=${FAILED[key === queryKey.value ? failed.of : 'search']} problem=${failed.problem} onRetry=${retryList} /></div>`}`
}

/**
 * Events held back while the user reads. Placed on the sticky day heading, so that it covers no text; a list box cannot
 * contain buttons.
 */
function Pill({ onNewest }: { onNewest: () => void }) {
  const amount = pendingCount.value
  if (amount === 0) return null
  const words = `${amount > 99 ? '99+' : amount} new`
  return html`<button type="button" class="pill" title="Show the newest (.)" onClick=${onNewest}>
    <${Glyph} name="arrow-up" class="small" />${words}
  </button>`
}

const LINE_REM = 1.75
const BURST_REM = 2
/** The smallest height that a finger hits. */
const TOUCHED_BURST_REM = 2.75

function rowHeight(row: ListRow): number {
  if (isBurst(row)) return isCoarse.peek() ? TOUCHED_BURST_REM : BURST_REM
  return isLine(row) ? LINE_REM : 3.25
}

function compactHeight(row: ListRow): number {
  return isLine(row) ? LINE_REM : 1.9375
}

/** Height of a row on a phone: two lines for the sentence, and two for the text. */
function phoneHeight(row: ListRow): number {
  if (isBurst(row)) return TOUCHED_BURST_REM
  if (isLine(row)) return LINE_REM
  return row.words.kind === 'none' ? 4.1875 : 6.6875
}
