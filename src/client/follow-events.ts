import type { AppError } from '../model/app-error.js'
import { type EventPage, type EventParameters, readEventPage } from './event-pages.js'
import type { LedgerClient } from './ledger-client.js'
import { BEGINNING, type FollowOptions, followPages } from './library/follow-pages.js'
import { isTransient, type WaitOptions } from './retry-wait.js'

/** The order is always ascending, and this module chooses how long to wait. */
type FollowParameters = Omit<EventParameters, 'order' | 'wait'>

interface FollowEventsOptions extends WaitOptions {
  /** The ledger has removed events after the checkpoint; following continues after them. */
  onPruned: (error: AppError) => void
  /** The server has answered: at the start, and again after each interruption. */
  onConnected?: (checkpoint: string) => void
}

/**
 * Yields every matching event, oldest first, indefinitely: page by page, by long poll. Starts after `since`, or where
 * `from` or `days` begin, or now if all are absent. Waits while the server is unreachable and misses nothing.
 *
 * @returns pages with at least one event; ends when the signal is aborted
 * @throws AppError if the first request is refused; later only for failures that waiting cannot resolve
 */
export function followEvents(
  client: Pick<LedgerClient, 'events'>,
  { since, ...filters }: FollowParameters,
  options: FollowEventsOptions,
): AsyncGenerator<EventPage> {
  const { signal } = options
  return followPages({
    // Only errors that this client throws get here: always an AppError.
    ...(options as Pick<
      FollowOptions<EventPage>,
      'signal' | 'onPruned' | 'onConnected' | 'onInterrupted' | 'random' | 'sleep'
    >),
    ask: parameters => client.events(parameters, { signal }).then(readEventPage),
    filters,
    since: since ?? (filters.from || filters.days ? BEGINNING : undefined),
    isTransient,
    isPatient: false,
  })
}
