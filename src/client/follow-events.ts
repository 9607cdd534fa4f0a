import { AppError } from '../model/app-error.js'
import { type EventPage, type EventParameters, readEventPage } from './event-pages.js'
import type { LedgerClient } from './ledger-client.js'
import { isPassing, type WaitOptions, waitOut } from './wait-out.js'

/** The order is always ascending, and this module chooses how long to wait. */
export type FollowParameters = Omit<EventParameters, 'order' | 'wait'>

export interface FollowOptions extends WaitOptions {
  /** The ledger has removed events after the checkpoint; following continues after them. */
  onPruned: (error: AppError) => void
}

const HOLD_SECONDS = '55'
/** Earlier than anything that a ledger can have captured. */
const BEGINNING = '1970-01-01T00:00:00.000000Z'

/**
 * Yields every matching event, oldest first, indefinitely: page by page, by long poll. Starts after `since`; without it
 * where `from` or `days` begin; without these now. Waits while the server is unreachable and misses nothing: the
 * checkpoint moves only with a page.
 *
 * @returns pages with at least one event; ends when the signal is aborted
 * @throws AppError if the first request is refused; later only for failures that waiting cannot resolve
 */
export async function* followEvents(
  client: Pick<LedgerClient, 'events'>,
  { since, ...filters }: FollowParameters,
  { onPruned, ...options }: FollowOptions,
): AsyncGenerator<EventPage> {
  const { signal } = options
  const ask = (parameters: EventParameters) => client.events(parameters, { signal }).then(readEventPage)
  try {
    const start = since ?? (filters.from || filters.days ? BEGINNING : undefined)
    let checkpoint = start ?? (await findHead(ask))
    let failures = 0
    for (let asked = start === undefined; !signal.aborted; ) {
      try {
        const page = await ask({ ...filters, since: checkpoint, order: 'asc', wait: HOLD_SECONDS })
        asked = true
        failures = 0
        checkpoint = page.nextSince ?? checkpoint
        if (page.items.length > 0) yield page
      } catch (error) {
        if (error instanceof AppError && error.code === 'pruned' && error.nextSince !== undefined) {
          if (start !== BEGINNING) onPruned(error)
          checkpoint = error.nextSince
          continue
        }
        if (!asked || !isPassing(error)) throw error
        failures += 1
        await waitOut(error, failures, options)
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** The ledger's head as a checkpoint: reads its newest event, of any kind. */
export async function findHead(ask: (parameters: EventParameters) => Promise<EventPage>): Promise<string> {
  const { nextSince } = await ask({ limit: '1' })
  return nextSince ?? BEGINNING
}
