import type { Signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { appearance } from '../../shared/appearance.js'
import { Glyph } from '../../shared/glyph.js'
import { type Children, html } from '../../shared/html.js'
import { isPhone } from '../../shared/media.js'
import { ProblemNote } from '../../shared/problem-note.js'
import { useSlow } from '../../shared/resource.js'
import { searchTerms } from '../../shared/text.js'
import { shortTime } from '../../shared/time.js'
import { type ListHandle, VirtualList } from '../../shared/virtual-list.js'
import type { LedgerEvent } from '../../shared/wire.js'
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
import { filters, queryKey } from './filters.js'
import { readUpTo } from './kept-place.js'
import { ListEnd } from './list-end.js'
import { ListProblem } from './list-problem.js'
import { type Line, type ListRow, rowDay, rowKey, toRows } from './list-rows.js'
import { caughtUp, freshKeys, pendingCount } from './live.js'
import { NothingMatches } from './nothing-matches.js'
import { SkeletonRows } from './skeleton-rows.js'

export interface EventListProps {
  handle: { current: ListHandle | null }
  isAtTop: Signal<boolean>
  /** The row that keys begin from. */
  onActive: (key: string) => void
  onNewest: () => void
}

const FAILED = {
  anew: 'These are not the newest events: they could not be loaded.',
  older: 'Older events could not be loaded.',
  newer: 'Newer events could not be loaded.',
} as const

/** The rows, and whatever stands in their place. */
export function EventList({ handle: list, isAtTop, onActive, onNewest }: EventListProps) {
  const { items, key, epoch, hasNewer } = loaded.value
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
    // Another search begins at its newest; where there is no list, nobody has scrolled away in it.
    list.current?.scrollToTop()
    isAtTop.value = true
  }, [key, isList])
  // Matches are marked as they were searched for in what stands there, not in what is on its way.
  const terms = useMemo(() => searchTerms(termsOf(key)), [key])
  const place = readUpTo.value
  const caught = caughtUp.value
  const rows = useMemo(() => {
    const lines: Line[] = []
    if (place && place.epoch === epoch) {
      lines.push({ name: 'read', above: place.at, words: `You read up to here at ${shortTime(place.at)}` })
    }
    if (caught) lines.push({ name: 'caught', above: caught.checkpoint, words: caught.words })
    return toRows(items, lines)
  }, [items, place, epoch, caught])

  const keptRow = useKeptRows(terms)

  if (key === undefined || items.length === 0) {
    if (failed) return html`<${ListProblem} problem=${failed.problem} />`
    if (key !== undefined) return html`<${NothingMatches} asked=${asked.current} />`
    return html`<section class="events-blank" aria-label="Events" aria-busy="true">
      ${isSlow && html`<${SkeletonRows} count=${14} />`}
    </section>`
  }
  const isCompact = appearance.value.density === 'compact'
  const renderRow = (row: ListRow): Children =>
    row.kind === 'line' ? html`<div class="events-line"><p>${row.words}</p></div>` : keptRow(row.event)
  const before = hasNewer && loading.value === 'newer' && html`<${SkeletonRows} count=${3} />`
  return html`<section class="events-list" aria-label="Events" aria-busy=${loading.value === 'anew'}>
    <${VirtualList} label="Events, newest first" items=${rows} keyOf=${rowKey} dayOf=${rowDay} renderItem=${renderRow}
      renderDay=${(day: string) => html`<${DayHeading} day=${day} />`} isLine=${(row: ListRow) => row.kind === 'line'}
      before=${before} after=${html`<${ListEnd} />`}
      selected=${selectedKey.value} rowEstimate=${isPhone.value ? 108 : isCompact ? 31 : 52} handle=${list}
      onOpen=${(row: ListRow) => {
        if (row.kind !== 'event') return
        onActive(row.event.dedupe_key)
        select(row.event.dedupe_key)
      }}
      onWalk=${(row: ListRow) => {
        if (row.kind !== 'event') return
        onActive(row.event.dedupe_key)
        if (selectedKey.peek() !== undefined) select(row.event.dedupe_key)
      }}
      onNearEnd=${() => void loadOlder()} onNearStart=${() => void loadNewer()}
      onAtTop=${(isTop: boolean) => {
        isAtTop.value = isTop
      }} />
    <${Pill} onNewest=${onNewest} />
  </section>
  ${failed && html`<div class="events-note"><${ProblemNote} what=${FAILED[failed.of]} problem=${failed.problem} onRetry=${retryList} /></div>`}`
}

/** Rows as they were drawn: what has not changed is not even compared when the list is scrolled. */
function useKeptRows(terms: readonly string[]): (event: LedgerEvent) => VNode {
  const isShort = isPhone.value
  const fresh = freshKeys.value
  const kept = useMemo(() => new WeakMap<LedgerEvent, { isNew: boolean; node: VNode }>(), [terms, isShort])
  return event => {
    const isNew = fresh.has(event.dedupe_key)
    const before = kept.get(event)
    if (before?.isNew === isNew) return before.node
    const node = html`<${EventRow} event=${event} terms=${terms} isNew=${isNew} isShort=${isShort} />`
    kept.set(event, { isNew, node })
    return node
  }
}

/** What came while somebody reads. It lies on the sticky day heading, so that it covers no word; a list box holds no buttons. */
function Pill({ onNewest }: { onNewest: () => void }) {
  const amount = pendingCount.value
  if (amount === 0) return null
  const words = `${amount > 99 ? '99+' : amount} new`
  return html`<button type="button" class="pill" title="Show the newest (.)" onClick=${onNewest}>
    <${Glyph} name="arrow-up" class="small" />${words}
  </button>`
}

function termsOf(key: string | undefined): string {
  if (key === undefined) return ''
  const { q } = JSON.parse(key) as { q?: string }
  return q ?? ''
}
