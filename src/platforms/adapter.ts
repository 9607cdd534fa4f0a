import type { NewEvent, Verification } from '../model/event.js'

/** The neutral sources that have an adapter or will have one. Other words may be used by direct writers. */
export type PlatformSource = 'chat' | 'forum' | 'code_a' | 'code_b'

/** One arrival of a webhook, as received. */
export interface WebhookDelivery {
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  /** The bytes that were signed. */
  body: Uint8Array
}

/** What an adapter has to know besides the delivery. */
export interface DeliveryContext {
  /**
   * Address of the platform's server, as configured, else as the hook's URL says in `?site=`. Only for a platform whose
   * deliveries do not name it.
   */
  site?: string | undefined
  /** What `verify` found: a secret that stands in the body and proved the delivery must not be kept. */
  verified?: Verification
}

/** What an adapter made of a delivery. Repeats are the ledger's business, not its. */
export interface NormalisedDelivery {
  events: NewEvent[]
  /** Things that carry nothing to keep: pings, heartbeats, typing notices. */
  ignored: number
  /** The platform's id of this delivery, kept in the provenance. Never the only identity of an event. */
  deliveryId?: string
}

/** What a source can send and how to name it; served by `GET /api/platforms`. */
export interface PlatformCatalogue {
  source: PlatformSource
  display_name: string
  webhook_path: string
  /** How a delivery proves where it comes from, in a sentence. */
  verification: string
  /** Every kind the adapter can produce by name; `"*"` when any other event is stored generically as well. */
  kinds: string[]
  actions: { kind: string; object_type: string; verb: string }[]
  scope_types: string[]
  /** The forms that a subscription's `target` may have, with an example each. */
  target_grammar: { form: string; example: string }[]
  capture_modes: string[]
}

/** A platform whose webhooks are understood. `normalise` is pure: the same delivery gives the same events. */
export interface WebhookAdapter {
  catalogue: PlatformCatalogue
  /**
   * Checks the delivery against the configured secrets, over the raw bytes, in constant time, before anything is parsed.
   *
   * @param secrets all that are valid now (several while rotating); none: nothing can be proved, `none`
   * @throws AppError `unauthenticated/signature_invalid` when secrets are configured and none fits
   */
  verify(delivery: WebhookDelivery, secrets: readonly string[]): Verification
  /** @throws AppError `invalid/invalid_json` for a body that cannot be read; never for an event it does not know */
  normalise(delivery: WebhookDelivery, context: DeliveryContext): NormalisedDelivery
  /** Members that the platform has to find in the answer to a delivery, beside the counts. */
  answer?: Readonly<Record<string, boolean>>
}
