import type { NewEvent } from './event.js'

/** What a delivery would become, and why. */
export interface DeliveryExplanation {
  source: string
  /** How many things in it carry nothing to keep. */
  ignored: number
  /** The platform's id of the delivery, where it shows one. */
  delivery_id?: string
  events: ExplainedEvent[]
}

export interface ExplainedEvent {
  event: NewEvent
  reasons: {
    /** The platform's own words. */
    native_event: string
    native_action?: string
    /** `named`: the mapping has a row for it. `generic`: it is kept under the platform's own words. */
    row: 'named' | 'generic'
    /** The parts of the dedupe key. */
    identity: KeyIdentity & {
      /** `payload`: the same event through another hook has the same key. `delivery`: only this delivery tells it. */
      from: 'payload' | 'delivery'
    }
    /** Under each of these a subscription may name its scope. */
    scope_keys: string[]
    /** Targets of subscriptions that cover it, from the thing itself outwards. */
    targets: string[]
  }
}

export interface KeyIdentity {
  host: string
  object_type: string
  id: string
  verb: string
  /** What tells this occurrence from the next one; absent for what happens once. */
  discriminator?: string
}
