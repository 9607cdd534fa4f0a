import { type EventPage, readEventPage } from './event-page.js'
import type { EventParameters } from './event-parameters.js'
import type { LedgerClient } from './ledger-client.js'
import { isPassing, type WaitOptions, waitOut } from './wait-out.js'

/** The order is the ledger's, and how long to wait is for this to know. */
export type FollowParameters = Omit<EventParameters, 'order' | 'wait'>

const HOLD_SECONDS = '55'
/** Before anything that a ledger can have captured. */
const BEGINNING = '1970-01-01T00:00:00.000000Z'

/**
 * Every event that matches, oldest first, for ever: page by page, by long poll. It begins after `since`; without it
 * where `from` or `days` say; without these now. A server that goes away is waited for, and nothing is missed: the
 * checkpoint moves only with a page.
 *
 * @returns pages that hold at least one event; ends when the signal is aborted
 * @throws AppError what the first question is refused with; later ones only when waiting cannot help
 */
export async function* followEvents(
  client: Pick<LedgerClient, 'events'>,
  { since, ...filters }: FollowParameters,
  options: WaitOptions,
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
        if (!asked || !isPassing(error)) throw error
        failures += 1
        await waitOut(error, failures, options)
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Where the ledger is now, as a checkpoint: a look at its newest event, of whatever kind. */
export async function findHead(ask: (parameters: EventParameters) => Promise<EventPage>): Promise<string> {
  const { nextSince } = await ask({ limit: '1' })
  return nextSince ?? BEGINNING
}
