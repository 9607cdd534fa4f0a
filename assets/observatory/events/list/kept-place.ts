import { effect, signal } from '@preact/signals'
import { keep, readKept } from '../../../shared/kept.js'
import { hasFilters } from '../filters/filters.js'
import { loaded } from './event-list-state.js'

/** The newest event seen at the last visit. */
interface Place {
  /** Its `captured_at`. */
  at: string
  /** Epoch of its ledger. */
  epoch: string
}

const NAME = 'events.read-up-to'

const last = readPlace()

/** The newest event seen on this device when the page loaded, if the ledger is still the same. */
export const readUpTo = signal<Place | undefined>(last)

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
    const before = readPlace()
    if (document.visibilityState === 'visible' && (before?.epoch !== epoch || before.at < newest)) {
      keep(NAME, { at: newest, epoch })
    }
  })
}

function readPlace(): Place | undefined {
  const { at, epoch } = Object(readKept(NAME)) as Record<string, unknown>
  return typeof at === 'string' && typeof epoch === 'string' ? { at, epoch } : undefined
}
