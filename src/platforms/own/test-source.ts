import type { NewEvent } from '../../model/events/event.js'
import type { SourceDefinition } from '../../model/sources/source-definition.js'
import { acceptDelivery } from '../deliveries/accept-delivery.js'
import { readSavedRequest } from '../deliveries/saved-delivery.js'
import { compileOwnAdapter } from './adapter.js'

/** What a saved delivery would become. */
export interface TestedDelivery {
  events: NewEvent[]
  /** How many entries have nothing to record. */
  ignored: number
  delivery_id?: string
  /** The answer that it asks for. */
  answer?: Readonly<Record<string, string>>
  /** For each event, the values of its rule that have no result, as places in the definition. */
  without_result?: string[][]
}

/**
 * Verifies nothing, because the saved bytes may differ from the signed ones, and stores nothing.
 *
 * @param headers in addition to those in the file, names in lower case
 * @throws AppError `invalid/invalid_json`, `invalid/invalid_field`
 */
export function testSource(
  definition: SourceDefinition,
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>>,
): TestedDelivery {
  const delivery = readSavedRequest(bytes, headers)
  const rules = { secrets: [], requireVerified: false, context: {}, verified: 'token' as const }
  const adapter = compileOwnAdapter(definition)
  const { events, ignored, deliveryId, answer } = acceptDelivery(adapter, delivery, rules)
  const without = adapter.without(delivery)
  return {
    events: events.map(({ event }) => event),
    ignored,
    ...(deliveryId === undefined ? {} : { delivery_id: deliveryId }),
    ...(answer === undefined ? {} : { answer }),
    ...(without.length === events.length && without.some(places => places.length > 0)
      ? { without_result: without }
      : {}),
  }
}
