import type { NewEvent, Verification } from '../model/events/event.js'
import type { PlatformSource } from '../model/platforms/platform-source.js'
import type { SourceDefinition } from '../model/sources/source-definition.js'
import type { PlatformCatalogue } from './catalogue.js'

/** One arrival of a webhook, as received. */
export interface WebhookDelivery {
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  /** The signed bytes. */
  body: Uint8Array
  /** The query of the address. Only sources of operators use it. */
  query?: string
}

/** The body of a response: a JSON object, or a text. */
export type DeliveryAnswer = Readonly<Record<string, string | number | boolean>> | string

/** What an adapter needs in addition to the delivery. */
export interface DeliveryContext {
  /**
   * Address of the platform's server: as configured, else from the hook URL's `?site=`. Only for a platform whose
   * deliveries do not contain it.
   */
  site?: string | undefined
  /** The result of `verify`. A secret in the body that verified the delivery must not be recorded. */
  verified?: Verification
  /** All currently valid secrets, for a delivery that requests the signature of a text. */
  secrets?: readonly string[]
}

/** The result of an adapter. The ledger detects repeats. */
export interface NormalisedDelivery {
  events: NewEvent[]
  /** Entries with nothing to record: pings, heartbeats, typing notices. */
  ignored: number
  /** The platform's id of this delivery, recorded in the provenance. Never the only identity of an event. */
  deliveryId?: string
  /** The body of the response, if the delivery asks for a certain one. Replaces the counts. */
  answer?: DeliveryAnswer
}

/** The code for a platform or an operator's source. `normalise` is pure: the same delivery gives the same events. */
export interface WebhookAdapter<Source extends string = PlatformSource> {
  catalogue: PlatformCatalogue<Source>
  /** Definition of an operator's source, from which another thread compiles its own adapter. */
  definition?: SourceDefinition
  /**
   * Checks the delivery against the configured secrets in constant time. Uses the raw bytes, before anything is parsed.
   *
   * @param secrets all currently valid ones (several during a rotation); none: the result is `none`
   * @throws AppError `unauthenticated/signature_invalid` if secrets are configured and none matches
   */
  verify(delivery: WebhookDelivery, secrets: readonly string[]): Verification
  /** Deliveries stay unverified even if there is a secret. */
  isUnverified?: boolean
  /** The proof is inside the body, so verifying takes as long as parsing. */
  provesInBody?: true
  /** @throws AppError `invalid/invalid_json` for an unreadable body; never for an unknown event */
  normalise(delivery: WebhookDelivery, context: DeliveryContext): NormalisedDelivery
  /** For authors of a mapping: the values without a result, as places in the definition, of the first `most` items. */
  placesWithoutResult?(delivery: WebhookDelivery, most: number): string[][]
  /** Members that the platform requires in the response to a delivery, in addition to the counts. */
  answer?: Readonly<Record<string, boolean>>
}
