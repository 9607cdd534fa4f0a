import { ANONYMOUS } from '../../accounts/identity.js'
import { AppError } from '../../model/app-error.js'
import type { LinkedEvent } from '../../model/board/linked-items.js'
import type { StoredEvent } from '../../model/events/event.js'
import { outcomeGroupOf } from '../../model/sentences/event-outcome.js'
import { sentenceText } from '../../model/sentences/event-sentence.js'
import type { Authorise } from '../accounts/access.js'
import { type AskedThrough, askOtherProgram } from '../request/ask-other-program.js'
import type { ServedLedger } from './served-ledger.js'

/**
 * Reads events for the board.
 *
 * @param keys at most those of one card
 * @returns the known ones, in the order of `keys`; undefined if the ledger does not let the request read
 */
export type ReadLinkedEvents = (through: AskedThrough, keys: readonly string[]) => Promise<LinkedEvent[] | undefined>

/** Larger events are left out: a card links to up to 50, and parsing them must not delay other requests. */
const LARGEST_BYTES = 256 * 1024

export function linkedEventsReader(parts: {
  ledger: Pick<ServedLedger, 'getEvent'>
  authorise: Authorise
}): ReadLinkedEvents {
  const admit = (req: AskedThrough & { local: false }) =>
    parts.authorise({ method: 'GET', access: 'read' }, { ...req, identity: ANONYMOUS, isAnonymous: true })
  return (through, keys) =>
    askOtherProgram(through, admit, async () => {
      const found: LinkedEvent[] = []
      // One after the other, so that only one event is in memory.
      for (const key of keys) {
        const event = await findEvent(parts.ledger, key)
        if (!event) continue
        const { captured_at } = event
        found.push({ key, captured_at, sentence: sentenceText(event), outcome: outcomeGroupOf(event) ?? null })
      }
      return found
    })
}

async function findEvent(ledger: Pick<ServedLedger, 'getEvent'>, key: string): Promise<StoredEvent | undefined> {
  try {
    const body = await ledger.getEvent(key, refuseLarge)
    return JSON.parse(Buffer.from(body).toString()) as StoredEvent
  } catch (error) {
    if (error instanceof TooLarge || (error instanceof AppError && error.category === 'not_found')) return undefined
    throw error
  }
}

async function refuseLarge(bytes: number): Promise<void> {
  if (bytes > LARGEST_BYTES) throw new TooLarge()
}

/** Thrown instead of reading an event that is too large. */
class TooLarge extends Error {}
