import type { NewEvent } from '../events/event.js'

/** What a delivery would become, and why. Produced by `platforms explain`. */
export interface DeliveryExplanation {
  source: string
  /** Number of entries in the delivery that contain nothing to record. */
  ignored: number
  /** The platform's id of the delivery, if it has one. */
  delivery_id?: string
  events: ExplainedEvent[]
}

export interface ExplainedEvent {
  event: NewEvent
  reasons: {
    /** The platform's own name. */
    native_event: string
    native_action?: string
    /** `named`: the mapping has a row for it. `generic`: it is recorded under the platform's own name. */
    row: 'named' | 'generic'
    /** The parts of the dedupe key. */
    identity: KeyIdentity & {
      /**
       * `payload`: the same event through another hook has the same key. `delivery`: only this delivery identifies it.
       */
      from: 'payload' | 'delivery'
    }
    /** Keys by which a subscription may name its scope to cover the event. */
    scope_keys: string[]
    /** Targets of subscriptions that cover it, innermost first. */
    targets: string[]
  }
}

export interface KeyIdentity {
  host: string
  object_type: string
  id: string
  verb: string
  /** Distinguishes this occurrence from the next; absent for events that happen once. */
  discriminator?: string
}
