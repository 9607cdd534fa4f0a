import type { Signal } from '@preact/signals'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { appearance } from '../../../shared/appearance.js'
import { Glyph } from '../../../shared/controls/glyph.js'
import { ProblemNote } from '../../../shared/controls/problem-note.js'
import { type Children, classes, html } from '../../../shared/html.js'
import { isCoarse, isPhone } from '../../../shared/media.js'
import { useSlow } from '../../../shared/server/resource.js'
import { type ListHandle, VirtualList } from '../../../shared/virtual-list.js'
import { searchTerms } from '../../../shared/words/text.js'
import { shortTime, shownZone } from '../../../shared/words/time.js'
import { filters, queryKey } from '../filters/filters.js'
import { NothingMatches } from '../filters/nothing-matches.js'
import { DayHeading } from './day-heading.js'
import {
  listProblem,
  loaded,
  loading,
  loadNewer,
  loadOlder,
  retryList,
  select,
  selectedKey,
} from './event-list-state.js'
import { EventRow } from './event-row.js'
import { readUpTo } from './kept-place.js'
import { ListEnd } from './list-end.js'
import { ListProblem } from './list-problem.js'
import { isLine, type Line, type ListRow, rowDay, rowKey, toRows } from './list-rows.js'
import { caughtUp, freshKeys, pendingCount } from './live.js'
import { SkeletonRows } from './skeleton-rows.js'

export interface EventListProps {
  handle: { current: ListHandle | null }
  isAtTop: Signal<boolean>
  /** The active row, where keyboard moves start. */
  onActive: (key: string) => void
  onNewest: () => void
}

const FAILED = {
  reload: 'The newest events could not be loaded.',
  older: 'Older events could not be loaded.',
  newer: 'Newer events could not be loaded.',
} as const

/** With more new rows, all change many times a second. */
const MOST_FADING = 100

/** The rows, or a placeholder. */
export function EventList({ handle: list, isAtTop, onActive, onNewest }: EventListProps) {
  const { items, key, epoch, hasNewer, openedAt } = loaded.value
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
    // Another search starts at its newest event; without a list there is no scroll position.
    list.current?.scrollToTop()
    isAtTop.value = true
    if (openedAt !== undefined) list.current?.activate(openedAt)
  }, [key, isList, openedAt])
  // Highlights the terms under which the shown rows were loaded, not those of a pending load.
  const terms = useMemo(() => searchTerms(termsOf(key)), [key])
  const place = readUpTo.value
  const caught = caughtUp.value
  const rows = useMemo(() => {
    const lines: Line[] = []
    if (place && place.epoch === epoch) {
      lines.push({ name: 'read', above: place.at, text: `You read up to here at ${shortTime(place.at)}` })
    }
    if (caught) lines.push({ name: 'caught', above: caught.checkpoint, text: caught.words })
    return toRows(items, lines)
  }, [items, place, epoch, caught, shownZone.value])

  const isShort = isPhone.value
  const fresh = freshKeys.value

  if (key === undefined || items.length === 0) {
    if (failed) return html`<${ListProblem} problem=${failed.problem} />`
    if (key !== undefined) return html`<${NothingMatches} asked=${asked.current} />`
    return html`<section class="events-blank" aria-label="Events" aria-busy="true">
      ${isSlow && html`<${SkeletonRows} count=${14} />`}
    </section>`
  }
  const renderRow = (row: ListRow): Children =>
    isLine(row)
      ? html`<div class="events-line"><p>${row.text}</p></div>`
      : html`<${EventRow} event=${row} terms=${terms} isNew=${fresh.has(row.key)} isShort=${isShort} />`
  const isCompact = appearance.value.density === 'compact' && !isCoarse.value
  return html`<section class=${classes('events-list', fresh.size > MOST_FADING && 'is-busy')} aria-label="Events" aria-busy=${loading.value === 'reload'}>
    <${VirtualList} label="Events, newest first" items=${rows} keyOf=${rowKey} heightOf=${isShort ? phoneHeight : isCompact ? compactHeight : rowHeight}
      dayOf=${rowDay} renderItem=${renderRow} renderDay=${(day: string) => html`<${DayHeading} day=${day} />`} isLine=${isLine}
      before=${hasNewer && html`<${SkeletonRows} count=${3} />`} after=${html`<${ListEnd} />`} hasMoreAbove=${hasNewer}
      selected=${selectedKey.value} handle=${list}
      onOpen=${(row: ListRow) => {
        onActive(rowKey(row))
        select(rowKey(row))
      }}
      onWalk=${(row: ListRow) => {
        onActive(rowKey(row))
        if (selectedKey.peek() !== undefined) select(rowKey(row))
      }}
      onNearEnd=${() => void loadOlder()} onNearStart=${() => void loadNewer()}
      onAtTop=${(isTop: boolean) => {
        isAtTop.value = isTop
      }} />
    <${Pill} onNewest=${onNewest} />
  </section>
  ${failed && html`<div class="events-note"><${ProblemNote} what=${FAILED[failed.of]} problem=${failed.problem} onRetry=${retryList} /></div>`}`
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

function rowHeight(row: ListRow): number {
  return isLine(row) ? LINE_REM : 3.25
}

function compactHeight(row: ListRow): number {
  return isLine(row) ? LINE_REM : 1.9375
}

/** Two lines of a sentence, and two of words. */
function phoneHeight(row: ListRow): number {
  if (isLine(row)) return LINE_REM
  return row.words.kind === 'none' ? 4.1875 : 6.6875
}

function termsOf(key: string | undefined): string {
  if (key === undefined) return ''
  const { q } = JSON.parse(key) as { q?: string }
  return q ?? ''
}
