import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import { isFolded } from '#model/sentences/machine-runs'
import type { Branch } from '../../../shared/virtual-list.js'
import { readStored, saveStored } from '../../../shared/web-storage.js'
import { searchTerms } from '../../../shared/words/text.js'
import { shortTime, shownZone } from '../../../shared/words/time.js'
import { hasFilters } from '../filters/filters.js'
import { loaded, loadNewer, loadOlder, MOST_LISTED, select, selectedEvent, selectedKey } from './event-list-state.js'
import {
  type Burst,
  isBurst,
  isEvent,
  isLine,
  type Line,
  type ListedEvent,
  type ListRow,
  rowKey,
  toRows,
} from './list-rows.js'
import { caughtUp } from './live.js'

/** Keys of events whose burst is open. */
const opened = signal<readonly string[]>([])

/** Search terms under which the rows were loaded, which are not those of a pending load. */
export const shownTerms: ReadonlySignal<readonly string[]> = computed(() => {
  const { q = '' } = JSON.parse(loadedKey.value ?? '{}') as { q?: string }
  return searchTerms(q)
})
const loadedKey = computed(() => loaded.value.key)

/** The rows of the list. In a search, every match is a row. In another zone they are others, because of their days. */
export const shownRows: ReadonlySignal<readonly ListRow[]> = computed(() => {
  const { items, epoch } = loaded.value
  shownZone.value
  const lines: Line[] = []
  const place = readUpTo.value
  if (place && place.epoch === epoch) {
    lines.push({ name: 'read', above: place.at, text: `You read up to here at ${shortTime(place.at)}` })
  }
  const caught = caughtUp.value
  if (caught) lines.push({ name: 'caught', above: caught.checkpoint, text: caught.words })
  const keys = new Set(opened.value)
  const isOpen = (burst: readonly ListedEvent[]) => burst.some(event => isFolded(event) && keys.has(event.key))
  return toRows(items, lines, shownTerms.value.length === 0 ? isOpen : undefined)
})

/** Places of the rows in the tree. A failure below a closed burst is not inside it. */
export const shownBranches: ReadonlySignal<ReadonlyMap<ListRow, Branch>> = computed(() => {
  const rows = shownRows.value.filter(row => !isLine(row))
  const branches = new Map<ListRow, Branch>()
  for (const row of rows) {
    if (!isBurst(row) || !row.isOpen) continue
    for (const [at, event] of row.burst.entries()) {
      branches.set(event, { level: 2, position: at + 1, size: row.burst.length })
    }
  }
  const outer = rows.filter(row => !branches.has(row))
  for (const [at, row] of outer.entries()) {
    const branch = { level: 1, position: at + 1, size: outer.length }
    branches.set(row, isBurst(row) ? { ...branch, isOpen: row.isOpen } : branch)
  }
  return branches
})

export function toggleBurst({ burst, isOpen }: Burst): void {
  const keys = burst.map(({ key }) => key)
  const others = opened.peek().filter(key => !keys.includes(key))
  opened.value = isOpen ? others : [...others, ...keys].slice(-MOST_LISTED)
}

/**
 * Opens the burst of each selected event, until the returned function is called. The burst stays open, so that nothing
 * moves when the next event is selected.
 */
export function unfoldSelected(): () => void {
  return effect(() => {
    const { value: key } = selectedKey
    if (key !== undefined && !opened.peek().includes(key)) opened.value = [...opened.peek(), key].slice(-MOST_LISTED)
  })
}

/** Key of the row that shows an event: its own, or that of its burst. */
export function shownKey(key: string): string {
  const rows = shownRows.peek()
  if (rows.some(row => isEvent(row) && row.key === key)) return key
  const burst = rows.find(row => isBurst(row) && row.burst.some(event => event.key === key))
  return burst ? rowKey(burst) : key
}

/** Opens the next or previous event that is a row. The current event need not be one. @param step 1 is older */
export function walk(step: 1 | -1): void {
  const events = shownRows.peek().filter(isEvent)
  const at = events.findIndex(({ key }) => key === selectedKey.peek())
  const instant = selectedEvent.peek()?.captured_at
  const below = instant === undefined ? 0 : events.findIndex(event => event.captured_at < instant)
  const next = at !== -1 ? at + step : (below === -1 ? events.length : below) - (step === 1 ? 0 : 1)
  const found = events[next]
  if (found) select(found.key)
  if (next >= events.length - 1) void loadOlder()
  if (next <= 0) void loadNewer()
}

/** The newest event seen at the last visit. */
interface Place {
  at: string
  epoch: string
}

const NAME = 'events.read-up-to'

const last = readBounds()

/** The newest event seen on this device when the page loaded, if the ledger is still the same. */
const readUpTo = signal<Place | undefined>(last)

/**
 * Records the newest event as seen while the list is unfiltered and its top is visible, until the returned function is
 * called.
 *
 * @param isAtTop whether the top of the list is visible
 */
export function keepPlace(isAtTop: { readonly value: boolean }): () => void {
  return effect(() => {
    const { items, epoch, hasNewer } = loaded.value
    const newest = items[0]?.captured_at
    if (!isAtTop.value || hasNewer || hasFilters() || newest === undefined || epoch === undefined) return
    const before = readBounds()
    if (document.visibilityState === 'visible' && (before?.epoch !== epoch || before.at < newest)) {
      saveStored(NAME, { at: newest, epoch })
    }
  })
}

function readBounds(): Place | undefined {
  const { at, epoch } = Object(readStored(NAME)) as Record<string, unknown>
  return typeof at === 'string' && typeof epoch === 'string' ? { at, epoch } : undefined
}
