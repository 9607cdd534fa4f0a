import Type, { type Static } from '#typebox'
import { counted } from '../counted.js'
import { actionOfKind } from './action.js'
import type { Erased, NewEvent, Provenance, StoredEvent } from './event.js'

export const ERASURE_LIMITS = {
  /** Events erased per transaction. Other writes wait for the transaction. */
  events: 50,
  reasonCharacters: 500,
  requestBytes: 16 * 1024,
} as const

/** The body of `POST /api/erasures`: an event or an actor. */
export const ErasureRequestSchema = Type.Object(
  {
    dedupe_key: Type.Optional(Type.String({ minLength: 1, description: 'The event.' })),
    actor: Type.Optional(
      Type.String({
        minLength: 1,
        description: `The \`actor.id\` of events, of which ${ERASURE_LIMITS.events} at most are erased.`,
      }),
    ),
    reason: Type.String({
      minLength: 1,
      maxLength: ERASURE_LIMITS.reasonCharacters,
      pattern: '\\S',
      description: 'Why. Everyone who may read events sees it, and it can never be erased.',
    }),
  },
  { additionalProperties: false },
)
export type ErasureRequest = Static<typeof ErasureRequestSchema>

/** Source and kind of the entry that records an erasure. The ledger alone writes events with the route `ledger`. */
export const LEDGER_SOURCE = 'ledger'
export const ERASED_KIND = 'ledger.erased'
export const LEDGER_ROUTE = 'ledger'

/** Events that an entry covers, by `captured_at` because their keys may contain names. */
interface ErasedEvents {
  /** Some events. */
  events?: string[]
  /** All events up to this one. */
  through?: string
}

/** The payload of an entry. */
export interface ErasurePayload extends ErasedEvents {
  reason: string
  by: string
  count: number
  /** Name of the file to which the events were archived. */
  archive?: string
}

/** The event that records an erasure. @param id unique in the ledger */
export function toErasureEntry(id: string, payload: ErasurePayload): { event: NewEvent; provenance: Provenance } {
  const { reason, by, count } = payload
  const event: NewEvent = {
    dedupe_key: `${LEDGER_SOURCE}:erased:${id}`,
    source: LEDGER_SOURCE,
    kind: ERASED_KIND,
    subject_id: id,
    subject_type: 'erasure',
    occurred_at: null,
    action: { ...actionOfKind(ERASED_KIND), metadata: { count } },
    actor: { id: by, display: by, metadata: {} },
    actor_role: '',
    target: { type: 'erasure', key: `erasure:${id}`, display: counted(count, 'event') },
    conversation: { text: reason },
    payload: { ...payload },
  }
  return { event, provenance: { route: LEDGER_ROUTE, verified: 'login' } }
}

/** The payload of an entry; undefined if the event is not an entry of the ledger. */
export function readErasureEntry(event: StoredEvent): ErasurePayload | undefined {
  const isEntry = event.kind === ERASED_KIND && event.provenance?.route === LEDGER_ROUTE
  return isEntry ? (event.payload as unknown as ErasurePayload) : undefined
}

/** The mark that an entry puts on the events that it covers. */
export function markOf({ event }: { event: Pick<NewEvent, 'dedupe_key' | 'payload'> }, at: string): Erased {
  const { reason, by } = event.payload as unknown as ErasurePayload
  return { at, reason, by, entry: event.dedupe_key }
}

/** Members that an erased event keeps. */
type TombstoneMembers = Pick<
  StoredEvent,
  | 'dedupe_key'
  | 'source'
  | 'kind'
  | 'occurred_at'
  | 'provenance'
  | 'subscription_ids'
  | 'captured_at'
  | 'seen_count'
  | 'last_seen_at'
>

/**
 * An event without its content. The remaining members identify, order and count it; they are in the order of a stored
 * event.
 *
 * Source: docs/decisions/0054.
 */
export function toTombstone(kept: TombstoneMembers, erased: Erased): StoredEvent {
  const { dedupe_key, source, kind, occurred_at, subscription_ids, captured_at, seen_count, last_seen_at } = kept
  const { route, verified, key_space } = kept.provenance
  const action = { ...actionOfKind(kind), metadata: {} }
  return {
    dedupe_key,
    source,
    kind,
    subject_id: 'erased',
    subject_type: action.object_type || 'event',
    occurred_at,
    action,
    actor: { id: '', display: '', metadata: {} },
    actor_role: '',
    target: {},
    conversation: {},
    payload: {},
    provenance: { route, verified, ...(key_space ? { key_space } : {}) },
    erased,
    subscription_ids,
    captured_at,
    seen_count,
    last_seen_at,
  }
}

/** What a command erased. */
export interface ErasedSummary {
  /** How many events. */
  erased: number
  /** Dedupe keys of the events that record it. */
  entries: string[]
}
