import type { NewEvent } from '../../model/events/event.js'
import { SOURCE_LIMITS, type SourceDefinition } from '../../model/sources/source-definition.js'
import type { DeliveryAnswer } from '../adapter.js'
import { type AcceptedDelivery, acceptDelivery, type DeliveryRules } from '../deliveries/accept-delivery.js'
import { readSavedRequest } from '../deliveries/saved-delivery.js'
import { compileDefinedAdapter } from './adapter.js'

/** The events that a saved delivery would become. */
interface TestedDelivery extends TestedFacts {
  events: NewEvent[]
}

interface TestedFacts {
  /** Number of entries that contain nothing to record. */
  ignored: number
  delivery_id?: string
  /** The answer that the delivery asks for. */
  answer?: DeliveryAnswer
  /** For each event, the values of its rule that have no result, as places in the definition. */
  without_result?: string[][]
}

/** Rules without verification: the saved bytes may differ from the signed ones. */
export const DRY_RUN_RULES: DeliveryRules = { secrets: [], requireVerified: false, context: {}, verified: 'token' }

/**
 * Verifies nothing and stores nothing.
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
  const rules = { ...DRY_RUN_RULES, explained: SOURCE_LIMITS.events }
  const accepted = acceptDelivery(compileDefinedAdapter(definition), delivery, rules)
  return { events: accepted.events.map(({ event }) => event), ...toTested(accepted) }
}

/** The facts about a delivery in addition to its events. */
export function toTested({
  events,
  ignored,
  deliveryId,
  answer,
  placesWithoutResult = [],
}: AcceptedDelivery): TestedFacts {
  const isOfEvents = placesWithoutResult.length > 0 && events.length > 0
  return {
    ignored,
    ...(deliveryId === undefined ? {} : { delivery_id: deliveryId }),
    ...(answer === undefined ? {} : { answer }),
    ...(isOfEvents && placesWithoutResult.some(places => places.length > 0)
      ? { without_result: placesWithoutResult }
      : {}),
  }
}
