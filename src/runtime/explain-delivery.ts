import { AppError } from '../model/app-error.js'
import type { DeliveryExplanation } from '../model/platforms/explanation.js'
import { adapterOf } from '../platforms/adapters.js'
import { explainDelivery } from '../platforms/deliveries/explain-delivery.js'
import { readSavedDelivery, type SavedDeliveryHints } from '../platforms/deliveries/saved-delivery.js'

/**
 * Explains what a saved delivery would become. Verifies no signature, because the saved bytes may differ from the signed ones.
 *
 * @throws AppError `invalid/wrong_usage`, `invalid/invalid_json`, `invalid/invalid_field`
 */
export function explainSavedDelivery(bytes: Uint8Array, hints: SavedDeliveryHints): DeliveryExplanation {
  const { source, delivery, context } = readSavedDelivery(bytes, hints)
  if (source === undefined) {
    const hint = 'Name it with --source chat, forum, code_a or code_b.'
    throw new AppError('invalid', 'wrong_usage', 'The headers do not show which platform sent this delivery.', { hint })
  }
  return explainDelivery(adapterOf(source), delivery, context)
}
